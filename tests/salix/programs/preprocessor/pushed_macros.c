// returns 7: push_macro keeps what a macro means, pop_macro brings it back, nested and undefined ones too
#define SIZE 1
#pragma push_macro("SIZE")
#undef SIZE
#define SIZE 2
#pragma push_macro("SIZE")
#define TWICE(x) ((x) + (x))
#pragma push_macro("TWICE")
#undef TWICE
#pragma push_macro("NEVER")
#define NEVER 100
enum { INNER = SIZE };
#pragma pop_macro("NEVER")
#pragma pop_macro("TWICE")
#undef SIZE
#pragma pop_macro("SIZE")
enum { MIDDLE = SIZE };
#pragma pop_macro("SIZE")
#ifdef NEVER
#error it was not defined
#endif
int main(void) { return TWICE(INNER) + MIDDLE + SIZE; }
