// refused: missing_member
struct s { int a; };
int main(void) { struct s s = {1}; return s.missing_member; }
