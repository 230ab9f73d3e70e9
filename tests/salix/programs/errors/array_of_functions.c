// refused: function
int f[3](void);
int main(void) { return 0; }
