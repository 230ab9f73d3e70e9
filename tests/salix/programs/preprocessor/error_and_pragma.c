// returns 0: #pragma and #warning do not stop a compilation, #error in a skipped group neither
#pragma once
#pragma nonsense (with) "anything"
#define P _Pragma("more nonsense")
P
#ifdef NOT_DEFINED
#error this would stop it
#unknown directive
#endif
int main(void) { _Pragma("in a block") return 0; }
