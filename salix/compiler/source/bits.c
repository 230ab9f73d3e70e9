/* Bit-fields in intermediate code: how they are read and written, whole units or bytes that lie anywhere.
 *
 * A bit-field lies in `unit_bytes` bytes from its offset on, from bit `bit_offset` on. Of packed ones these may be three
 * or nine bytes: only they are touched, because what follows may be another object, or nothing.
 */

/* The `bytes` bytes, at most eight, from a + offset as one number. */
static i32 load_unit(i32 base, i64 offset, u32 bytes)
{
    i32 unit = NO_REGISTER;
    u32 at = 0, step;
    while (at < bytes) {
        i32 part = new_vreg(), placed = part;
        for (step = 8; step > bytes - at; step /= 2) {}
        emit(I_LOAD, part, base, NO_REGISTER, offset + at)->size = (u8)step;
        if (at) {
            i32 joined = new_vreg();
            placed = new_vreg();
            emit(I_SHL, placed, part, NO_REGISTER, at * 8);
            emit(I_OR, joined, unit, placed, 0);
            placed = joined;
        }
        unit = placed;
        at += step;
    }
    return unit;
}

static void store_unit(i32 base, i64 offset, u32 bytes, i32 value)
{
    u32 at = 0, step;
    while (at < bytes) {
        i32 part = value;
        for (step = 8; step > bytes - at; step /= 2) {}
        if (at) {
            part = new_vreg();
            emit(I_SHR, part, value, NO_REGISTER, at * 8);
        }
        store(base, offset + at, step, part);
        at += step;
    }
}

/* The low `width` bits of a register, with zeros or copies of the highest above. */
static i32 low_bits(i32 vreg, u32 width, i32 natural)
{
    i32 high = new_vreg(), dst = new_vreg();
    if (width == 64) return vreg;
    emit(I_SHL, high, vreg, NO_REGISTER, 64 - width);
    emit(natural ? I_SHR : I_SAR, dst, high, NO_REGISTER, 64 - width);
    return dst;
}

/* Of a bit-field in nine bytes: the part in the first eight, and the part in the last. */
static void split_bits(const Member *member, Member *low, Member *high)
{
    *low = *high = *member;
    low->unit_bytes = 8;
    low->bit_width = (u8)(64 - member->bit_offset);
    high->unit_bytes = 1;
    high->bit_offset = 0;
    high->bit_width = (u8)(member->bit_width - low->bit_width);
}

static i32 load_bits(i32 base, i64 offset, const Member *member, const Type *type)
{
    i32 unit, dst;
    if (member->unit_bytes > 8) {
        Member low, high;
        i32 first, placed = new_vreg();
        split_bits(member, &low, &high);
        first = load_bits(base, offset, &low, &type_ulong);
        unit = load_bits(base, offset + 8, &high, &type_ulong);
        emit(I_SHL, placed, unit, NO_REGISTER, low.bit_width);
        dst = new_vreg();
        emit(I_OR, dst, first, placed, 0);
        return low_bits(dst, member->bit_width, is_unsigned(type));
    }
    unit = load_unit(base, offset, member->unit_bytes);
    if (is_unsigned(type)) {
        if (member->bit_offset) {
            dst = new_vreg();
            emit(I_SHR, dst, unit, NO_REGISTER, member->bit_offset);
            unit = dst;
        }
        if (member->bit_width >= 32) return low_bits(unit, member->bit_width, 1);
        dst = new_vreg();
        emit(I_AND, dst, unit, NO_REGISTER, (i64)((1ULL << member->bit_width) - 1));
    } else {
        i32 high = new_vreg();
        dst = new_vreg();
        emit(I_SHL, high, unit, NO_REGISTER, 64 - member->bit_width - member->bit_offset);
        emit(I_SAR, dst, high, NO_REGISTER, 64 - member->bit_width);
    }
    return dst;
}

/* Stores the low bits of `value`. What the bit-field holds then. */
static i32 store_bits(i32 base, i64 offset, const Member *member, i32 value, const Type *type)
{
    i32 unit, kept, bits, placed, joined, mask;
    u64 ones = member->bit_width == 64 ? ~0ULL : (1ULL << member->bit_width) - 1;
    if (member->unit_bytes > 8) {
        Member low, high;
        i32 rest = new_vreg();
        split_bits(member, &low, &high);
        store_bits(base, offset, &low, value, &type_ulong);
        emit(I_SHR, rest, value, NO_REGISTER, low.bit_width);
        store_bits(base, offset + 8, &high, rest, &type_ulong);
        return low_bits(value, member->bit_width, is_unsigned(type));
    }
    kept = new_vreg();
    bits = new_vreg();
    placed = bits;
    joined = new_vreg();
    unit = load_unit(base, offset, member->unit_bytes);
    mask = number((i64) ~(ones << member->bit_offset));
    emit(I_AND, kept, unit, mask, 0);
    mask = number((i64)ones);
    emit(I_AND, bits, value, mask, 0);
    if (member->bit_offset) {
        placed = new_vreg();
        emit(I_SHL, placed, bits, NO_REGISTER, member->bit_offset);
    }
    emit(I_OR, joined, kept, placed, 0);
    store_unit(base, offset, member->unit_bytes, joined);
    return is_unsigned(type) ? bits : low_bits(bits, member->bit_width, 0);
}
