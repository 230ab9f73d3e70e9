#include <stdio.h>

int report(char *line, unsigned long room, long cents, const char *name)
{
    snprintf(line, room, "%s owes %d", name, cents);
    snprintf(line, room, "%s owes %ld", cents, name);
    snprintf(line, room, "%s owes %ld %s", name, cents);
    snprintf(line, room, "%s", name, cents);
    snprintf(line, room, "%-*s|", cents, name);
    snprintf(line, room, "%ld% of it", cents);
    snprintf(line, room, "%c", name);
    return snprintf(line, room, "%s owes %.2f", name, cents / 100);
}

int main(void)
{
    char line[80];
    report(line, sizeof line, 350, "Ada");
    snprintf(line, 100, "%s", "Ada");
    printf("%s\n", 7);
    return 0;
}
