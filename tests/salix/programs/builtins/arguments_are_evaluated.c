// returns 0: what GNU's hints take may change something, and an empty asm says where something may change
static int count, cell;

static int *place(void)
{
    count++;
    return &cell;
}

int main(void)
{
    int x = 1, y = 2, probable;
    const char *at = "text";
    __builtin_prefetch(at++);
    __builtin_prefetch(&at[x++], 0, 3);
    if (*at != 'e' || x != 2) return 1;
    probable = __builtin_expect(y == 2, x++);
    if (!probable || x != 3) return 2;
    __asm__ volatile("" : "+r"(*place()));
    if (count != 1) return 3;
    __asm__("" : : "r"(x++), "m"(y) : "memory");
    if (x != 4) return 4;
    __asm__("" : "=r"(y) : "0"(x));
    return y == 4 ? 0 : 5;
}
