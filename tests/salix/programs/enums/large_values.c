// returns 0: enumerators beyond int, as other compilers have them
enum big { SMALL = 1, HIGH = 0xffffffff };
enum wide { WIDE = 0x100000000ll };
int main(void)
{
    if (HIGH != 0xffffffffu) return 1;
    if (WIDE != 4294967296ll) return 2;
    enum big b = HIGH;
    if (b != HIGH) return 3;
    return 0;
}
