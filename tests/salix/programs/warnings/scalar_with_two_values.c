// warns: more values than there is room for
int x = {1, 2, {3, 4}};
int main(void) { return x; }
