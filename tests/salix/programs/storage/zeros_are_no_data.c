// returns 0: objects that are initialised with zeros take no room in the program's file
static char big[200000] = {0};
static char text[100000] = "";
static struct { int a; char b[70000]; int *p; } record = {0, {0}, 0};
static int one[20] = {0, 0, 0, 1};
struct pair { int x, y; };
static struct pair copied = (struct pair){0, 0};

int main(void)
{
    static long inner[10000] = {[9999] = 0};
    big[199999] = 1;
    if (big[5] || text[7] || record.a || record.b[69999] || record.p || inner[9999] || copied.y) return 1;
    return one[3] + big[199999] - 2;
}
