// returns 0: ## makes numbers, operators and names of parts
#define P(a, b) a##b
#define SUFFIX(n, s) P(n, s)
#define OP(a, o, b) a P(o, =) b
int main(void)
{
    int x = 1;
    OP(x, +, 2);
    OP(x, <<, 3);
    if (x != 24 || P(1, 0) != 10 || P(0x, 1F) != 31 || sizeof SUFFIX(1, ull) != 8) return 1;
    x P(-, -);
    P(ret, urn) P(x, ) == 23 ? 0 : 2;
}
