// returns 0: _Alignas in structs and on objects of every storage
struct s { char a; _Alignas(16) int b; char c; };
static _Alignas(64) char global;
static _Alignas(32) int table[3] = {1, 2, 3};
int main(void)
{
    _Alignas(32) struct s local = {1, 2, 3};
    static _Alignas(128) short still;
    if (sizeof(struct s) != 32 || _Alignof(struct s) != 16 || __builtin_offsetof(struct s, c) != 20) return 1;
    if ((long)&global % 64 || (long)table % 32 || (long)&local % 32 || (long)&still % 128) return 2;
    return local.b - 2;
}
