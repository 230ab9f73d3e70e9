// returns 0: cleanups run for whatever leaves a block: return, break, continue, goto forwards and backwards
static unsigned long trace;
static int live;
static void done(int *value)
{
    trace = trace * 10 + (unsigned long)*value;
    live--;
}
#define D __attribute__((cleanup(done)))

static int returned(int n)
{
    D int a = 1;
    int value = 7 + (int)trace;
    live++;
    if (n == 0) return value;
    {
        D int b = 2;
        live++;
        if (n == 1) return (int)trace + value; /* as it is before the cleanups */
        while (n) {
            D int c = 3;
            live++;
            if (n == 2) return (int)++trace;
            n--;
        }
    }
    return value + (int)trace;
}

static void loops(void)
{
    for (int i = 0; i < 4; i++) {
        D int a = 4;
        live++;
        if (i == 1) continue;
        switch (i) {
        case 2: {
            D int b = 5;
            live++;
            break;
        }
        case 3: goto out;
        }
    }
out:
    for (D int i = 6; i < 8; i++) {
        live += i == 6;
        if (i == 7) break;
    }
    do {
        D int a = 8;
        live++;
    } while (0);
}

static void jumps(int n)
{
again:;
    D int a = 1;
    live++;
    if (n == 3) goto end;
    {
        D int b = 2;
        live++;
        if (n++ == 1) goto again;
        {
            D int c = 3;
            live++;
            if (n == 3) goto inside;
            goto again;
        }
    inside:;
    }
end:;
}

/* Whether a call gave this, and the cleanups came in this order. */
static int is(int result, int wanted, unsigned long order)
{
    int right = result == wanted && trace == order;
    trace = 0;
    return right;
}

int main(void)
{
    if (!is(returned(0), 7, 1)) return 1;
    if (!is(returned(1), 7, 21)) return 2;
    if (!is(returned(2), 1, 1321)) return 3;
    if (!is(returned(4), 34, 34321)) return 4;
    loops();
    if (!is(0, 0, 4454478)) return 5;
    jumps(1);
    if (!is(0, 0, 21321)) return 6;
    return live == 0 ? 0 : 7;
}
