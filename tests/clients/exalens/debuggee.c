/*
 * What is debugged by tt-exalens in exalens.sh: a chain of calls that ends in an ebreak, then a
 * loop without end in which tick() counts in L1, in local RAM and in instructions pushed to the
 * Tensix coprocessor. The names of functions and variables are what round.py looks for.
 */

enum { INSTRUCTION_NOP = 0x02000000 };

#define BOARD         ((volatile unsigned *)0x20000) /* words of L1 that the host looks at */
#define TENSIX_PUSH   (*(volatile unsigned *)0xffe40000)
#define NEVER_INLINED __attribute__((noinline, noclone))
/* Blackhole has fetched what follows an ebreak before it pauses: the vendor's compilers put nops.
 * tt-exalens finds the caller of a function only if that has saved ra. */
#define STOP_HERE() __asm__ volatile("ebreak\n\t.rept 8\n\tnop\n\t.endr" ::: "memory", "ra")

enum place { PLACE_RESULT, PLACE_TICKS, PLACE_WATCHED, PLACE_READ };

struct state {
    unsigned magic, ticks;
};

struct state debuggee_state;            /* in local RAM */
unsigned debuggee_version = 0x20261121; /* in L1 */

__asm__(".section .init, \"ax\"\n"
        ".global _start\n"
        "_start:\n"
        "    lui sp, %hi(__stack_top)\n"
        "    addi sp, sp, %lo(__stack_top)\n"
        "    li s0, 0\n"
        "    li ra, 0\n"
        "    call main\n"
        "1:  j 1b\n"
        ".previous\n");

NEVER_INLINED static unsigned innermost(unsigned a, unsigned b)
{
    unsigned sum = a + b;
    BOARD[PLACE_RESULT] = sum;
    STOP_HERE();
    return sum * 2;
}

NEVER_INLINED static unsigned middle(unsigned depth, unsigned value)
{
    if (depth == 0) {
        return innermost(value, 0x100) + 1;
    }
    return middle(depth - 1, value + 1) + depth;
}

NEVER_INLINED static unsigned outermost(unsigned value)
{
    return middle(2, value) ^ 0x5a5a;
}

NEVER_INLINED void tick(unsigned i)
{
    __asm__ volatile("" ::: "ra");
    BOARD[PLACE_TICKS] = i;
    debuggee_state.ticks = i;
    if (i % 4 == 0) {
        BOARD[PLACE_WATCHED] = BOARD[PLACE_READ] + i;
        TENSIX_PUSH = INSTRUCTION_NOP;
    }
}

int main(void)
{
    debuggee_state.magic = 0xfacade01;
    BOARD[PLACE_RESULT] = outermost(0x20);
    for (unsigned i = 1;; i++) {
        tick(i);
        for (unsigned n = i % 7; n > 0; n--) { /* samples at equal distances shall differ */
            __asm__ volatile("nop");
        }
    }
}
