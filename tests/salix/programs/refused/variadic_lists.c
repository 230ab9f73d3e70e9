// refused: hint: give the function a fixed number of parameters, or an array and its length
static int sum(int count, va_list arguments) { return count; }
int main(void) { return 0; }
