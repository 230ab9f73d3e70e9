// warns: 4096
int main(void) { volatile char first[3000], second[3000]; first[0] = second[0] = 0; return first[0]; }
