#pragma once
#include <stddef.h>
typedef unsigned short char16_t;
typedef unsigned char32_t;
