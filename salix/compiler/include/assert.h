/* What is asserted and does not hold ends the program with a fault at its line. Read anew at each inclusion. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((void)((condition) || (__builtin_trap(), 0)))
#endif
#define static_assert _Static_assert
