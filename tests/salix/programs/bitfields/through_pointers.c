// returns 0: fields of structs behind pointers and in arrays
struct f { unsigned kind : 2, size : 14; struct { int sign : 2; } in; };
static void set(struct f *f, int kind, int size) { f->kind = kind; f->size = size; f->in.sign = -1; }
int main(void)
{
    struct f a[3];
    for (int i = 0; i < 3; i++) set(&a[i], i + 1, i * 1000);
    if (a[0].kind != 1 || a[2].kind != 3 || a[2].size != 2000 || a[1].in.sign != -1) return 1;
    struct f *p = a;
    p++->size = 5;
    if (p != a + 1 || a[0].size != 5) return 2;
    struct f copy = *p;
    p->size = 0;
    if (copy.size != 1000) return 3;
    return 0;
}
