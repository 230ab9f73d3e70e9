// returns 0: sets that are merged, with path halving
static short parent[50], size[50];
static int root(int x) { while (parent[x] != x) x = parent[x] = parent[parent[x]]; return x; }
static int join(int a, int b)
{
    a = root(a), b = root(b);
    if (a == b) return 0;
    if (size[a] < size[b]) { int t = a; a = b; b = t; }
    parent[b] = a;
    size[a] += size[b];
    return 1;
}
int main(void)
{
    int sets = 50;
    for (int i = 0; i < 50; i++) parent[i] = i, size[i] = 1;
    for (int i = 0; i + 7 < 50; i++) sets -= join(i, i + 7);
    if (sets != 7 || root(0) != root(49) || root(1) == root(2)) return 1;
    return size[root(0)] == 8 ? 0 : 2;
}
