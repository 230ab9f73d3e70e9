int main(void) { auto x = 3; int y = x = = 2; else { } return 0; }
