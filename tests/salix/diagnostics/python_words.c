int main(void) { char *s = 'abc'; string t; bool b = true; return 0; }
