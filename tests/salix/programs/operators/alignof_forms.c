// returns 0: _Alignof of types, and what _Alignas asks for
int main(void)
{
    if (_Alignof(char) != 1 || _Alignof(short) != 2 || _Alignof(int) != 4 || _Alignof(long) != 8) return 1;
    if (_Alignof(int *) != 8 || _Alignof(int[7]) != 4 || _Alignof(_Bool) != 1) return 2;
    struct mixed { char a; long b; };
    if (_Alignof(struct mixed) != 8) return 3;
    _Alignas(16) char buffer[3];
    if ((unsigned long)buffer % 16) return 4;
    struct aligned { char a; _Alignas(8) char b; };
    if (sizeof(struct aligned) != 16 || _Alignof(struct aligned) != 8) return 5;
    _Alignas(long) char other;
    if ((unsigned long)&other % 8) return 6;
    return 0;
}
