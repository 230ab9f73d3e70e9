// returns 0: main returns 0 if it ends without a return
static int ran;
int main(void)
{
    ran = 1;
    if (ran > 1) return 1;
}
