// refused: this is constant and cannot be changed
typedef int v4 __attribute__((vector_size(16)));
int main(void)
{
    const v4 v = {1};
    v[1] = 2;
    return v[1];
}
