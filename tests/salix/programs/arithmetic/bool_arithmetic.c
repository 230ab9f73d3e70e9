// returns 0: _Bool is 0 or 1, whatever is stored, and counts as int
int main(void)
{
    _Bool a = 256, b = 0, c = -1;
    _Bool wide = 0x100000000ll;
    if (a != 1 || b != 0 || c != 1 || wide != 1) return 1;
    if (a + c != 2) return 2;
    if (sizeof(_Bool) != 1) return 3;
    a += 5;
    if (a != 1) return 4;
    a -= 1;
    if (a != 0) return 5;
    a--;
    if (a != 1) return 6;
    b++;
    b++;
    if (b != 1) return 7;
    if (~a != -2) return 8;
    return 0;
}
