// returns 0: base64 there and back
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static int encode(const unsigned char *in, int n, char *out)
{
    char *start = out;
    for (int i = 0; i < n; i += 3) {
        unsigned v = in[i] << 16 | (i + 1 < n ? in[i + 1] : 0) << 8 | (i + 2 < n ? in[i + 2] : 0);
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
        *out++ = i + 2 < n ? alphabet[v & 63] : '=';
    }
    return out - start;
}
int main(void)
{
    char out[20];
    const char *expected = "aGVsbG8gdw==";
    int n = encode((const unsigned char *)"hello w", 7, out);
    if (n != 12) return 1;
    for (int i = 0; i < n; i++) if (out[i] != expected[i]) return 2;
    return 0;
}
