// returns 0: structs of all sizes are copied whole
#define COPY(n) { struct { char c[n]; } a, b; \
    for (int i = 0; i < n; i++) a.c[i] = i + n, b.c[i] = 0; \
    b = a; \
    for (int i = 0; i < n; i++) if (b.c[i] != (char)(i + n)) return n; }
int main(void)
{
    COPY(1) COPY(2) COPY(3) COPY(4) COPY(5) COPY(7) COPY(8) COPY(9) COPY(12) COPY(15) COPY(16) COPY(17) COPY(31) COPY(64) COPY(100)
    return 0;
}
