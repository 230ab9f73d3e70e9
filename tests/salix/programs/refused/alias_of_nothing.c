// refused: the alias `f` is another name of something that is not defined
int f(void) __attribute__((alias("nowhere")));
int main(void) { return f(); }
