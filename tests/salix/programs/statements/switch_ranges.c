// returns 0: ranges of cases, as other compilers have them
static int kind(int c)
{
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'z': case 'A' ... 'Z': case '_': return 2;
    case -5 ... -1: return 3;
    case 1000 ... 1000: return 4;
    default: return 5;
    }
}
int main(void)
{
    if (kind('0') != 1 || kind('9') != 1 || kind('m') != 2 || kind('Z') != 2 || kind('_') != 2) return 1;
    if (kind(-5) != 3 || kind(-1) != 3 || kind(0) != 5 || kind(-6) != 5 || kind(1000) != 4 || kind('/') != 5) return 2;
    return 0;
}
