// returns 0: functions held in structs, called with the struct
struct shape { int (*area)(const struct shape *); int a, b; };
static int rectangle(const struct shape *s) { return s->a * s->b; }
static int triangle(const struct shape *s) { return s->a * s->b / 2; }
int main(void)
{
    struct shape shapes[] = {{rectangle, 3, 4}, {triangle, 6, 5}};
    int sum = 0;
    for (int i = 0; i < 2; i++) sum += shapes[i].area(&shapes[i]);
    struct shape *p = shapes;
    sum += (*p->area)(p);
    p->area = triangle;
    sum += p->area(p);
    return sum == 45 ? 0 : sum;
}
