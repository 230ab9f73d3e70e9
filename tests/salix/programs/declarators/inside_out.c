// returns 0: declarators read from the name outwards
int array[3] = {10, 20, 30};
int *pointers[3] = {&array[2], &array[1], &array[0]};
int (*to_array)[3] = &array;
int *(*to_pointers)[3] = &pointers;
int first(void) { return array[0]; }
int *give(int i) { return &array[i]; }
int (*function)(void) = first;
int *(*giver)(int) = give;
int (*table[2])(void) = {first, first};
int (*(*to_table)[2])(void) = &table;
int main(void)
{
    if ((*to_array)[1] != 20 || *pointers[0] != 30 || *(*to_pointers)[2] != 10) return 1;
    if (function() != 10 || (*function)() != 10 || *giver(1) != 20) return 2;
    if (table[1]() != 10 || (*(*to_table)[0])() != 10) return 3;
    if (sizeof pointers != 24 || sizeof *to_array != 12 || sizeof *to_table != 16) return 4;
    return 0;
}
