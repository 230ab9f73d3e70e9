// returns 0: an array inside a returned struct is used at once
struct text { char c[12]; int n; };
static struct text hello(int n) { struct text t = {"hello", n}; t.c[0] += n; return t; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += hello(i).c[i] * (i + 1);
    return sum == 'h' + 2 * 'e' + 3 * 'l' + 4 * 'l' + 5 * 'o' && sizeof hello(1).c == 12 ? 0 : 1;
}
