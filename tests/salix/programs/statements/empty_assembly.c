// returns 0: asm with an empty text, at file level, too
asm("");
__asm__("");

int main(void)
{
    int x = 3;
    asm("" : "+r"(x));
    __asm volatile("" ::: "memory");
    return x - 3;
}
