// refused: what is assigned to is `vector of 4 int`, but this is `vector of 4 unsigned int`
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned u4 __attribute__((vector_size(16)));
int main(void)
{
    v4 v;
    v = (u4){1};
    return v[0];
}
