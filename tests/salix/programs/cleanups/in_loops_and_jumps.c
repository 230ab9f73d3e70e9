// returns 0: the cleanup function of a variable is called wherever its scope is left, the innermost variable's first
static char log[64];
static int used;

static void note(char *letter)
{
    log[used++] = *letter;
}

static int said(const char *expected)
{
    int i;
    for (i = 0; expected[i]; i++)
        if (log[i] != expected[i]) return 0;
    i = i == used;
    used = 0;
    return i;
}

#define WATCHED(name, letter) char name __attribute__((cleanup(note))) = letter

static int returns(int early)
{
    WATCHED(a, 'a');
    int value = 5;
    {
        WATCHED(b, 'b');
        if (early) return value++ + b - 'b';
        a = 'A';
    }
    return value + (a == 'A');
}

static void ends(void)
{
    WATCHED(x, 'x'), other = 'n', *const pointer __attribute__((unused)) = &other;
    WATCHED(y, 'y');
    (void)(x + y);
}

static void call_ends(int twice)
{
    WATCHED(c, 'c');
    (void)c;
    if (twice) return ends();
    ends();
}

static void loops(void)
{
    int i;
    for (i = 0; i < 4; i++) {
        WATCHED(l, (char)('0' + i));
        (void)l;
        if (i == 1) continue;
        while (1) {
            WATCHED(w, 'w');
            (void)w;
            break;
        }
        switch (i) {
            WATCHED(s, 's');
        case 2: s = 'S'; break;
        default: s = 'd';
        }
        if (i == 2) break;
    }
    for (char f __attribute__((cleanup(note))) = 'f'; f != 'h'; f++) {
        if (f == 'g') break;
    }
}

static void jumps(int n)
{
    WATCHED(outer, 'o');
    (void)outer;
again: {
    WATCHED(inner, 'i');
    WATCHED(more, 'm');
    (void)(inner + more);
    if (n-- > 0) goto again;
    {
        WATCHED(deep, 'd');
        (void)deep;
        if (n < -5) goto inside;
        goto out;
    inside:;
    }
}
out:;
}

int main(void)
{
    int value;
    if (returns(1) != 5 || !said("ba")) return 1;
    if (returns(0) != 6 || !said("bA")) return 2;
    call_ends(0);
    if (!said("yxc")) return 3;
    call_ends(1);
    if (!said("yxc")) return 4;
    loops();
    if (!said("wd01wS2g")) return 5;
    jumps(1);
    if (!said("mi" "dmi" "o")) return 6;
    value = ({ WATCHED(v, 'v'); v + 1; });
    return value == 'w' && said("v") ? 0 : 7;
}
