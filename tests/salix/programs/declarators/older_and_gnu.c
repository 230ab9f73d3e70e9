// returns 0: parameters that point to arrays, old-style narrow parameters, flexible arrays, and what GNU's C adds
static int c(int (*m)[3]) { return *m[1]; }
static int d(int n, int a[n][3], int b[static 2], int e[*]);
const limit = 4;
short narrow(c, h) char c; short h; { return c + h; }
struct list { int n; short v[]; }; static struct list list = {3, {10, 20, 30}};
typedef int si __attribute__((mode(SI))); typedef unsigned di __attribute__((__mode__(__DI__)));
int a[] = {[1] 2, [3] 4};
int aa[5]; int dd = &aa[4] - &aa[1];
int main(void) { int m[2][3] = {{1,2,3},{4,5,6}};
 if (c(m) != 4 || limit != 4 || narrow(300, 70000) != 4508 || list.v[2] != 30 || sizeof(di) != 8 || sizeof(si) != 4) return 1;
 if (a[1] != 2 || a[3] != 4 || dd != 3 || sizeof list != 4) return 2;
 return 0; }
