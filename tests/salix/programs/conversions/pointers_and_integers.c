// returns 0: a pointer survives the way through an integer of its size
int main(void)
{
    int object = 17;
    unsigned long address = (unsigned long)&object;
    if (*(int *)address != 17) return 1;
    if (address % _Alignof(int)) return 2;
    if ((char *)&object + 4 != (char *)(address + 4)) return 3;
    if ((void *)0 != 0) return 4;
    long long zero = (long long)(int *)0;
    if (zero) return 5;
    if (sizeof(void *) != 8) return 6;
    return 0;
}
