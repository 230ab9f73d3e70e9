// refused: assembly
__asm__(".globl nothing");
int main(void) { return 0; }
