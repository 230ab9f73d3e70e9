// returns 2: bytes that are no UTF-8 may stand in comments and texts
int main(void) { /* éÿþ */ return sizeof "ü" + (unsigned char)"ü"[0] - 252; }
