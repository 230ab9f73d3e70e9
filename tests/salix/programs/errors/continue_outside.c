// refused: continue
int main(void) { switch (0) { case 0: continue; } return 0; }
