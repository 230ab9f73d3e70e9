// returns 60: a nested function reads and writes parameters, scalars, arrays and structs of the function around it
struct point { int x, y; };

static int around(int first, struct point where, char narrow)
{
    int sum = 0, table[3] = {1, 2, 3};
    static int kept = 4;
    const int fixed = 5;
    volatile long slow = 6;
    enum { SEVEN = 7 };
    void add(int by)
    {
        int first = 100; /* another one */
        sum += by + (first - 100);
        table[1] += by;
        where.y++;
        narrow++;
        kept++;
        slow--;
    }
    int total(void) { return first + sum + table[0] + table[1] + table[2] + where.x + where.y + narrow + kept + fixed + (int)slow + SEVEN; }
    add(1);
    add(2);
    return total();
}

int main(void) { return around(8, (struct point){9, 2}, 3); }
