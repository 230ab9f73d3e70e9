// refused: cleanup takes the name of a function that is declared before
int main(void)
{
    int x __attribute__((cleanup(gone))) = 1;
    return x;
}
