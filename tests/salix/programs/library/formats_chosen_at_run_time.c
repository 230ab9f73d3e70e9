// returns 0: formats that take fewer words than there are, are computed, or reach sprintf through a pointer
#include <stdio.h>
#include <string.h>

static const char *const formats[] = {"none", "%d", "%d %s", "%d %s %ld", "%d %s %ld %c", "%d %s %ld %c %x"};
static const char *const expected[] = {"none", "-1", "-1 two", "-1 two -3", "-1 two -3 4", "-1 two -3 4 ff"};

static int (*write)(char *to, const char *format, ...) = sprintf;
static int (*write_some)(char *to, size_t room, const char *format, ...) = snprintf;

static int count;

static int counted(int value)
{
    count++;
    return value;
}

int main(void)
{
    char text[64], part[16];
    int i;
    for (i = 0; i < 6; i++) {
        if (sprintf(text, formats[i], -1, "two", -3L, '4', 255) != (int)strlen(expected[i])) return 1;
        if (strcmp(text, expected[i])) return 2;
        if (snprintf(text, 9, formats[i], -1, "two", -3L, '4', 255) != (int)strlen(expected[i])) return 3;
        if (strncmp(text, expected[i], 8) || strlen(text) > 8) return 4;
    }
    if (write(text, "%d%d%d%d", 1, 2, 3, 4) != 4 || strcmp(text, "1234")) return 5;
    if (write(text, "%d", 1) != 1 || write_some(text, 3, "%s%s", "ab", "cd") != 4 || strcmp(text, "ab")) return 6;
    if (sprintf(text, "a" + 0, counted(1), counted(2), counted(3), counted(4)) != 1 || count != 4) return 7;
    sprintf(text, "[%s]", (sprintf(part, "%03d", 7), part));
    if (strcmp(text, "[007]")) return 8;
    i = sprintf(text, "%d", 10);
    i += sprintf(text + i, "%s", ",");
    i += sprintf(text + i, "%u%%", 20u);
    return i == 6 && !strcmp(text, "10,20%") ? 0 : 9;
}
