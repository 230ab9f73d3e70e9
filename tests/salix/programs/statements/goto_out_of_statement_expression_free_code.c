// returns 0: a cleanup at the end of a function, reached from several places
static int used, freed;
static int work(int fail)
{
    int result = -1;
    used++;
    if (fail == 1) goto out;
    used++;
    if (fail == 2) goto out_second;
    result = 0;
out_second:
    freed++;
out:
    freed++;
    return result;
}
int main(void)
{
    if (work(0) != 0 || work(1) != -1 || work(2) != -1) return 1;
    return used == 5 && freed == 5 ? 0 : 2;
}
