// returns 0: 100! in decimal digits
static unsigned char digits[200] = {1};
int main(void)
{
    int length = 1, sum = 0;
    for (int n = 2; n <= 100; n++) {
        unsigned carry = 0;
        for (int i = 0; i < length || carry; i++) {
            carry += digits[i] * n;
            digits[i] = carry % 10;
            carry /= 10;
            if (i >= length) length = i + 1;
        }
    }
    for (int i = 0; i < length; i++) sum += digits[i];
    return length == 158 && sum == 648 ? 0 : 1;
}
