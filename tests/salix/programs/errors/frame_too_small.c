// refused: bytes, but a frame has 4096
struct wide { long values[90]; };
struct wide f(int n);
long sum(struct wide, struct wide, struct wide, struct wide, struct wide, struct wide);
long g(void) { return sum(f(1), f(2), f(3), f(4), f(5), f(6)); }
