// refused: string
int main(void) { const char *s = "abc; return *s; }
