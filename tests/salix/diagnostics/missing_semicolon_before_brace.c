int main(void) {
    int x = 5;
    return x
}
