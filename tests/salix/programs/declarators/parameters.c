// returns 0: array and function parameters are pointers
static int sum(int a[10], int n) { int s = 0; while (n--) s += *a++; return s; }
static int size_of(int a[10]) { return sizeof a; }
static int second(int m[][3], int i) { return m[i][1]; }
static int apply(int f(int), int x) { return f(x); }
static int neg(int x) { return -x; }
static int unnamed(int, int y);
static int unnamed(int x, int y) { return x - y; }
static int count(char *argv[]) { int n = 0; while (argv[n]) n++; return n; }
static int qualified(int a[static 2], const int b[const]) { return a[1] + b[0]; }
int main(void)
{
    int a[] = {1, 2, 3}, m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    char *words[] = {"a", "b", 0};
    if (sum(a, 3) != 6 || size_of(a) != 8 || second(m, 1) != 5) return 1;
    if (apply(neg, 4) != -4 || unnamed(5, 3) != 2 || count(words) != 2 || qualified(a, a) != 3) return 2;
    return 0;
}
