// returns 0: extern declarations before, after and inside
extern int later;
extern int array[];
int use(void);
int main(void)
{
    extern int later, hidden;
    extern int helper(int);
    if (later != 5 || hidden != 6 || array[1] != 2 || use() != 5 || helper(1) != 2) return 1;
    return 0;
}
int later = 5, hidden = 6;
int array[] = {1, 2};
int use(void) { return later; }
int helper(int x) { return x + 1; }
