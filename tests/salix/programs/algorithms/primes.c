// returns 0: a sieve of primes
static char composite[1000];
int main(void)
{
    int count = 0, last = 0;
    for (int i = 2; i < 1000; i++) {
        if (composite[i]) continue;
        count++;
        last = i;
        for (int j = i * i; j < 1000; j += i) composite[j] = 1;
    }
    return count == 168 && last == 997 ? 0 : 1;
}
