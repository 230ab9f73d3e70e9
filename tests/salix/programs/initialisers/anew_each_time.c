// returns 0: an initialiser works each time control reaches it
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int list[4] = {i, [2] = i * 10};
        struct { int a, b; } s = {.b = i};
        if (list[1] || list[3] || s.a) return 1;
        sum += list[0] + list[2] + s.b;
        list[1] = list[3] = s.a = 99;
    }
    return sum == 36 ? 0 : 2;
}
