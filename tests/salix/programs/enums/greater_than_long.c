// returns 0: constants that only an unsigned long has
enum top { TOP = 0xffffffffffffffff };
enum half { HALF = 1ULL << 63, MORE };

int main(void)
{
    enum half half = MORE;
    if (!(TOP > 0) || TOP != -1UL || sizeof TOP != 8 || sizeof(enum top) != 8) return 1;
    if (half < 5 || half - HALF != 1) return 2;
    return HALF / 2 == 1ULL << 62 ? 0 : 3;
}
