// returns 0: __atomic_* and __sync_* of GNU compilers; pointers move by bytes
static long table[4] = {1, 2, 3, 4};

int main(void)
{
    int x = 5, y = 0, z = 8, wanted = 1;
    unsigned char lock = 0, bit = 0x81;
    long *at = table;
    if (__sync_fetch_and_add(&x, 3) != 5 || __sync_add_and_fetch(&x, 2) != 10) return 1;
    if (__sync_sub_and_fetch(&x, 4) != 6 || __sync_fetch_and_or(&x, 9) != 6 || x != 15) return 2;
    if (__sync_xor_and_fetch(&x, 5) != 10 || __sync_fetch_and_nand(&x, 3) != 10 || x != ~2) return 3;
    if (__sync_bool_compare_and_swap(&x, 1, 2) || !__sync_bool_compare_and_swap(&x, ~2, 7)) return 4;
    if (__sync_val_compare_and_swap(&x, 7, 11) != 7 || __sync_val_compare_and_swap(&x, 7, 12) != 11 || x != 11) return 5;
    if (__sync_lock_test_and_set(&lock, 1) || __sync_lock_test_and_set(&lock, 1) != 1) return 6;
    __sync_lock_release(&lock);
    __sync_synchronize();
    if (lock || __atomic_test_and_set(&lock, __ATOMIC_ACQUIRE) || !lock) return 7;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    __atomic_store_n(&x, 6, __ATOMIC_SEQ_CST);
    __atomic_load(&x, &y, __ATOMIC_CONSUME);
    if (lock || y != 6 || __atomic_load_n(&x, __ATOMIC_RELAXED) != 6) return 8;
    __atomic_exchange(&x, &z, &y, __ATOMIC_ACQ_REL);
    if (x != 8 || y != 6 || __atomic_exchange_n(&x, 9, 0) != 8) return 9;
    if (__atomic_compare_exchange_n(&x, &wanted, 3, 0, 5, 5) || wanted != 9) return 10;
    if (!__atomic_compare_exchange(&x, &wanted, &z, 1, 5, 5) || x != 8) return 11;
    if (__atomic_fetch_add(&at, 16, 0) != table || *at != 3 || *__atomic_sub_fetch(&at, sizeof *at, 0) != 2) return 12;
    if (__atomic_or_fetch(&bit, 0x1f2, 0) != 0xf3 || __atomic_nand_fetch(&bit, 0xf0, 0) != 0x0f) return 13;
    if (__atomic_fetch_sub(&x, 9, 0) != 8 || __atomic_and_fetch(&x, 0xff, 0) != 255) return 14;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_always_lock_free(sizeof x, 0) ? 0 : 15;
}
