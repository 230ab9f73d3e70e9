// refused: _Atomic
static _Atomic int x;
int main(void) { return x; }
