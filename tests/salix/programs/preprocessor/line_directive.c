// returns 0: #line changes what __LINE__ and __FILE__ say
int main(void)
{
    int before = __LINE__;
#line 100
    int a = __LINE__;
#line 200 "other.c"
    int b = __LINE__;
    const char *f = __FILE__;
#define L 300
#line L
    int c = __LINE__;
    return before == 4 && a == 100 && b == 200 && c == 300 && f[0] == 'o' && f[6] == 'c' ? 0 : 1;
}
