// returns 0: offsetof by the builtin and by the classical macro, nested members too
#define CLASSICAL(type, member) ((unsigned long)&((type *)0)->member)
struct inner { char a; short b; int c[3]; };
struct outer { char x; struct inner in; long y; union { char u; int v; }; };
_Static_assert(__builtin_offsetof(struct outer, y) == 24, "a constant expression");
int main(void)
{
    if (__builtin_offsetof(struct inner, b) != 2 || __builtin_offsetof(struct inner, c) != 4) return 1;
    if (__builtin_offsetof(struct outer, in) != 4) return 2;
    if (__builtin_offsetof(struct outer, in.b) != 6) return 3;
    if (__builtin_offsetof(struct outer, in.c[2]) != 16) return 4;
    if (__builtin_offsetof(struct outer, v) != 32) return 5;
    if (CLASSICAL(struct outer, in.c) != 8 || CLASSICAL(struct outer, y) != 24) return 6;
    int table[__builtin_offsetof(struct inner, c)];
    if (sizeof table != 16) return 7;
    return 0;
}
