int main(void) { int *p = NULL; size_t n = sizeof(p); uint32_t k; return 0; }
