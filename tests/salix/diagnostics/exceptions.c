int main(void) { try { } catch (int e) { } }
