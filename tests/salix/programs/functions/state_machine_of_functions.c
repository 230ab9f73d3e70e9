// returns 0: a machine whose states are functions that return the next one
struct machine;
typedef void state(struct machine *, int);
struct machine { state *current; int words, letters; };
static state in_word, between;
static void in_word(struct machine *m, int c) { if (c == ' ') m->current = between; else m->letters++; }
static void between(struct machine *m, int c) { if (c != ' ') { m->words++; m->letters++; m->current = in_word; } }
int main(void)
{
    struct machine m = {between, 0, 0};
    for (const char *p = "  the quick  fox "; *p; p++) m.current(&m, *p);
    return m.words == 3 && m.letters == 11 ? 0 : 1;
}
