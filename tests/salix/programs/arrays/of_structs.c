// returns 0: arrays of structs that hold arrays
struct row { char tag; int cells[3]; struct { short a, b; } pairs[2]; };
static struct row rows[4];
int main(void)
{
    for (int i = 0; i < 4; i++) {
        rows[i].tag = 'a' + i;
        for (int j = 0; j < 3; j++) rows[i].cells[j] = i * j;
        rows[i].pairs[i & 1].b = -i;
    }
    struct row *r = &rows[3];
    if (r->tag != 'd' || r->cells[2] != 6 || r->pairs[1].b != -3 || r->pairs[0].b) return 1;
    if (sizeof(struct row) != 24 || (r - 1)->cells[1] != 2 || r[-2].pairs[1].b != -1) return 2;
    return 0;
}
