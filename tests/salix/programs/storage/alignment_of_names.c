// returns 0: __alignof__ of a variable, a member or a function knows what it asks for beyond its type
void aligned_function(void) __attribute__((aligned(64)));
void aligned_function(void) {}
static _Alignas(32) char letter;
struct record {
    char first;
    __attribute__((aligned(16))) char second;
    int third;
};

int main(void)
{
    struct record r = {0};
    _Alignas(long) char local = 1;
    if (__alignof__(aligned_function) != 64) return 1;
    if (__alignof__(letter) != 32 || ((unsigned long)&letter & 31)) return 2;
    if (__alignof__(r.second) != 16 || __alignof__(r.third) != 4) return 3;
    return __alignof__(local) == 8 && __alignof__(char) == 1 ? 0 : 4;
}
