// returns 5: it goes to the activation in which its pointer was made, not to the last one
static int descend(int n, void (*leave)(void))
{
    __label__ out;
    int passed = 0;
    void own(void)
    {
        passed += n;
        goto out;
    }
    if (n == 5) {
        descend(n - 1, own);
        return -1;
    }
    if (n > 0) return descend(n - 1, leave);
    leave();
    return -2;
out:
    return passed;
}

int main(void) { return descend(9, 0); }
