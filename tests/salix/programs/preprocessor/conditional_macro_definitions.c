// returns 0: macros that are defined by conditions over others
#define LEVEL 3
#if LEVEL > 2 && !defined(DEBUG)
#define LOG(x) (count += (x))
#elif LEVEL
#define LOG(x) (x)
#else
#error not here
#endif
#ifndef LOG
#error LOG is missing
#endif
#if defined LOG && defined (LEVEL)
static int count;
#endif
#ifdef LEVEL
# undef LEVEL
#endif
#if LEVEL
#error undefined names are zero
#endif
int main(void) { LOG(2); LOG(3); return count - 5; }
