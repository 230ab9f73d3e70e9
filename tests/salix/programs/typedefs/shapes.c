// returns 0: typedefs of every shape
typedef int number;
typedef number *pointer, array[3], (*function)(number, number);
typedef struct point { number x, y; } point;
typedef union { number n; char c[4]; } both;
typedef enum { NO, YES } answer;
typedef array matrix[2];
static number add(number a, number b) { return a + b; }
int main(void)
{
    number n = 4;
    pointer p = &n;
    array a = {1, 2, 3};
    function f = add;
    point q = {5, 6};
    both u = {0x41};
    answer yes = YES;
    matrix m = {{1, 2, 3}, {4, 5, 6}};
    if (*p != 4 || a[2] != 3 || f(1, 2) != 3 || q.y != 6 || u.c[0] != 'A' || yes != 1) return 1;
    if (sizeof m != 24 || m[1][2] != 6) return 2;
    struct point same = q;
    if (same.x != 5) return 3;
    return 0;
}
