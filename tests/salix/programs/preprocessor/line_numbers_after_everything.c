// returns 0: __LINE__ counts lines in calls of macros, comments, splices and strings
#define ID(x) x
#define TWO(a, b) a + b
static int a = ID(
__LINE__
);
/* one
   two */ static int b = __LINE__;
static int c = TWO(__LINE__,

                   __LINE__);
static const char *s = "a\
b"; static int d = __LINE__;
int main(void)
{
    if (b != 8) return 1;
    if (d != 13) return 2;
    return (a == 4 || a == 6 || a == 5) && s[1] == 'b' && c >= 18 ? 0 : 3;
}
