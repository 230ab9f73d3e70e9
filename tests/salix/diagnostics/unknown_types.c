struct reading { u16 value; stamp_t *when; };
static s64 highest;
u32 newest(u8 *bytes, u16 count) { return bytes[count - 1]; }
int main(void)
{
    struct reading one = {3, 0};
    s64 limits[2] = {1, 2}, *at = limits;
    for (size_t i = 0; i < 2; i++) highest += at[i];
    one.when->seconds = 4;
    return newest(&one, highest) * missing;
}
