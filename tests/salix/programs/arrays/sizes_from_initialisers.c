// returns 0: an initialiser gives an array its size
int a[] = {1, 2, 3};
char s[] = "hello", t[] = {"hi"}, u[] = {'a', 'b'};
int d[] = {[5] = 1, 2, [2] = 3};
int m[][2] = {{1, 2}, {3}, {4, 5}};
int flat[][3] = {1, 2, 3, 4};
int main(void)
{
    if (sizeof a != 12 || sizeof s != 6 || sizeof t != 3 || sizeof u != 2) return 1;
    if (sizeof d != 28 || d[6] != 2 || d[2] != 3) return 2;
    if (sizeof m != 24 || m[1][1] != 0 || sizeof flat != 24 || flat[1][0] != 4 || flat[1][2]) return 3;
    return 0;
}
