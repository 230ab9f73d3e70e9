// returns 0: _Pragma does what #pragma does, also out of macros and with escapes
#define TIGHT _Pragma("pack(push, 1)")
#define LOOSE _Pragma("pack(pop)")
#define KEEP(name) _Pragma(#name)
TIGHT struct tight { char a; int b; }; LOOSE
struct loose { char a; int b; };
#define LEVEL 1
_Pragma("push_macro(\"LEVEL\")")
#undef LEVEL
#define LEVEL 2
static int inner = LEVEL;
_Pragma("pop_macro(\"LEVEL\")")
KEEP(pack(2)) struct even { char a; int b; }; KEEP(pack())
int main(void)
{
    _Pragma("unknown words") if (sizeof(struct tight) != 5 || sizeof(struct loose) != 8) return 1;
    return inner != 2 || LEVEL != 1 || sizeof(struct even) != 6;
}
