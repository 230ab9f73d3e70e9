int main(void) { for (int i = 0; i < 3; i++ { } return 0; }
