#pragma once
/* __atomic_* and __sync_* of GNU compilers; read when a program names one. A Loop runs alone in its memory, so each is
 * what it says and no more: orders mean nothing. Sums are of addresses as they stand, also where one is a pointer. */

#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5

#define __salix_put(at, value) ({ __auto_type __salix_at = (at); __auto_type __salix_old = *__salix_at; *__salix_at = (value); __salix_old; })
#define __salix_change(at, value, new, result) \
    ({ __auto_type __salix_at = (at); \
       long __salix_by = (long)(value), __salix_old = (long)*__salix_at, __salix_new = new; \
       *__salix_at = (__typeof__(*__salix_at))__salix_new; \
       (__typeof__(*__salix_at))result; })
#define __salix_old_of(at, value, operator) __salix_change(at, value, __salix_old operator __salix_by, __salix_old)
#define __salix_new_of(at, value, operator) __salix_change(at, value, __salix_old operator __salix_by, __salix_new)

#define __atomic_load_n(at, ...) ({ __auto_type __salix_old = *(at); __salix_old; })
#define __atomic_load(at, to, ...) ((void)(*(to) = *(at)))
#define __atomic_store_n(at, value, ...) ((void)(*(at) = (value)))
#define __atomic_store(at, from, ...) ((void)(*(at) = *(from)))
#define __atomic_exchange_n(at, value, ...) __salix_put(at, value)
#define __atomic_exchange(at, from, to, ...) ((void)(*(to) = __salix_put(at, *(from))))
#define __atomic_compare_exchange_n(at, expected, value, ...) \
    ({ __auto_type __salix_at = (at); \
       __auto_type __salix_expected = (expected); \
       __auto_type __salix_value = (value); \
       _Bool __salix_same = *__salix_at == *__salix_expected; \
       if (__salix_same) *__salix_at = __salix_value; \
       else *__salix_expected = *__salix_at; \
       __salix_same; })
#define __atomic_compare_exchange(at, expected, from, ...) \
    ({ __auto_type __salix_at = (at); \
       __auto_type __salix_expected = (expected); \
       __auto_type __salix_from = (from); \
       _Bool __salix_same = !__builtin_memcmp((void *)__salix_at, __salix_expected, sizeof *__salix_at); \
       if (__salix_same) *__salix_at = *__salix_from; \
       else *__salix_expected = *__salix_at; \
       __salix_same; })
#define __atomic_fetch_add(at, value, ...) __salix_old_of(at, value, +)
#define __atomic_fetch_sub(at, value, ...) __salix_old_of(at, value, -)
#define __atomic_fetch_and(at, value, ...) __salix_old_of(at, value, &)
#define __atomic_fetch_or(at, value, ...) __salix_old_of(at, value, |)
#define __atomic_fetch_xor(at, value, ...) __salix_old_of(at, value, ^)
#define __atomic_fetch_nand(at, value, ...) __salix_change(at, value, ~(__salix_old & __salix_by), __salix_old)
#define __atomic_add_fetch(at, value, ...) __salix_new_of(at, value, +)
#define __atomic_sub_fetch(at, value, ...) __salix_new_of(at, value, -)
#define __atomic_and_fetch(at, value, ...) __salix_new_of(at, value, &)
#define __atomic_or_fetch(at, value, ...) __salix_new_of(at, value, |)
#define __atomic_xor_fetch(at, value, ...) __salix_new_of(at, value, ^)
#define __atomic_nand_fetch(at, value, ...) __salix_change(at, value, ~(__salix_old & __salix_by), __salix_new)
#define __atomic_test_and_set(at, ...) ((_Bool)__salix_put((unsigned char *)(at), 1))
#define __atomic_clear(at, ...) ((void)(*(unsigned char *)(at) = 0))
#define __atomic_thread_fence(order) ((void)(order))
#define __atomic_signal_fence(order) ((void)(order))
#define __atomic_always_lock_free(size, at) ((size) <= 8)
#define __atomic_is_lock_free(size, at) ((size) <= 8)

#define __sync_fetch_and_add(at, ...) __atomic_fetch_add(at, __VA_ARGS__)
#define __sync_fetch_and_sub(at, ...) __atomic_fetch_sub(at, __VA_ARGS__)
#define __sync_fetch_and_and(at, ...) __atomic_fetch_and(at, __VA_ARGS__)
#define __sync_fetch_and_or(at, ...) __atomic_fetch_or(at, __VA_ARGS__)
#define __sync_fetch_and_xor(at, ...) __atomic_fetch_xor(at, __VA_ARGS__)
#define __sync_fetch_and_nand(at, ...) __atomic_fetch_nand(at, __VA_ARGS__)
#define __sync_add_and_fetch(at, ...) __atomic_add_fetch(at, __VA_ARGS__)
#define __sync_sub_and_fetch(at, ...) __atomic_sub_fetch(at, __VA_ARGS__)
#define __sync_and_and_fetch(at, ...) __atomic_and_fetch(at, __VA_ARGS__)
#define __sync_or_and_fetch(at, ...) __atomic_or_fetch(at, __VA_ARGS__)
#define __sync_xor_and_fetch(at, ...) __atomic_xor_fetch(at, __VA_ARGS__)
#define __sync_nand_and_fetch(at, ...) __atomic_nand_fetch(at, __VA_ARGS__)
#define __sync_val_compare_and_swap(at, expected, value, ...) \
    ({ __auto_type __salix_at = (at); \
       __auto_type __salix_old = *__salix_at; \
       __typeof__(__salix_old) __salix_expected = (expected), __salix_value = (value); \
       if (__salix_old == __salix_expected) *__salix_at = __salix_value; \
       __salix_old; })
#define __sync_bool_compare_and_swap(at, expected, value, ...) \
    ({ __auto_type __salix_at = (at); \
       __typeof__(*__salix_at) __salix_expected = (expected), __salix_value = (value); \
       _Bool __salix_same = *__salix_at == __salix_expected; \
       if (__salix_same) *__salix_at = __salix_value; \
       __salix_same; })
#define __sync_synchronize(...) ((void)0)
#define __sync_lock_test_and_set(at, value, ...) __salix_put(at, value)
#define __sync_lock_release(at, ...) ((void)(*(at) = 0))
