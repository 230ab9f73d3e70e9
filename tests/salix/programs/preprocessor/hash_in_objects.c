// returns 0: # has no meaning in an object-like macro, ## has
#define HASH #define
#define JOINED a ## b
#define STR(x) #x
#define XSTR(x) STR(x)
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
int main(void)
{
    int JOINED = 3;
    return ab == 3 && same(XSTR(HASH), "#define") ? 0 : 1;
}
