// returns 0: the check value of CRC-32
static unsigned table[256];
int main(void)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    unsigned crc = ~0u;
    for (const unsigned char *p = (const unsigned char *)"123456789"; *p; p++) crc = table[(crc ^ *p) & 255] ^ crc >> 8;
    return ~crc == 0xcbf43926u ? 0 : 1;
}
