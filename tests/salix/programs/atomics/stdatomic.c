// returns 0: the functions of stdatomic.h give the old value, leave the new one, and convert as assignments do
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint hits = ATOMIC_VAR_INIT(40);
static atomic_flag taken = ATOMIC_FLAG_INIT;
static int calls;

static atomic_uint *counted(void)
{
    calls++;
    return &hits;
}

static int add_with_retries(_Atomic int *at, int more)
{
    int seen = atomic_load(at);
    while (!atomic_compare_exchange_weak(at, &seen, seen + more)) {}
    return seen;
}

int main(void)
{
    atomic_int level;
    atomic_uchar small = 250;
    _Atomic short low = -1;
    _Atomic struct { int x, y; } point;
    struct { int x, y; } unused = {0, 0};
    int wanted = 9;
    atomic_init(&level, 8);
    if (atomic_compare_exchange_strong(&level, &wanted, 1) || wanted != 8 || level != 8) return 1;
    if (!atomic_compare_exchange_strong_explicit(&level, &wanted, 12, memory_order_acq_rel, memory_order_relaxed)) return 2;
    if (level != 12 || wanted != 8) return 3;
    if (add_with_retries(&level, 30) != 12 || atomic_load_explicit(&level, memory_order_acquire) != 42) return 4;
    if (atomic_fetch_add(counted(), 2) != 40 || atomic_fetch_sub_explicit(counted(), 44, memory_order_relaxed) != 42) return 5;
    if (hits != 4294967294u || calls != 2) return 6;
    if (atomic_fetch_add(&small, 10) != 250 || small != 4) return 7;
    if (atomic_fetch_and(&low, 0x7f) != -1 || low != 127) return 8;
    if (atomic_fetch_xor(&low, 0x7fff) != 127 || atomic_fetch_or(&low, 1) != 0x7f80 || low != 0x7f81) return 9;
    if (atomic_exchange(&level, 6) != 42 || atomic_exchange_explicit(&level, 7, memory_order_seq_cst) != 6) return 10;
    if (atomic_flag_test_and_set(&taken) || !atomic_flag_test_and_set(&taken)) return 11;
    atomic_flag_clear(&taken);
    if (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) return 12;
    atomic_store(&level, atomic_fetch_add(&level, atomic_fetch_add(&small, 1)));
    if (level != 7 || small != 5) return 13;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_release);
    (void)point;
    (void)unused;
    return atomic_is_lock_free(&level) && ATOMIC_INT_LOCK_FREE == 2 && kill_dependency(0) == 0 ? 0 : 14;
}
