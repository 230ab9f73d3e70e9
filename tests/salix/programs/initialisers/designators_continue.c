// returns 0: after a designator, initialising goes on from there
struct p { int x, y; };
static struct p list[] = {[1].y = 4, 5, 6, [0] = {1, 2}};
static int m[3][3] = {[1][1] = 5, 6, 7, [0] = {1}, 2};
int main(void)
{
    if (list[0].x != 1 || list[0].y != 2 || list[1].x || list[1].y != 4) return 1;
    if (list[2].x != 5 || list[2].y != 6 || sizeof list != 24) return 2;
    if (m[1][2] != 6 && m[0][0] != 1) return 3;
    if (m[0][0] != 1 || m[2][0] != 7) return 4;
    return 0;
}
