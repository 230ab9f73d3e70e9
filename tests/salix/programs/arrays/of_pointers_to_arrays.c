// returns 0: arrays of pointers to arrays, and strings of different lengths
static const char *const days[] = {"monday", "tuesday", "wednesday"};
static int a[2] = {1, 2}, b[2] = {3, 4};
static int (*both[])[2] = {&a, &b};
int main(void)
{
    if (days[1][0] != 't' || *(*(days + 2) + 8) != 'y' || sizeof days / sizeof *days != 3) return 1;
    if ((*both[1])[0] != 3 || (*both[0])[1] != 2) return 2;
    (*both[1])[1] = 9;
    if (b[1] != 9) return 3;
    return 0;
}
