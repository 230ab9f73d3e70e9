// refused: are seen in here if a block declares them: __label__ name;
int main(void)
{
    void f(void) { goto end; }
    f();
end:
    return 0;
}
