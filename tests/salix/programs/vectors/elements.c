// returns 44: elements are variables, by constants and by indices that are computed
typedef short v8hi __attribute__((vector_size(16)));
static v8hi global = {1, 2, 3};
static const v8hi table[2] = {{1, 2, 3, 4, 5, 6, 7, 8}, {10, 20}};

static v8hi made(int n) { return (v8hi){n, n + 1}; }

int main(void)
{
    v8hi v = {0}, *p = &v, copy;
    int i;
    for (i = 0; i < 8; i++) v[i] = i * i;
    v[3]++;
    v[1] += v[2] -= 1;
    (*p)[7] = p[0][6] = -5;
    *(&v[5] - 1) <<= 1; /* [4] */
    copy = *p;
    copy[0] = 9;
    global[7] = global[i - 6];
    if (v[0] != 0 || v[1] != 4 || v[2] != 3 || v[3] != 10 || v[4] != 32 || v[6] != -5 || v[7] != -5) return 1;
    if (global[7] != 3 || global[4] != 0 || copy[0] != 9 || copy[5] != 25) return 2;
    return made(4)[1] + table[1][1] + table[0][i - 1] + (v + 1)[2] + (made(3) * 2)[i & 1] + sizeof v[0] - 1;
}
