/* What reports say of harts that have gone to where no code is, in every schedule. */
#include "unit/chip/chip_program.h"
#include "unit/test.h"

enum { FUNCTIONAL, TIMED, RANDOM, SCHEDULES };

#define STACK  "lui sp, 0xffb01;addi sp, sp, -16;"
#define RETURN "lw ra, 12(sp);addi sp, sp, 16;jalr zero, 0(ra)"

static const struct row {
    const char *program; /* at 0x1000 */
    enum penrose_fault_kind kind;
    uint32_t pc;
    const char *hint;
} rows[] = {
    /* returns */
    {STACK "lui a0, 0xdead0;sw a0, 12(sp);" RETURN, PENROSE_FAULT_FETCH, 0xdead0000,
     "the code at 0x00001018 has returned to 0xdead0000, loaded from its stack at 0xffb00ffc, "
     "which something may have overwritten"},
    {STACK "sw zero, 12(sp);" RETURN, PENROSE_FAULT_TENSIX_ILLEGAL, 0,
     "the code at 0x00001014 has returned to address 0, loaded from its stack at 0xffb00ffc: "
     "nobody had called it, or something has overwritten that"},
    {STACK "lui a0, 0x8;sw a0, 12(sp);lw ra, 12(sp);lw s0, 8(sp);addi sp, sp, 8;addi sp, sp, 8;"
           ".ttinsn 0x02000000;jalr zero, 0(ra)",
     PENROSE_FAULT_TENSIX_ILLEGAL, 0x8000,
     "the code at 0x00001024 has returned to 0x00008000 (zeros are no instructions), loaded from "
     "its stack at 0xffb00ffc, which something may have overwritten"},
    {STACK "lui a0, 0x400;sw a0, 12(sp);lw ra, 12(sp);sw zero, 12(sp);jalr zero, 0(ra)",
     PENROSE_FAULT_FETCH, 0x400000,
     "the code at 0x00001018 has returned to 0x00400000: its return address, in ra, was wrong"},
    {"lui ra, 0x1;addi ra, ra, 2;jalr zero, 0(ra)", PENROSE_FAULT_FETCH, 0x1002,
     "the code at 0x00001008 has returned to 0x00001002: its return address, in ra, was wrong"},
    {"jalr zero, 0(ra)", PENROSE_FAULT_TENSIX_ILLEGAL, 0,
     "the code at 0x00001000 has returned to address 0, since nobody had called it (ra was 0): end "
     "it with ebreak, or link start-up code that calls it, such as crt0.S of 'penrose new'"},
    /* pointers and tables */
    {"lui a4, 0xffb00;lui a5, 0x400;sw a5, 64(a4);lw a5, 64(a4);addi a0, zero, 1;jalr ra, 4(a5)",
     PENROSE_FAULT_FETCH, 0x400004,
     "the code at 0x00001014 has called 0x00400004 through a5: the pointer at 0xffb00040 was "
     "wrong"},
    {"lui a4, 0xffb00;lw a5, 64(a4);jalr ra, 0(a5)", PENROSE_FAULT_TENSIX_ILLEGAL, 0,
     "the code at 0x00001008 has jumped to address 0: the pointer at 0xffb00040 was null"},
    {"lui a5, 0xffb00;lui a4, 0x400;sw a4, 64(a5);addi a5, a5, 60;lw a5, 4(a5);jalr zero, 0(a5)",
     PENROSE_FAULT_FETCH, 0x400000,
     "the code at 0x00001014 has jumped to 0x00400000 through a5: the pointer at 0xffb00040 was "
     "wrong"},
    {"lui a5, 0xffb00;lui a4, 0x400;sw a4, 64(a5);add a5, a5, zero;lw a5, 64(a5);jalr zero, 0(a5)",
     PENROSE_FAULT_FETCH, 0x400000,
     "the code at 0x00001014 has jumped to 0x00400000 through a5: a pointer to a function, or an "
     "entry of a table, was wrong"},
    {"lui a4, 0x200;add a5, a4, a4;jalr ra, 0(a5)", PENROSE_FAULT_FETCH, 0x400000,
     "the code at 0x00001008 has called 0x00400000 through a5: a pointer to a function was wrong"},
    {"add a5, a4, a4;jalr ra, 0(a5)", PENROSE_FAULT_TENSIX_ILLEGAL, 0,
     "the code at 0x00001004 has jumped to address 0: a pointer to a function was null"},
    /* a constant that the jump has not seen */
    {"lui a4, 0x200;add a5, a4, a4;beq zero, zero, 0x1010;lui a5, 0;jalr ra, 0(a5)",
     PENROSE_FAULT_FETCH, 0x400000,
     "the code at 0x00001010 has called 0x00400000 through a5: a pointer to a function was wrong"},
    /* what the code says, such as a weak function that is not there */
    {"auipc ra, 0xfffff;jalr ra, 0(ra)", PENROSE_FAULT_TENSIX_ILLEGAL, 0,
     "the code at 0x00001004 has jumped to 0x00000000 (zeros are no instructions), as its code "
     "says: what it wants there was not linked, or not loaded"},
    {"jalr ra, 0(zero)", PENROSE_FAULT_TENSIX_ILLEGAL, 0,
     "the code at 0x00001000 has jumped to 0x00000000 (zeros are no instructions), as its code "
     "says: what it wants there was not linked, or not loaded"},
    {"jal ra, 0x81000", PENROSE_FAULT_TENSIX_ILLEGAL, 0x81000,
     "the code at 0x00001000 has jumped to 0x00081000 (zeros are no instructions), as its code "
     "says: what it wants there was not linked, or not loaded"},
    {"beq zero, zero, 0xffe", PENROSE_FAULT_FETCH, 0xffe,
     "the code at 0x00001000 has jumped to 0x00000ffe, as its code says: what it wants there was "
     "not linked, or not loaded"},
    /* no jump has led there */
    {"auipc a5, 0;jalr ra, 12(a5);addi a0, zero, 1;addi a0, zero, 2", PENROSE_FAULT_TENSIX_ILLEGAL,
     0x1010,
     "the hart has left its code: zeros are no instructions; a pointer to a function or a return "
     "address was wrong, or nothing was loaded there"},
};

enum { ROWS = sizeof rows / sizeof *rows };

TEST_EACH(ways_to_where_no_code_is, ROWS *SCHEDULES)
{
    const struct row *row = &rows[_i / SCHEDULES];
    struct penrose_options options = {
        .size = sizeof options,
        .timed = _i % SCHEDULES == TIMED,
        .schedule = _i % SCHEDULES == RANDOM ? PENROSE_RANDOM : PENROSE_FAST,
    };
    struct penrose_chip *chip;
    struct penrose_fault fault;
    const struct penrose_run run = {.size = sizeof run, .cycles = 1000};
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    start_program(chip, 1, 2, PENROSE_BRISC, 0x1000, row->program);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_FAULT);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, row->kind);
    ck_assert_uint_eq(fault.pc, row->pc);
    ck_assert_str_eq(fault.hint, row->hint);
    penrose_chip_destroy(chip);
}
