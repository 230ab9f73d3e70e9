int main(void) { switch (1) { case 1: return 1; case 1: return 2; } }
int main(void) { return 0; }
