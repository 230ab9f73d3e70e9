// returns 41: the attribute stands before and behind types and names, and is about the elements
#define VECTOR(count, type) __attribute__((vector_size((count) * sizeof(type)))) type
typedef int __attribute__((mode(HI))) __attribute__((__vector_size__(8))) halves;
typedef const int fixed __attribute__((vector_size(8), __may_alias__));
struct s {
    int v __attribute__((vector_size(16)));
    VECTOR(2, long) w, *pointer;
    short plain;
};
static int count(int v __attribute__((vector_size(8))), VECTOR(4, char) c) { return v[1] + c[3]; }
static unsigned char single __attribute__((vector_size(1))) = {9};
static int many[3] __attribute__((vector_size(8))), *to __attribute__((vector_size(8))) = &many[1];

int main(void)
{
    VECTOR(4, short) a = {1, 2, 3, 4}, b = a + a;
    int v __attribute__((vector_size(16))) = {1}, plain = 3;
    fixed f = {1, 2};
    struct s s = {{1, 2, 3, 4}, {5, 6}, &s.w, 7};
    (*to)[1] = 8;
    if (sizeof(halves) != 8 || sizeof(struct s) != 48 || sizeof many != 24 || sizeof plain != 4) return 1;
    if (b[3] != 8 || v[0] != 1 || (*s.pointer)[1] != 6 || many[1][1] != 8 || f[1] != 2) return 2;
    return count((int __attribute__((vector_size(8)))){1, 20}, (VECTOR(4, char)){1, 2, 3, 12}) + single[0];
}
