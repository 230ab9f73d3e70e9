// returns 0: there is one thread, so what is _Thread_local is static
extern _Thread_local int shared;
_Thread_local int shared = 5;
static __thread int own;
_Thread_local static struct { int a[2]; } both = {{3, 4}};

static int next(void)
{
    static _Thread_local int count = 10;
    extern __thread int late;
    return ++count + late;
}

__thread int late = 100;

int main(void)
{
    int *where = &own;
    *where += shared++;
    if (own != 5 || shared != 6 || both.a[1] != 4) return 1;
    return next() == 111 && next() == 112 ? 0 : 2;
}
