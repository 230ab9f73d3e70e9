// returns 0: outside functions, compound literals live as long as the program
struct s { int n; const int *list; };
static int *p = (int[]){1, 2, 3};
static struct s s = {3, (const int[]){4, 5, 6}}, *q = &(struct s){1, (int[]){7}};
int main(void)
{
    p[0] = 10;
    return p[0] + p[2] + s.list[2] + q->list[0] == 26 ? 0 : 1;
}
