// returns 0: a bit-field that asks for an alignment starts anew; #pragma pack bounds that, too, but not `: 0`
#define WIDE __attribute__((aligned(16)))
struct apart { unsigned x : 5; unsigned y : 3; WIDE short b : 5; int q : 3; };
#pragma pack(push, 4)
struct nearer { unsigned x : 5; unsigned y : 3; WIDE short b : 5; int q : 3; };
#pragma pack(1)
struct near { unsigned x : 5; unsigned y : 3; WIDE short b : 5; int q : 3; };
struct anew { unsigned x : 5; unsigned : 0; unsigned y : 3; };
#pragma pack(pop)
_Static_assert(sizeof(struct apart) == 32 && _Alignof(struct apart) == 16, "");
_Static_assert(sizeof(struct nearer) == 8 && _Alignof(struct nearer) == 4, "");
_Static_assert(sizeof(struct near) == 2 && sizeof(struct anew) == 5, "");

int main(void)
{
    struct apart a = {1, 2, -1, 0};
    struct nearer b = {1, 2, -1, 0};
    struct near c = {1, 2, -1, 0};
    struct anew d = {1, 7};
    if (((unsigned char *)&a)[0] != 0x41 || ((unsigned char *)&a)[16] != 0x1f) return 1;
    if (((unsigned char *)&b)[4] != 0x1f || ((unsigned char *)&c)[1] != 0x1f || ((unsigned char *)&d)[4] != 7) return 2;
    return a.b == -1 && b.b == -1 && c.b == -1 && d.y == 7 ? 0 : 3;
}
