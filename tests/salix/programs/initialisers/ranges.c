// returns 0: ranges of elements, as other compilers have them
static int list[10] = {[0 ... 3] = 1, [4 ... 8] = 2, [6] = 3};
static const char table[256] = {['0' ... '9'] = 1, ['a' ... 'f'] = 2};
int main(void)
{
    if (list[0] != 1 || list[3] != 1 || list[4] != 2 || list[6] != 3 || list[8] != 2 || list[9]) return 1;
    if (table['5'] != 1 || table['f'] != 2 || table['g'] || table['/']) return 2;
    return 0;
}
