// returns 0: # makes a string of an argument as it was written
#define STR(x) #x
#define XSTR(x) STR(x)
#define VALUE 42
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
int main(void)
{
    if (!same(STR(VALUE), "VALUE") || !same(XSTR(VALUE), "42")) return 1;
    if (!same(STR(  a   +  b /* c */ * d ), "a + b * d")) return 2;
    if (!same(STR("quoted\n" 'c' '\\' '"'), "\"quoted\\n\" 'c' '\\\\' '\"'")) return 3;
    if (!same(STR(), "") || !same(STR(a
        b), "a b")) return 4;
    if (!same(STR((a, b)), "(a, b)")) return 5;
    if (!same(STR(1.5e+3 .x 0x1p-2), "1.5e+3 .x 0x1p-2")) return 6;
    return 0;
}
