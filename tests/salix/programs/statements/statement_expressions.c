// returns 0: statement expressions, as other compilers have them
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int main(void)
{
    int i = 3;
    int m = MAX(i++, 2);
    if (m != 3 || i != 4) return 1;
    int s = ({ int t = 0; for (int k = 0; k < 5; k++) t += k; t; });
    if (s != 10 || ({ 1; 2; }) != 2) return 2;
    return MAX(MAX(1, 7), MAX(5, 3)) - 7;
}
