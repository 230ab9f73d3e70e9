// refused: what is initialised is `vector of 4 int`, but this is `int`
typedef int v4 __attribute__((vector_size(16)));
int main(void)
{
    v4 v = 5;
    return v[0];
}
