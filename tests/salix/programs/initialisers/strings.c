// returns 0: arrays of characters from strings, cut and filled
char exact[5] = "hello", filled[8] = "ab", braces[] = {"x"}, empty[3] = "";
struct s { char name[4]; int n; } list[] = {{"one", 1}, {"four", 4}, "six", 6};
char rows[][6] = {"red", "green", {'b', 'l'}};
int main(void)
{
    if (exact[4] != 'o' || sizeof exact != 5 || filled[2] || filled[7] || sizeof braces != 2 || empty[0]) return 1;
    if (list[1].name[3] != 'r' || list[1].n != 4 || list[2].name[3] || list[2].n != 6) return 2;
    if (sizeof rows != 18 || rows[1][4] != 'n' || rows[2][1] != 'l' || rows[2][2]) return 3;
    char local[10] = "wxyz";
    for (int i = 4; i < 10; i++) if (local[i]) return 4;
    unsigned char u[] = "\xff";
    if (u[0] != 255) return 5;
    return 0;
}
