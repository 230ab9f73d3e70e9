#include "beside.h"
#include "../values.h"
static int deep = beside + 2;
