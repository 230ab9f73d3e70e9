// returns 0: every spelling of every integer type
#define SIZE(t, n) if (sizeof(t) != n) return __LINE__
int main(void)
{
    SIZE(char, 1); SIZE(signed char, 1); SIZE(unsigned char, 1);
    SIZE(short, 2); SIZE(short int, 2); SIZE(signed short, 2); SIZE(signed short int, 2);
    SIZE(unsigned short, 2); SIZE(unsigned short int, 2);
    SIZE(int, 4); SIZE(signed, 4); SIZE(signed int, 4); SIZE(unsigned, 4); SIZE(unsigned int, 4);
    SIZE(long, 8); SIZE(long int, 8); SIZE(signed long, 8); SIZE(signed long int, 8);
    SIZE(unsigned long, 8); SIZE(unsigned long int, 8); SIZE(int unsigned long, 8);
    SIZE(long long, 8); SIZE(long long int, 8); SIZE(signed long long int, 8); SIZE(unsigned long long, 8);
    SIZE(long unsigned int long, 8); SIZE(_Bool, 1); SIZE(void *, 8);
    return 0;
}
