// returns 0: `# NUMBER "file"` is #line, and __BASE_FILE__ stays; __TIMESTAMP__ has the form of a date
# 40 "other.c"
static int line = __LINE__;
static const char *file = __FILE__;
static const char base[] = __BASE_FILE__;
# 70
int main(void)
{
    if (line != 40 || file[0] != 'o' || __LINE__ != 72) return 1;
    if (base[sizeof base - 2] != 'c' || base[sizeof base - 3] != '.' || base[0] == 'o') return 2;
    return sizeof __TIMESTAMP__ != 25 || __INCLUDE_LEVEL__ != 0;
}
