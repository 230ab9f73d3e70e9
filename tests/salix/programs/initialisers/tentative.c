// returns 0: tentative definitions come together with the one that initialises
int x;
int x;
int x = 5;
extern int x;
static int y;
static int y = 6;
int list[];
int *p = &x;
int list[3];
int z;
int main(void)
{
    return x == 5 && y == 6 && *p == 5 && list[2] == 0 && z == 0 && sizeof list == 12 ? 0 : 1;
}
