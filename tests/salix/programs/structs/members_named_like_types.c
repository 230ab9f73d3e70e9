// returns 0: members and tags named like typedefs, variables, macros' parameters and labels
typedef int size;
struct size { size size; struct { size x; } y; };
#define GET(size) (size).size
int main(void)
{
    struct size size = {3, {4}};
    size.size++;
x:  ;
    int x = size.y.x;
    if (x == 0) goto x;
    return size.size == 4 && x == 4 && sizeof size == 8 ? 0 : 1;
}
