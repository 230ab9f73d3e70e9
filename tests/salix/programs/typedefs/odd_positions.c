// returns 0: the specifiers of a declaration come in any order
int typedef myint;
long static unsigned int counter = 5;
const short volatile int s = 6;
unsigned typedef u8[8];
int long long unsigned x = ~0ull;
char signed c = -1;
struct { int a; } static const lonely = {9};
int main(void)
{
    myint i = 1;
    u8 v = {1};
    if (i != 1 || counter != 5 || s != 6 || sizeof v != 32 || sizeof x != 8 || x + 1 != 0 || c != -1) return 1;
    return lonely.a - 9;
}
