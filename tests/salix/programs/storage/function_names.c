// returns 0: __func__ names the function
static int starts(const char *a, const char *b) { while (*b) if (*a++ != *b++) return 0; return !*a; }
static int work(void) { return starts(__func__, "work") && sizeof __func__ == 5; }
int main(void)
{
    if (!work()) return 1;
    return starts(__func__, "main") ? 0 : 2;
}
