// returns 0: a character constant of several characters has the value that other compilers give it
int main(void)
{
    if ('ab' != 0x6162) return 1;
    if ('abcd' != 0x61626364) return 2;
    if ('\0a' != 'a') return 3;
    return 0;
}
