// returns 0: labels as values, as other compilers have them
int main(void)
{
    static const void *const table[] = {&&one, &&two, &&end};
    int n = 0, i = 0;
    goto *table[i];
one: n += 1; goto *table[++i];
two: n += 10; goto *table[++i];
end: return n == 11 ? 0 : 1;
}
