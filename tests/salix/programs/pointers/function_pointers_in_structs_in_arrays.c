// returns 0: handlers in a table of structs, chosen by a key, with a context
struct handler { const char *name; int (*run)(void *, int); void *context; };
struct counter { int n; };
static int count(void *c, int by) { return ((struct counter *)c)->n += by; }
static int negate(void *c, int x) { return c ? 0 : -x; }
static struct counter shared = {10};
static const struct handler handlers[] = {{"count", count, &shared}, {"negate", negate, 0}, {0}};
static int run(const char *name, int x)
{
    for (const struct handler *h = handlers; h->name; h++) {
        const char *a = h->name, *b = name;
        while (*a && *a == *b) a++, b++;
        if (*a == *b) return h->run(h->context, x);
    }
    return -1000;
}
int main(void)
{
    return run("count", 5) == 15 && run("negate", 4) == -4 && run("none", 1) == -1000 && shared.n == 15 ? 0 : 1;
}
