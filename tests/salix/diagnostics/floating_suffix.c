int main(void) { "abc" + 1.5f; unsigned u = -1; return u < 0; }
