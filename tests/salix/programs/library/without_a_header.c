// returns 0: library functions that the program declares itself, does not declare, or calls by GNU's names
extern char *strcpy();
unsigned long strlen(const char *);
int isdigit(int c);

int main(void)
{
    char to[8];
    strcpy(to, "a1");
    if (strlen(to) != 2 || isdigit(to[0]) || !isdigit(to[1])) return 1;
    if (__builtin_strcmp(to, "a1") || __builtin_strchr(to, '1') != to + 1 || __builtin_strlen(to) != 2) return 2;
    if (strncmp(to, "a2", 1) || abs(-4) != 4 || __builtin_abs(-5) != 5 || __builtin_labs(-6L) != 6) return 3;
    if (__builtin_mempcpy(to, "xyz", 4) != to + 4 || __builtin_toupper(to[0]) != 'X') return 4;
    return 0;
}
