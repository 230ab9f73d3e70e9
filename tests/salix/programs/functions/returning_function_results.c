// returns 0: chains of functions that return pointers, structs and functions
struct s { int x; struct s *(*next)(struct s *); };
static struct s *step(struct s *s) { s->x++; return s; }
static struct s make(int x) { struct s s = {x, step}; return s; }
static int (*getter(void))(struct s *);
static int get(struct s *s) { return s->x; }
static int (*getter(void))(struct s *) { return get; }
int main(void)
{
    struct s s = make(4);
    if (s.next(s.next(&s))->x != 6) return 1;
    if (getter()(step(step(&s))) != 8) return 2;
    return (*getter())(&s) - 8;
}
