// returns 0: packed enums take as few bytes as their constants need, signed if one is negative
enum small { A, B = 255 } __attribute__((packed));
enum __attribute__((packed)) signed_small { C = -128, D = 127 };
enum __attribute__((packed)) middle { E = 256, F };
enum __attribute__((packed)) signed_middle { G = -1, H = 128 };
enum __attribute__((packed)) large { I = 65536 };
struct record {
    enum { X, Y, Z } __attribute__((packed)) kind;
    unsigned char rest;
};

int main(void)
{
    enum small small = B;
    enum signed_small low = C;
    struct record records[3] = {{X, 1}, {Y, 2}, {Z, 3}};
    small++;
    low--;
    if (sizeof small != 1 || sizeof low != 1 || sizeof(enum middle) != 2 || sizeof(enum signed_middle) != 2) return 1;
    if (sizeof(enum large) != 4 || sizeof B != 4 || sizeof records != 6) return 2;
    if (small != 0 || low != 127) return 3;
    return records[2].kind == Z && records[1].rest == 2 ? 0 : 4;
}
