// warns: this declares no member: a name is missing
struct s { int; char c; };
int main(void) { return sizeof(struct s); }
