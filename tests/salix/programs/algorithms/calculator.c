// returns 0: a recursive descent parser of arithmetic
static const char *at;
static long expression(void);
static long primary(void)
{
    long v = 0;
    while (*at == ' ') at++;
    if (*at == '-') { at++; return -primary(); }
    if (*at == '(') { at++; v = expression(); at++; }
    else while (*at >= '0' && *at <= '9') v = v * 10 + (*at++ - '0');
    while (*at == ' ') at++;
    return v;
}
static long term(void)
{
    long v = primary();
    for (;;)
        switch (*at) {
        case '*': at++; v *= primary(); break;
        case '/': at++; v /= primary(); break;
        case '%': at++; v %= primary(); break;
        default: return v;
        }
}
static long expression(void)
{
    long v = term();
    while (*at == '+' || *at == '-') v = *at++ == '+' ? v + term() : v - term();
    return v;
}
static long calculate(const char *s) { at = s; return expression(); }
int main(void)
{
    if (calculate("1 + 2 * 3") != 7) return 1;
    if (calculate("-(4 - 10) / 4 % 3") != 1) return 2;
    if (calculate("100 / 7 / 2 - -3") != 10) return 3;
    return 0;
}
