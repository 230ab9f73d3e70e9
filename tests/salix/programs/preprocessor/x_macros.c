// returns 0: one list, expanded several times
#define COLORS(X) X(red, 1) X(green, 2) X(blue, 4)
#define ENUM(name, value) name = value,
#define NAME(name, value) #name,
#define SUM(name, value) + value
#define CASE(name, value) case value: return sizeof #name - 1;
enum { COLORS(ENUM) };
static const char *names[] = { COLORS(NAME) };
static int length(int c) { switch (c) { COLORS(CASE) } return 0; }
int main(void)
{
    if ((0 COLORS(SUM)) != 7 || blue != 4 || names[1][4] != 'n' || sizeof names != 24) return 1;
    return length(green) == 5 && length(3) == 0 ? 0 : 2;
}
