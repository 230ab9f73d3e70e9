// refused: _Thread_local
static _Thread_local int x;
int main(void) { return x; }
