// returns 0: enumerators count on from the one before
enum color { RED, GREEN = 5, BLUE, LAST = BLUE + 10, SAME = 5, NEGATIVE = -2, AFTER };
int main(void)
{
    enum color c = BLUE;
    if (RED != 0 || GREEN != 5 || BLUE != 6 || LAST != 16 || SAME != GREEN || NEGATIVE != -2 || AFTER != -1) return 1;
    if (c != 6 || sizeof c != 4 || sizeof RED != 4) return 2;
    c++;
    if (c != 7) return 3;
    c = 3;
    int i = c;
    if (i != 3) return 4;
    return 0;
}
