// refused: is declared, but defined nowhere
int main(void)
{
    auto int f(void);
    return f();
}
