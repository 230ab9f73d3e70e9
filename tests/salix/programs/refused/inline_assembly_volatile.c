// refused: inline assembly
int main(void) { __asm__ volatile ("nop" : : : "memory"); return 0; }
