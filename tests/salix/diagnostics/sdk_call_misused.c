#include "spinfoam.h"
SF_MAIN sf_i64 m(void) {
    sf_log("a", 3);
    sf_lg("x");
    printf("hi");
    return 0;
}
