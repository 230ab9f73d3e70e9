// returns 0: adjacent strings become one, whatever stands between them
#define WORD "two"
int main(void)
{
    const char *s = "one" "-" WORD
        "-"  /* a comment */
        // another
        "three";
    const char *expected = "one-two-three";
    int i;
    for (i = 0; expected[i]; i++)
        if (s[i] != expected[i]) return 1;
    if (s[i]) return 2;
    if (sizeof("ab" "cd" "" "e") != 6) return 3;
    return 0;
}
