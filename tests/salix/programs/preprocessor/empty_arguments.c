// returns 0: arguments that are empty, in each place
#define THREE(a, b, c) {0 a, 1 b, 2 c}
#define JOIN3(a, b, c) a##b##c
#define STR(x) #x
#define NONE()
#define ONE(x) x
static int list[] = THREE(,,);
static int more[] = THREE(+1,,+3);
int main(void)
{
    int ab = 5, abc = 6, c = 7;
    NONE() ONE()
    if (JOIN3(a, b,) != 5 || JOIN3(a, b, c) != 6 || JOIN3(,, c) != 7) return 1;
    if (sizeof(STR()) != 1 || list[2] != 2 || more[0] != 1 || more[1] != 1 || more[2] != 5) return 2;
    return ONE() 0;
}
