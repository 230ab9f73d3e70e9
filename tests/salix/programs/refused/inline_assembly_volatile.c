// refused: assembly
int main(void) { int x = 0; asm volatile("" : "+r"(x)); return x; }
