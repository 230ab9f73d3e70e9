// returns 0: fields in conditions
struct f { unsigned ready : 1, level : 3; int delta : 6; };
int main(void)
{
    struct f x = {1, 5, -20};
    int n = 0;
    if (x.ready) n++;
    if (!x.ready) n += 10;
    if (x.level > 4 && x.delta < -19) n++;
    while (x.level) { x.level--; n++; }
    n += x.ready ? x.delta : 0;
    switch (x.delta) { case -20: n += 100; }
    return n == 87 ? 0 : n;
}
