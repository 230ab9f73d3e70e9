// returns 0: a static struct with a flexible array that is initialised, as other compilers have it
struct list { int n; short v[]; };
static struct list list = {3, {10, 20, 30}};
static struct { char tag; int v[]; } other = {'x', {1, 2}};
int main(void)
{
    int sum = 0;
    for (int i = 0; i < list.n; i++) sum += list.v[i];
    return sum == 60 && other.v[1] == 2 && sizeof(struct list) == 4 ? 0 : 1;
}
