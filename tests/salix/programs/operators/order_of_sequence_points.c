// returns 0: side effects are complete at &&, ||, ?:, comma and calls
static int trace;
static int mark(int digit) { trace = trace * 10 + digit; return digit; }
int main(void)
{
    int i = 0;
    if (i++ == 0 && i == 1) trace = 0; else return 1;
    mark(1), mark(2), mark(3);
    if (trace != 123) return 2;
    trace = 0;
    mark(1) && mark(2) && mark(3);
    mark(0) || mark(4);
    if (trace != 12304) return 3;
    trace = 0;
    (mark(1) ? mark(2) : mark(3)), mark(5);
    if (trace != 125) return 4;
    return 0;
}
