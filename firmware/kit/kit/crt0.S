/*
 * Where a hart starts: the stack at the top of its local RAM, zeros in .bss, main. A program ends
 * in ebreak with main's result in a0: `penrose run` shows it as the exit value.
 */
    .option norvc
    .section .init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined ra
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    la      sp, __stack_top
    la      t0, __bss_start
    la      t1, __bss_end
    j       2f
1:
    sw      zero, 0(t0)
    addi    t0, t0, 4
2:
    bltu    t0, t1, 1b
    call    main
exit:
    ebreak
    j       exit
    .cfi_endproc
    .size _start, . - _start
