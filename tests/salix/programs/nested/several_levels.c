// returns 101: functions in functions in functions, each with locals of its own and those of all that are around it
static int outermost(int a)
{
    int middle(int b)
    {
        int inner(int c)
        {
            int innermost(int d)
            {
                a += d;
                b += d;
                c += d;
                if (d > 0) return innermost(d - 1);
                return a * 4 + b * 2 + c;
            }
            int result = innermost(3);
            return result == a * 4 + b * 2 + c ? result : -1000;
        }
        int kept = b, result = inner(b + 1);
        if (b != kept + 6) return -1000;
        return result;
    }
    int kept = a, result = middle(a + 1);
    if (a != kept + 6) return -1000;
    return result + middle(0);
}

int main(void) { return outermost(1) - outermost(0) + 90; }
