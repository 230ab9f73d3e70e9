#pragma once
/* Nothing that comes with a program sets it. */
static int errno;
#define EDOM 33
#define EILSEQ 84
#define ERANGE 34
#define EINVAL 22
#define ENOMEM 12
