// returns 0: long, similar and odd names
static int _, __a, a1, A1, a_b_c = 3;
static int a_very_long_name_that_differs_only_in_its_last_character_from_the_other_one_x = 1;
static int a_very_long_name_that_differs_only_in_its_last_character_from_the_other_one_y = 2;
int main(void)
{
    int If = 4, whileloop = 5, int_ = 6, $dollar = 7;
    _ = 8;
    if (a_very_long_name_that_differs_only_in_its_last_character_from_the_other_one_x != 1) return 1;
    if (a_very_long_name_that_differs_only_in_its_last_character_from_the_other_one_y != 2) return 2;
    if (If + whileloop + int_ + $dollar + _ + __a + a1 + A1 + a_b_c != 33) return 3;
    return 0;
}
