// refused: setjmp
typedef long jmp_buf[8];
int setjmp(jmp_buf);
int main(void) { jmp_buf b; return setjmp(b); }
