// refused: missing
static int missing(void);
int main(void) { return missing(); }
