// returns 0: the left side of a compound assignment or an increment is evaluated once
static int calls, array[4];
static int *place(void) { calls++; return &array[calls]; }
int main(void)
{
    *place() += 5;
    if (calls != 1 || array[1] != 5) return 1;
    (*place())++;
    if (calls != 2 || array[2] != 1) return 2;
    int i = 0;
    array[i++] |= 8;
    if (i != 1 || array[0] != 8) return 3;
    int *p = array;
    *p++ = 70;
    *p++ <<= 1;
    if (p != array + 2 || array[0] != 70 || array[1] != 10) return 4;
    return 0;
}
