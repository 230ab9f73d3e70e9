// returns 0: decimal, octal, hexadecimal, binary constants
int main(void)
{
    if (0x1F != 31 || 0X1f != 31 || 037 != 31 || 0b11111 != 31 || 0B11111 != 31) return 1;
    if (0 != 00 || 0x0 != 0 || 07777 != 4095) return 2;
    if (0xDEADbeef != 3735928559u) return 3;
    if (1000000000000 != 1000000 * 1000000ll) return 4;
    if (0777777777777 != 68719476735) return 5;
    return 0;
}
