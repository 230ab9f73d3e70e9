// returns 0: tables of hundreds of entries of different kinds
#define R4(x) x, x + 1, x + 2, x + 3
#define R16(x) R4(x), R4(x + 4), R4(x + 8), R4(x + 12)
#define R64(x) R16(x), R16(x + 16), R16(x + 32), R16(x + 48)
#define R256(x) R64(x), R64(x + 64), R64(x + 128), R64(x + 192)
static const int wide[] = {R256(0), R256(256)};
static unsigned char narrow[300] = {R256(0)};
static const short *const pointers[] = {(const short *)wide, (const short *)wide + 2};
int main(void)
{
    for (int i = 0; i < 512; i++) if (wide[i] != i) return 1;
    for (int i = 0; i < 300; i++) if (narrow[i] != (i < 256 ? i : 0)) return 2;
    return *pointers[1] == 1 && sizeof wide == 2048 ? 0 : 3;
}
