// returns 0: members of anonymous structs and unions belong to what contains them
struct s {
    int kind;
    union {
        int number;
        struct { short low, high; };
        char bytes[4];
    };
    struct { int tail; };
};
int main(void)
{
    struct s a = {1, {0x00020003}, {7}};
    if (a.low != 3 || a.high != 2 || a.bytes[2] != 2 || a.tail != 7) return 1;
    a.high = 5;
    if (a.number != 0x00050003) return 2;
    struct s b = {.number = 9, .kind = 2, .tail = 1};
    if (b.low != 9 || b.kind != 2 || b.tail != 1) return 3;
    if (sizeof a != 12 || __builtin_offsetof(struct s, high) != 6) return 4;
    return 0;
}
