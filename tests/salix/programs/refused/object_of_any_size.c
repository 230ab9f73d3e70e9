// refused: `too_big` is too big: all static objects share 64 MiB
static char too_big[1L << 40];
int main(void) { return too_big[3]; }
