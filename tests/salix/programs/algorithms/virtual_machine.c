// returns 0: an interpreter of a small stack machine computes factorials
enum op { PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, JMP, OVER, DROP, HALT };
static const signed char program[] = {
    PUSH, 1, PUSH, 5,            /* result, n */
    DUP, JNZ, 9, JMP, 19,        /* 4: while n */
    SWAP, OVER, MUL, SWAP, PUSH, 1, SUB, JMP, 4, HALT,
    DROP, HALT};
int main(void)
{
    long stack[16], t;
    int top = 0, pc = 0;
    for (;;) {
        switch (program[pc++]) {
        case PUSH: stack[top++] = program[pc++]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case SUB: top--; stack[top - 1] -= stack[top]; break;
        case MUL: top--; stack[top - 1] *= stack[top]; break;
        case DUP: stack[top] = stack[top - 1]; top++; break;
        case OVER: stack[top] = stack[top - 2]; top++; break;
        case SWAP: t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break;
        case JNZ: if (stack[--top]) pc = program[pc]; else pc++; break;
        case JMP: pc = program[pc]; break;
        case DROP: top--; break;
        case HALT: return stack[top - 1] == 120 && top == 1 ? 0 : 1;
        default: return 2;
        }
    }
}
