// returns 0: escapes at ends, zeros inside, and adjacent strings with escapes
int main(void)
{
    const char a[] = "\0", b[] = "\x0" "1", c[] = "\\", d[] = "a\
\n", e[] = "\"'\'";
    if (sizeof a != 2 || sizeof b != 3 || b[0] || b[1] != '1' || sizeof c != 2) return 1;
    if (sizeof d != 3 || d[1] != '\n' || sizeof e != 4 || e[0] != 34 || e[2] != 39) return 2;
    if ("\1\12\123"[2] != 83 || "\x7f\xFF"[1] != -1) return 3;
    return 0;
}
