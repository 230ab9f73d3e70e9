// returns 0: strchr, strstr, strspn and their like
#define _GNU_SOURCE
#include <string.h>

int main(void)
{
    const char *t = "abracadabra";
    char words[] = ",one,,two;three;", *rest, *word;
    int count = 0;
    if (strchr(t, 'r') != t + 2 || strrchr(t, 'r') != t + 9 || strchr(t, 'z') || strrchr(t, 'z')) return 1;
    if (strchr(t, 0) != t + 11 || strrchr(t, 0) != t + 11 || strchr(t, 'b' + 256) != t + 1) return 2;
    if (memchr(t, 'd', 11) != t + 6 || memchr(t, 'd', 6) || memrchr(t, 'b', 11) != t + 8 || memrchr(t, 'r', 2)) return 3;
    if (strstr(t, "cad") != t + 4 || strstr(t, "") != t || strstr(t, "abrax") || strstr("", "a")) return 4;
    if (strstr("aaab", "aab") == 0 || strstr(t, "bra") != t + 1) return 5;
    if (strspn(t, "abr") != 4 || strspn(t, "") || strcspn(t, "dc") != 4 || strcspn(t, "xyz") != 11) return 6;
    if (strpbrk(t, "cd") != t + 4 || strpbrk(t, "xyz")) return 7;
    if (strnlen(t, 4) != 4 || strnlen(t, 40) != 11 || strnlen(t, 0)) return 8;
    for (word = strtok_r(words, ",;", &rest); word; word = strtok_r(0, ",;", &rest)) count = count * 10 + (int)strlen(word);
    if (count != 335) return 9;
    {
        char again[] = "k=v";
        if (strcmp(strtok(again, "="), "k") || strcmp(strtok(0, "="), "v") || strtok(0, "=")) return 10;
    }
    return 0;
}
