// refused: the reason is given
_Static_assert(sizeof(int) == 8, "the reason is given");
int main(void) { return 0; }
