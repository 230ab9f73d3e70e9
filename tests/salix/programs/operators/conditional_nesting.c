// returns 0: ?: groups to the right and evaluates one side only
static int calls;
static int count(int x) { calls++; return x; }
static int sign(int x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }
int main(void)
{
    if (sign(-5) != -1 || sign(0) != 0 || sign(9) != 1) return 1;
    int r = sign(1) ? count(2) : count(3);
    if (r != 2 || calls != 1) return 2;
    int grade = 75;
    int letter = grade > 90 ? 'A' : grade > 80 ? 'B' : grade > 70 ? 'C' : 'D';
    if (letter != 'C') return 3;
    int a = 1, b = 2;
    *(a > b ? &a : &b) = 9;
    if (b != 9) return 4;
    (a < b ? count : sign)(1);
    if (calls != 2) return 5;
    a ? (void)(b = 1) : (void)(b = 2);
    if (b != 1) return 6;
    return 0;
}
