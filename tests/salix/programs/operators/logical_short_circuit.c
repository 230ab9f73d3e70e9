// returns 0: && and || evaluate their right side only when it matters, and yield 0 or 1
static int calls;
static int touch(int value) { calls++; return value; }
int main(void)
{
    if (touch(0) && touch(1)) return 1;
    if (calls != 1) return 2;
    if (!(touch(5) || touch(1))) return 3;
    if (calls != 2) return 4;
    if ((touch(7) && touch(9)) != 1) return 5;
    if (calls != 4) return 6;
    if ((touch(0) || touch(0)) != 0) return 7;
    if (calls != 6) return 8;
    int x = touch(0) || (touch(1) && touch(2));
    if (x != 1 || calls != 9) return 9;
    return 0;
}
