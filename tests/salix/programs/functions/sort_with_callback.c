// returns 0: a generic sort that is given the comparison
static void sort(void *base, int count, int size, int (*compare)(const void *, const void *))
{
    char *b = base;
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && compare(b + (j - 1) * size, b + j * size) > 0; j--)
            for (int k = 0; k < size; k++) {
                char t = b[j * size + k];
                b[j * size + k] = b[(j - 1) * size + k];
                b[(j - 1) * size + k] = t;
            }
}
struct word { char text[6]; int length; };
static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int down(const void *a, const void *b) { return up(b, a); }
static int by_length(const void *a, const void *b) { return ((const struct word *)a)->length - ((const struct word *)b)->length; }
int main(void)
{
    int n[] = {5, -3, 9, 0, 5};
    sort(n, 5, sizeof *n, up);
    if (n[0] != -3 || n[1] != 0 || n[4] != 9) return 1;
    sort(n, 5, sizeof *n, down);
    if (n[0] != 9 || n[4] != -3) return 2;
    struct word w[] = {{"three", 5}, {"a", 1}, {"six", 3}};
    sort(w, 3, sizeof w[0], by_length);
    return w[0].text[0] == 'a' && w[2].text[4] == 'e' ? 0 : 3;
}
