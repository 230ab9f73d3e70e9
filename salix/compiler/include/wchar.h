#pragma once
#include <stddef.h>
typedef unsigned wint_t;
#define WCHAR_MIN (-2147483647 - 1)
#define WCHAR_MAX 2147483647
#define WEOF 4294967295U
