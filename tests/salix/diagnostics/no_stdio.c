#include <stdio.h>
int main(void) { printf("%d", 3); }
