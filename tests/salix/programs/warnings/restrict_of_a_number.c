// warns: restrict says something of pointers only
static int half(int restrict x) { return x / 2; }
int main(void) { return half(4); }
