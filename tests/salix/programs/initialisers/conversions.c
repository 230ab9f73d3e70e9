// returns 0: initial values are converted to the type of the object
static unsigned char uc = 300;
static signed char sc = 200;
static short s = 70000;
static _Bool b = 256;
static unsigned u = -1;
static long l = -1, m = 4294967295u;
static unsigned long w = -1;
static int list[] = {'a', 1 == 1, 3000000000u - 3000000000u, (char)257};
int main(void)
{
    if (uc != 44 || sc != -56 || s != 4464 || b != 1 || u != 4294967295u || l != -1 || m != 4294967295) return 1;
    if (w + 1 != 0 || list[0] != 97 || list[1] != 1 || list[2] || list[3] != 1) return 2;
    return 0;
}
