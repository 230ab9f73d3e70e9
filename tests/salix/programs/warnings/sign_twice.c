// warns: signed or unsigned stands twice here
int main(void) { unsigned char unsigned x = 255; return x == 255; }
