// returns 0: defined, __has_include, __has_attribute and __has_builtin, asked by macros, too
#define HEADER <stddef.h>
#define THERE(path) __has_include(path)
#define DEFINED(name) defined name
#define ALIAS defined ALSO
#define ALSO
#ifndef __has_include
#error it is defined
#endif
#if !defined(__has_attribute) || !defined __has_builtin || !defined(__has_include)
#error they are defined
#endif
#if !THERE(HEADER) || !THERE(<stdint.h>) || THERE("nowhere/nothing.h") || __has_include(<nothing.h>)
#error which files there are
#endif
#if !DEFINED(THERE) || DEFINED(NOTHING) || !ALIAS || defined(DEFINED) + defined NOTHING != 1
#error what is defined
#endif
#if !__has_attribute(packed) || !__has_attribute(__aligned__) || __has_attribute(no_such_thing) || __has_attribute(pack)
#error attributes
#endif
#if !__has_builtin(__builtin_expect) || !__has_builtin(__builtin_clz) || __has_builtin(__builtin_no_such_thing)
#error functions
#endif
#include HEADER
int main(void) { return sizeof(size_t) - 8; }
