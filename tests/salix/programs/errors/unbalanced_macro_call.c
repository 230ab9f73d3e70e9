// refused: F
#define F(x) x
int main(void) { return F(1; }
