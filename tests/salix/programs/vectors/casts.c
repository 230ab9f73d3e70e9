// returns 33: a cast to something of the same size takes the bytes as they are
typedef int v2si __attribute__((vector_size(8)));
typedef unsigned short v4hi __attribute__((vector_size(8)));
typedef unsigned char v4qi __attribute__((vector_size(4)));

static long as_long(v2si v) { return (long)v; }
static v4hi as_shorts(unsigned long bits) { return (v4hi)bits; }

int main(void)
{
    v2si v = {0x00020001, 0x00040003};
    v4hi h = (v4hi)v;
    v4qi bytes = (v4qi)0x04030201;
    unsigned one = (unsigned)(v4qi){1};
    if (h[0] != 1 || h[1] != 2 || h[2] != 3 || h[3] != 4) return 1;
    if (as_long(v) != 0x0004000300020001) return 2;
    if (as_shorts(0x000a000b000c000d)[2] != 0xb) return 3;
    if (bytes[0] != 1 || bytes[3] != 4 || one != 1) return 4;
    if ((int)(bytes + 1) != 0x05040302) return 5;
    v = (v2si)((v4hi)v * 2);
    (void)v;
    return ((v4hi)(v + 1))[0] + ((v4hi)(long)v)[3] + (int)(v4qi)(20 + (int)(v4qi)2) == 3 + 8 + 22 ? 33 : 6;
}
