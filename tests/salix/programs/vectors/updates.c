// returns 77: what is assigned to is named once, whatever it is
typedef unsigned v2 __attribute__((vector_size(8)));
static v2 kept[3] = {{1, 2}, {3, 4}, {5, 6}};
static int calls;
static v2 *at(int i)
{
    calls++;
    return &kept[i];
}

int main(void)
{
    v2 v = {10, 20}, old, *p = kept;
    volatile v2 slow = {1, 1};
    old = v++;
    if (old[0] != 10 || v[1] != 21) return 1;
    old = --v;
    if (old[0] != 10 || v[0] != 10) return 2;
    *at(1) += *at(2) * 2;
    if (calls != 2 || kept[1][0] != 13 || kept[1][1] != 16) return 3;
    *p++ <<= v / 10;
    if (p != kept + 1 || kept[0][0] != 2 || kept[0][1] != 8) return 4;
    old = (*p++)--;
    if (p != kept + 2 || old[1] != 16 || kept[1][1] != 15) return 5;
    v = kept[2] -= v /= 5;
    if (v[0] != 3 || kept[2][1] != 2) return 6;
    slow |= 4;
    slow ^= slow;
    v += v + slow;
    return v[0] == 6 && v[1] == 4 && slow[0] == 0 ? 77 : 7;
}
