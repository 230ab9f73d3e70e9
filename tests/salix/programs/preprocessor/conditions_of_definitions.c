// returns 12: #elifdef and #elifndef
#define KNOWN
static int first(void)
{
#ifdef UNKNOWN
    return 1;
#elifdef KNOWN
    return 2;
#elifndef UNKNOWN
    return 3;
#else
    return 4;
#endif
}
static int second(void)
{
#ifdef KNOWN
    return 10;
#elifdef KNOWN
#elifndef NOTHING nothing here is looked at
#endif
}
int main(void) { return first() + second(); }
