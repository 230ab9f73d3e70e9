// returns 0: names that stand for anything
#define ONE 1
#define EMPTY
#define SUM (ONE + TWO)
#define TWO 2
#define KEYWORD return
#define PAIR 3, 4
#define REDEFINED 1
#define REDEFINED 1
int main(void)
{
    int a[] = {PAIR EMPTY}, EMPTY b = SUM;
    if (b != 3 || a[1] != 4 || REDEFINED != 1) KEYWORD 1;
#undef TWO
#define TWO 20
    if (SUM != 21) KEYWORD 2;
#undef NEVER_DEFINED
    KEYWORD EMPTY 0;
}
