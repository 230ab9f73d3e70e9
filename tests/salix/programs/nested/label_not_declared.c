// refused: are seen here if its block declares them: __label__ name;
int main(void)
{
    void f(void) { goto end; }
    f();
end:
    return 0;
}
