// returns 0: #if computes in 64 bits, with all operators
#if 1 + 2 * 3 != 7 || (1 + 2) * 3 != 9 || 7 / 2 != 3 || -7 / 2 != -3 || -7 % 3 != -1
#error four operations
#endif
#if (1 << 40) != 1099511627776 || -1 >> 1 != -1 || (5 & 3 | 8 ^ 1) != 9 || ~0 != -1
#error bits
#endif
#if !(-1 < 0) || -1 < 0u || 0xffffffffffffffff < 0 || 18446744073709551615u + 1 != 0
#error signs
#endif
#if !(1 ? 2 : 0) || (0 ? 1 : 2) != 2 || !(1 && 2) || (0 || 0) || !0 != 1
#error logic
#endif
#if 'a' != 97 || '\n' != 10 || '\0' || '\xff' >= 0
#error characters
#endif
#if undefined_name || undefined_name + 1 != 1
#error names are zero
#endif
#if 0 && (1 / 0)
#error not evaluated
#endif
#if 1 || (1 / 0)
#else
#error not evaluated either
#endif
#if 0x10 != 16 || 010 != 8 || 1u != 1 || 1ll != 1 || 0b11 != 3
#error bases
#endif
#if (2 > 1) + (2 >= 2) + (1 < 2) + (1 <= 0) + (3 == 3) != 4
#error comparisons
#endif
int main(void) { return 0; }
