// returns 0: a program that defines one of the functions that the library keeps together gets its own, and the others
int rand(void);
void srand(unsigned seed);
char *strtok(char *text, const char *separators);

int main(void)
{
    char text[] = "a b";
    srand(3);
    if (rand() != 42) return 1;
    if (*strtok(text, " ") != 'a' || *strtok(0, " ") != 'b') return 2;
    return 0;
}

int rand(void)
{
    return 42;
}
