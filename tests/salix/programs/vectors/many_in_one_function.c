// returns 142: results of operators take turns in the frame, in loops, conditions and statement expressions too
typedef long v8 __attribute__((vector_size(64)));

static v8 twice(v8 v) { return v + v; }
static v8 grow(v8 v, int n) { return n == 0 ? v : grow(v + 1, n - 1); }

int main(void)
{
    v8 a = {1, 2, 3, 4, 5, 6, 7, 8}, b = -a, c = a * a, sum = {0};
    int i;
    for (i = 0; (twice(a) + twice(b) + i)[7] < (a + 2)[0]; i++) {
        sum += (a + b) * c - (b - a) * ({ v8 t = a * 2 + b; t - a + 1; }); /* 2 a */
        sum += a + twice(a + twice(b)) - (twice(a) + b) * 0;              /* - a */
        sum = sum + (a + b + c - c + a * 3 - 2 * a) - (a - (b - (c - (a - (b - c))))) * 0; /* a */
        sum += twice(twice(a) + twice(b)) + (i & 1 ? a + b : b + a) - (a == b) * (c - c);
        sum += grow(a, 3) - a - 3 + ((a ^ b) & 0) + (c % a);
        if ((a * c + sum)[7] != 512 + 16 * (i + 1)) return 1;
    }
    return i * 30 + sum[0] + sum[7] - (sum[1] != 12) + (a + b)[3] - 2;
}
