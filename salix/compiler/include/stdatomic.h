#pragma once
#include <stdint.h>
#include <stddef.h>
#include "salix_atomics.h"
typedef enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;
typedef _Bool atomic_bool;
typedef char atomic_char;
typedef signed char atomic_schar;
typedef unsigned char atomic_uchar;
typedef short atomic_short;
typedef unsigned short atomic_ushort;
typedef int atomic_int;
typedef unsigned atomic_uint;
typedef long atomic_long;
typedef unsigned long atomic_ulong;
typedef long long atomic_llong;
typedef unsigned long long atomic_ullong;
typedef unsigned short atomic_char16_t;
typedef unsigned atomic_char32_t;
typedef wchar_t atomic_wchar_t;
typedef int_least8_t atomic_int_least8_t;
typedef uint_least8_t atomic_uint_least8_t;
typedef int_least16_t atomic_int_least16_t;
typedef uint_least16_t atomic_uint_least16_t;
typedef int_least32_t atomic_int_least32_t;
typedef uint_least32_t atomic_uint_least32_t;
typedef int_least64_t atomic_int_least64_t;
typedef uint_least64_t atomic_uint_least64_t;
typedef int_fast8_t atomic_int_fast8_t;
typedef uint_fast8_t atomic_uint_fast8_t;
typedef int_fast16_t atomic_int_fast16_t;
typedef uint_fast16_t atomic_uint_fast16_t;
typedef int_fast32_t atomic_int_fast32_t;
typedef uint_fast32_t atomic_uint_fast32_t;
typedef int_fast64_t atomic_int_fast64_t;
typedef uint_fast64_t atomic_uint_fast64_t;
typedef intptr_t atomic_intptr_t;
typedef uintptr_t atomic_uintptr_t;
typedef size_t atomic_size_t;
typedef ptrdiff_t atomic_ptrdiff_t;
typedef intmax_t atomic_intmax_t;
typedef uintmax_t atomic_uintmax_t;
typedef struct { unsigned char set; } atomic_flag;
#define ATOMIC_FLAG_INIT {0}
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_CHAR_LOCK_FREE 2
#define ATOMIC_CHAR16_T_LOCK_FREE 2
#define ATOMIC_CHAR32_T_LOCK_FREE 2
#define ATOMIC_WCHAR_T_LOCK_FREE 2
#define ATOMIC_SHORT_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_LLONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define kill_dependency(value) (value)
#define atomic_thread_fence(order) __atomic_thread_fence(order)
#define atomic_signal_fence(order) __atomic_signal_fence(order)
#define atomic_is_lock_free(at) __atomic_is_lock_free(sizeof *(at), at)
#define atomic_init(at, value) ((void)(*(at) = (value)))
#define atomic_store(at, value) ((void)(*(at) = (value)))
#define atomic_store_explicit(at, value, order) atomic_store(at, value)
#define atomic_load(at) __atomic_load_n(at)
#define atomic_load_explicit(at, order) atomic_load(at)
#define atomic_exchange(at, value) __salix_put(at, value)
#define atomic_exchange_explicit(at, value, order) atomic_exchange(at, value)
#define atomic_compare_exchange_strong(at, expected, value) \
    ({ __typeof__(*(at)) __salix_wanted = (value); __atomic_compare_exchange(at, expected, &__salix_wanted); })
#define atomic_compare_exchange_weak(at, expected, value) atomic_compare_exchange_strong(at, expected, value)
#define atomic_compare_exchange_strong_explicit(at, expected, value, success, failure) atomic_compare_exchange_strong(at, expected, value)
#define atomic_compare_exchange_weak_explicit(at, expected, value, success, failure) atomic_compare_exchange_strong(at, expected, value)
#define atomic_fetch_add(at, value) __atomic_fetch_add(at, value)
#define atomic_fetch_sub(at, value) __atomic_fetch_sub(at, value)
#define atomic_fetch_or(at, value) __atomic_fetch_or(at, value)
#define atomic_fetch_xor(at, value) __atomic_fetch_xor(at, value)
#define atomic_fetch_and(at, value) __atomic_fetch_and(at, value)
#define atomic_fetch_add_explicit(at, value, order) __atomic_fetch_add(at, value)
#define atomic_fetch_sub_explicit(at, value, order) __atomic_fetch_sub(at, value)
#define atomic_fetch_or_explicit(at, value, order) __atomic_fetch_or(at, value)
#define atomic_fetch_xor_explicit(at, value, order) __atomic_fetch_xor(at, value)
#define atomic_fetch_and_explicit(at, value, order) __atomic_fetch_and(at, value)
#define atomic_flag_test_and_set(flag) __atomic_test_and_set(&(flag)->set)
#define atomic_flag_test_and_set_explicit(flag, order) __atomic_test_and_set(&(flag)->set)
#define atomic_flag_clear(flag) __atomic_clear(&(flag)->set)
#define atomic_flag_clear_explicit(flag, order) __atomic_clear(&(flag)->set)
