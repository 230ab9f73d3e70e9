// returns 0: keywords may be macros, and macros may be keywords
#define int long
#define begin {
#define end }
#define is ==
#define unless(x) if (!(x))
static int wide = sizeof(int);
#undef int
int main(void)
begin
    int x = 4;
    unless (sizeof x is 4) begin return 1; end
    return wide is 8 ? 0 : 2;
end
