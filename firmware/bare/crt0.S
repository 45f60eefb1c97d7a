/*
 * Start of a bare program. Text and data lie in L1, where the loader put them; the stack lies at
 * the top of the 4 KiB of local RAM that every hart has. main's result is the exit value.
 *
 * A program ends in ebreak with its exit value in a0. Built with EXIT_BY_FLAG it works without a
 * debugger: it stores its exit value and then 1 to the last words of its mailbox (bare.h), and
 * waits for ever.
 */
    .option norvc
    .section .start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined ra
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    lui     sp, %hi(__stack_top)
    la      t0, __bss_start
    la      t1, __bss_end
    j       2f
1:
    sw      zero, 0(t0)
    addi    t0, t0, 4
2:
    bltu    t0, t1, 1b
    li      a0, 0
    li      a1, 0
    call    main
    .globl exit
    .type exit, @function
exit:
#ifdef EXIT_BY_FLAG
    la      t0, __mailbox_end
    li      t1, 1
    fence
    sw      a0, -8(t0)
    fence
    sw      t1, -4(t0)
3:
    j       3b
#else
    ebreak
    j       exit
#endif
    .cfi_endproc
    .size _start, . - _start
