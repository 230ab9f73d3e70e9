// returns 0: a chain of pastings and strings
#define str(s) # s
#define xstr(s) str(s)
#define join(a, b) xjoin(a, b)
#define xjoin(a, b) a ## b
#define version_1 release
#define number 1
#define text(v) xstr(join(version_, v))
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
int main(void)
{
    if (!same(text(number), "release")) return 1;
    if (!same(xstr(xjoin(version_, number)), "version_number")) return 2;
    if (!same(str(join(a, b)), "join(a, b)")) return 3;
    return 0;
}
