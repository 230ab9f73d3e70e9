// returns 0: the memory functions that the runtime supplies
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void *memmove(void *, const void *, unsigned long);
int memcmp(const void *, const void *, unsigned long);
unsigned long strlen(const char *);
int main(void)
{
    char a[16] = "hello", b[16];
    memset(b, 'x', sizeof b);
    if (b[15] != 'x') return 1;
    if (memcpy(b, a, 6) != b || memcmp(a, b, 6) || strlen(b) != 5) return 2;
    memmove(a + 2, a, 4);
    if (memcmp(a, "hehell", 6) || memcmp("a", "b", 1) >= 0 || memcmp("b", "a", 1) <= 0) return 3;
    __builtin_memset(a, 0, 4);
    __builtin_memcpy(a, "zz", 2);
    if (__builtin_strlen(a) != 2) return 4;
    return 0;
}
