// returns 0: a local array of three kilobytes, indexed by variables
int main(void)
{
    unsigned char bytes[3000];
    for (int i = 0; i < 3000; i++) bytes[i] = i * 7;
    int wrong = 0;
    for (int i = 2999; i >= 1; i--) wrong += (unsigned char)(bytes[i] - bytes[i - 1]) != 7;
    return wrong == 0 && bytes[0] == 0 && bytes[2999] == 1 ? 0 : 1;
}
