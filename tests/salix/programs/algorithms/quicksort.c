// returns 0: quicksort of pseudo-random numbers, by hand-made stack
static unsigned seed = 1;
static int next(void) { seed = seed * 1103515245 + 12345; return (int)(seed >> 16) % 1000 - 500; }
static int a[300];
int main(void)
{
    long before = 0, after = 0;
    for (int i = 0; i < 300; i++) before += a[i] = next();
    int stack[64], depth = 0;
    stack[depth++] = 0;
    stack[depth++] = 299;
    while (depth) {
        int high = stack[--depth], low = stack[--depth];
        if (low >= high) continue;
        int pivot = a[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
        }
        stack[depth++] = low; stack[depth++] = j;
        stack[depth++] = i; stack[depth++] = high;
    }
    for (int i = 0; i < 300; i++) after += a[i];
    for (int i = 1; i < 300; i++) if (a[i - 1] > a[i]) return 1;
    return before == after ? 0 : 2;
}
