// returns 0: __LINE__, __FILE__, __COUNTER__ and the macros that say what compiles
#define LINE __LINE__
#define STR(x) #x
#define XSTR(x) STR(x)
int main(void)
{
    int a = __LINE__, b =
        __LINE__, c = LINE;
    if (a != 7 || b != 8 || c != 8) return 1;
    const char *file = __FILE__, *last = file;
    for (; *file; file++) if (*file == '/') last = file + 1;
    if (last[0] != 'p' || last[9] != 'd' || last[10] != '.') return 2;
    if (XSTR(__LINE__)[0] != '1') return 3;
#if __STDC__ != 1 || __STDC_VERSION__ < 201112L || !defined __STDC_HOSTED__
    return 4;
#endif
    if (sizeof __DATE__ != 12 || sizeof __TIME__ != 9) return 5;
    int first = __COUNTER__;
    if (__COUNTER__ != first + 1) return 6;
    return 0;
}
