struct s { int a; };
int main(void) { struct s *p = 0; return p.a; }
