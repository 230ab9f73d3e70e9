// refused: the longest integers have 64 bits; keep two of them
typedef unsigned __int128 u128;
int main(void) { u128 x = 3; return (int)x; }
