// returns 0: every comparison, signed and unsigned, of every width
int main(void)
{
    volatile int a = -1, b = 1;
    volatile unsigned ua = 0xffffffffu, ub = 1;
    volatile long la = -1, lb = 1;
    volatile unsigned long ula = ~0ul, ulb = 1;
    if (!(a < b) || !(a <= b) || a > b || a >= b || a == b || !(a != b)) return 1;
    if (ua < ub || ua <= ub || !(ua > ub) || !(ua >= ub) || ua == ub || !(ua != ub)) return 2;
    if (!(la < lb) || !(la <= lb) || la > lb || la >= lb) return 3;
    if (ula < ulb || ula <= ulb || !(ula > ulb) || !(ula >= ulb)) return 4;
    if ((a < b) + (ua < ub) + (la < lb) + (ula < ulb) != 2) return 5;
    if (!(a >= a) || !(ua <= ua) || la < la || ula > ula) return 6;
    return 0;
}
