// returns 63: each operator works on each element, in the type of the elements
typedef int v4si __attribute__((vector_size(16)));
typedef unsigned char v8qi __attribute__((vector_size(8)));
typedef unsigned short v2hi __attribute__((vector_size(4)));

static int sum(v4si v) { return v[0] + v[1] * 10 + v[2] * 100 + v[3] * 1000; }

int main(void)
{
    v4si a = {8, 7, 6, 5}, b = {3, 2, 1, 4};
    v8qi wide = {250, 251, 252, 253, 254, 255, 0, 1};
    v2hi least = {32768, 7};
    int right = 0;
    right += sum(a + b) == 11 + 90 + 700 + 9000;
    right += sum(a - b) == 5 + 50 + 500 + 1000;
    right += sum(a * b) == 24 + 140 + 600 + 20000;
    right += sum(a / b) == 2 + 30 + 600 + 1000;
    right += sum(a % b) == 2 + 10 + 0 + 1000;
    right += sum(a & b) == 0 + 20 + 0 + 4000;
    right += sum(a | b) == 11 + 70 + 700 + 5000;
    right += sum(a ^ b) == 11 + 50 + 700 + 1000;
    right += sum(a << b) == 64 + 280 + 1200 + 80000;
    right += sum(-a >> b) == -1 - 20 - 300 - 1000;
    right += sum(~a) == -9 - 80 - 700 - 6000;
    right += sum(+a) == 8 + 70 + 600 + 5000;
    wide += 5; /* around 256 */
    right += wide[0] == 255 && wide[1] == 0 && wide[5] == 4 && wide[7] == 6;
    wide = wide * wide / 3;
    right += wide[0] == 0 && wide[5] == 5 && wide[7] == 12;
    least = -least;
    right += least[0] == 32768 && least[1] == 65529;
    return right == 15 ? 63 : right;
}
