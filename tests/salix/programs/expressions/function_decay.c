// returns 0: functions become pointers everywhere but in &
static int f(void) { return 3; }
int main(void)
{
    int (*p)(void) = f, (*q)(void) = &f, (*r)(void) = *f, (*s)(void) = ***&f;
    if (p != q || q != r || r != s || f != p || &f != p || *f != p || !f) return 1;
    return (*f)() + (&f)() + (**p)() + (1 ? f : 0)() - 12;
}
