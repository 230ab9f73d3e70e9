int x = 3;
x = 4;
int main() { return x; }
