// refused: ##
#define JOIN(a, b) a ## b
int main(void) { return JOIN(+, 3 /); }
