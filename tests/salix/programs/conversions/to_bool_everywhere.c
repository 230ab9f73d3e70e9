// returns 0: conditions look at all bits of what they test
int main(void)
{
    volatile unsigned long long high = 0x100000000ull;
    int seen = 0;
    if (high) seen++;
    while (high) { seen++; high = 0; }
    high = 0x8000000000000000ull;
    seen += high ? 1 : 0;
    seen += !high;
    seen += high && 1;
    seen += !!high;
    for (; high; high = 0) seen++;
    do seen++; while (high);
    return seen == 7 ? 0 : seen;
}
