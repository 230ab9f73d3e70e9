// returns 0: what stands beside # or ## is not expanded, though it could not be; elsewhere it is
#define TEXT(x) #x
#define JOIN(a, b) a##b
#define BOTH(x) #x, x
#define REST(first, ...) #__VA_ARGS__, first##__VA_ARGS__
#define VALUE 7
static int same(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

int main(void)
{
    int JOIN(VAL, UE2) = 2, JOIN(x, VALUE) = 3;
    struct { const char *text; int value; } both = {BOTH(VALUE)};
    if (!same(TEXT(TEXT(1, 2)), "TEXT(1, 2)") || !same(TEXT(VALUE), "VALUE")) return 1;
    if (!same(both.text, "VALUE") || both.value != 7 || xVALUE != 3 || VALUE2 != 2) return 2;
    {
        struct { const char *text; int value; } rest = {REST(, VALUE)};
        if (!same(rest.text, "VALUE") || rest.value != 7) return 3;
    }
    return 0;
}
