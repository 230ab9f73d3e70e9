// returns 0: calls of macros with nothing between them, thousands of tokens in all
#define ONE(n) + (n & 1 ? n : 0)
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

int main(void)
{
    int sum = 0
        HUNDRED(1)
        HUNDRED(2)
        HUNDRED(3)
        HUNDRED(4)
        HUNDRED(5)
        HUNDRED(6)
        HUNDRED(7)
        HUNDRED(8)
        HUNDRED(9)
        HUNDRED(10)
        HUNDRED(11)
        HUNDRED(12)
        HUNDRED(13)
        HUNDRED(14)
        HUNDRED(15)
        HUNDRED(16)
        HUNDRED(17)
        HUNDRED(18)
        HUNDRED(19)
    ;
    return sum == 997500 ? 0 : 1;
}
