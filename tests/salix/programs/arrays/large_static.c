// returns 0: a static array of a hundred kilobytes starts as zeros
static unsigned words[25000];
int main(void)
{
    for (int i = 0; i < 25000; i += 999)
        if (words[i]) return 1;
    for (int i = 0; i < 25000; i++) words[i] = i ^ 0x5a5a;
    unsigned long sum = 0;
    for (int i = 0; i < 25000; i++) sum += words[i] ^ 0x5a5a;
    return sum == 312487500 && words[24999] == (24999 ^ 0x5a5a) ? 0 : 2;
}
