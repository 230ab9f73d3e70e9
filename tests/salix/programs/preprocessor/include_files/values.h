#ifndef VALUES_H
#define VALUES_H
enum { values_line = __LINE__ };
static const char values_file[] = __FILE__;
static int values = 3;
#endif
