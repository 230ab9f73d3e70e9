// returns 0: names with \u escapes are the names with the characters
#define \u00fcber 4
#define JOIN(a, b) a##b
#define TEXT(x) #x
static int caf\u00e9 = 3;
static int \u00C4\U000000DFz = 5;
struct pair { int l\u00efnks, 右; };

int main(void)
{
    struct pair pair = {.lïnks = 1, .\u53f3 = 2};
    int JOIN(na, ïve) = 6;
    if (café != 3 || Äßz != 5 || über != 4) return 1;
    if (pair.l\u00EFnks + pair.右 != 3 || JOIN(na\u00ef, ve) != 6) return 2;
    return sizeof TEXT(\u00e9) == 3 && sizeof TEXT(é) == 3 ? 0 : 3;
}
