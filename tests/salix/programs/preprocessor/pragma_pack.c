// returns 0: #pragma pack bounds the alignment of members, until it is popped or set anew
struct plain { char c; int i; };
#pragma pack(push, 1)
struct one { char c; int i; long l; short s; };
struct bits { char c; int x : 20; int y : 31; };
#pragma pack(2)
struct two { char c; int i; long l; };
#pragma pack()
struct as_usual { char c; int i; };
#pragma pack(pop)
struct again { char c; long l; };
#pragma pack(push)
#pragma pack(4)
struct four { char c; long l; char d; };
#pragma pack(pop)
#pragma GCC diagnostic ignored "-Wall"
_Static_assert(sizeof(struct plain) == 8, "");
_Static_assert(sizeof(struct one) == 15 && _Alignof(struct one) == 1, "");
_Static_assert(sizeof(struct bits) == 8, "");
_Static_assert(sizeof(struct two) == 14 && _Alignof(struct two) == 2, "");
_Static_assert(sizeof(struct as_usual) == 8, "");
_Static_assert(sizeof(struct again) == 16, "");
_Static_assert(sizeof(struct four) == 16 && _Alignof(struct four) == 4, "");

int main(void)
{
    struct bits b = {1, -2, -3};
    struct one o = {1, 2, 3, 4};
    b.x += 5;
    return b.c == 1 && b.x == 3 && b.y == -3 && o.i + o.l + o.s == 9 ? 0 : 1;
}
