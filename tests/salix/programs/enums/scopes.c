// returns 0: enumerators live in the scope of ordinary names, tags in one of their own
enum state { OFF, ON };
int state = 7;
int main(void)
{
    enum state s = ON;
    if (state != 7 || s != 1) return 1;
    {
        enum { OFF = 40, ON };
        if (ON != 41) return 2;
        {
            int OFF = 3;
            if (OFF + ON != 44) return 3;
        }
    }
    if (ON != 1) return 4;
    enum state { X = 9 } t = X;
    if (t != 9 || sizeof(enum state) != 4) return 5;
    return 0;
}
