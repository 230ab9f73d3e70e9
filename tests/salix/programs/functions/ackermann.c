// returns 0: a function of deep recursion, on an explicit stack
static unsigned ackermann(unsigned m, unsigned n)
{
    unsigned stack[200], depth = 0;
    stack[depth++] = m;
    while (depth) {
        m = stack[--depth];
        if (m == 0) n++;
        else if (n == 0) { stack[depth++] = m - 1; n = 1; }
        else { stack[depth++] = m - 1; stack[depth++] = m; n--; }
    }
    return n;
}
int main(void)
{
    return ackermann(2, 3) == 9 && ackermann(3, 3) == 61 ? 0 : 1;
}
