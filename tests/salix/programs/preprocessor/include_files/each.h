#define NAME_(v) value_##v
#define NAME(v) NAME_(v)
static int NAME(VALUE) = VALUE;
#undef NAME
#undef NAME_
