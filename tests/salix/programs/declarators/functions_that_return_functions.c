// returns 0: a function that returns a pointer to a function, with and without a typedef
static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static int (*choose(char what))(int, int) { return what == '+' ? add : multiply; }
typedef int operation(int, int);
static operation *again(char what) { return choose(what); }
static operation subtract;
static int subtract(int a, int b) { return a - b; }
int main(void)
{
    if (choose('+')(3, 4) != 7 || choose('*')(3, 4) != 12 || again('*')(5, 6) != 30) return 1;
    operation *o = subtract;
    if (o(9, 4) != 5) return 2;
    return 0;
}
