/* The wait report: who waits for whom, on other tiles and over links, too, and where that begins. */
#include "unit/observe/wait_report.h"

#include <stdio.h>
#include <string.h>

/* --- Chains --- */

/* The lines of a text as they are wanted, in this order. */
static void has_lines(const char *const *line)
{
    const char *at = wait_text;
    for (; *line; line++) {
        const char *found = strstr(at, *line);
        ck_assert_msg(found != NULL, "no \"%s\" behind the one before it in:\n%s", *line,
                      wait_text);
        at = found + strlen(*line);
    }
}

/* trisc0 waits for pages that ncrisc, which has ended, would have pushed; the others for what
 * trisc0 would unpack, and what trisc1 would post. */
TEST(an_empty_buffer_is_a_chain)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: nobody pushes pages to stream 8, which is empty: ncrisc has "
        "ended, "
        "brisc is in reset\n",
        "      -> trisc0 waits for pages of stream 8\n",
        "      -> thread 1 of the coprocessor waits for data in SrcA\n",
        "      -> thread 2 of the coprocessor waits for semaphore 1\n",
        "tile (1, 2) trisc0 at pc 0x00001208",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_NCRISC, 0x1000, "ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300,
                  ".ttinsn MVMUL 3, 0, 0, 0; .ttinsn SEMPOST 2; ebreak");
    start_program(
        chip, 1, 2, PENROSE_TRISC2, 0x1400,
        ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, 0, "
        "0, 1; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

/* A semaphore of the coprocessor that nobody posts. */
TEST(a_semaphore_that_is_not_posted_is_a_root)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: nobody posts semaphore 1: trisc1 has ended, trisc0 is in reset\n",
        "      -> thread 2 of the coprocessor waits for semaphore 1\n",
        "      -> trisc2 waits for its thread of the coprocessor\n",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, "ebreak");
    start_program(
        chip, 1, 2, PENROSE_TRISC2, 0x1400,
        ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, 0, "
        "0, 1; lui a0, 0xffe80; addi a0, a0, 4; lw a1, 0(a0); ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

/* Math gives SrcA back, but has set CLR_DVALID_SrcA_Disable before. */
TEST(a_bank_that_is_kept_is_a_root)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: the Matrix Unit does not give SrcA back, as "
        "CLR_DVALID_SrcA_Disable is set: ",
        "      -> thread 0 of the coprocessor waits for a free bank of SrcA\n",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  ".ttinsn UNPACR_NOP 0, 0, 0, 1, 0, 0, 0, 0, 1; .ttinsn UNPACR_NOP 0, 0, 0, 1, 0, "
                  "0, 0, 0, 1; .ttinsn UNPACR_NOP 0, 0, 0, 1, 0, 0, 0, 0, 1; ebreak");
    start_program(
        chip, 1, 2, PENROSE_TRISC1, 0x1300,
        ".ttinsn SETC16 7, 1; .ttinsn SETRWC 1, 0, 0, 0, 0, 0; .ttinsn SETRWC 1, 0, 0, 0, "
        "0, 0; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

/* Nobody uses what is in SrcA: the third UNPACR waits in its unpacker. At the gate of its thread is
 * nothing, or what waits behind it. */
TEST_EACH(an_unpacker_that_waits_is_a_root, 3)
{
    static const char *const rows[] = {"", ".ttinsn STALLWAIT 511, 2; .ttinsn SEMPOST 2; ",
                                       ".ttinsn UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1; "};
    static const char *const lines[] = {
        "tile (1, 2) root cause: the Matrix Unit does not give SrcA back: ",
        "      -> thread 0 of the coprocessor waits for a free bank of SrcA\n",
        "      -> trisc0 waits for its thread of the coprocessor\n",
        "tensix thread 0, pushed by trisc0 at pc 0x0000121c: UNPACR ",
        "waits in unpacker 0 for bank 0 of SrcA, which the Matrix Unit holds: nothing has cleared "
        "its dvalid",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    char text[700];
    snprintf(text, sizeof text,
             ".ttinsn RMWCIB0 255, 16, 64; .ttinsn RMWCIB0 255, 4, 72; .ttinsn SETADCXX 1, 15, 0; "
             ".ttinsn NOP; .ttinsn NOP; .ttinsn UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1; "
             ".ttinsn UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1; "
             ".ttinsn UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1; "
             "%slui a0, 0xffe80; addi a0, a0, 4; lw a1, 0(a0); ebreak",
             rows[_i]);
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200, text);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

/* Each thread would post behind its wait what the other one waits for. */
TEST(two_threads_that_wait_for_each_other)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: two threads wait for each other: nobody posts semaphore 1, and "
        "nobody posts semaphore 2: ",
        "      -> thread 1 of the coprocessor waits for semaphore 1\n",
        "      -> thread 0 of the coprocessor waits for semaphore 2\n",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  ".ttinsn SEMINIT 1, 0, 4; .ttinsn SEMWAIT 511, 4, 1; .ttinsn SEMPOST 2; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SEMPOST 4; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

TEST(two_harts_that_wait_for_each_other)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: trisc0 sends nothing to the mailbox of trisc1; trisc0 waits for a "
        "word in the mailbox from trisc1, and nobody else could\n",
        "      -> trisc1 waits for a word in the mailbox from trisc0\n",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200, "lui s0, 0xffec2; lw a5, 0(s0); ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, "lui s0, 0xffec1; lw a5, 0(s0); ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

/* With a third one that waits nobody knows who would post what. */
TEST(three_threads_that_wait_are_no_pair)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: nobody posts semaphore ",
        "      -> thread 0 of the coprocessor waits for semaphore 2\n",
        "      -> thread 2 of the coprocessor waits for semaphore 3\n",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  ".ttinsn SEMINIT 1, 0, 4; .ttinsn SEMWAIT 511, 4, 1; .ttinsn SEMPOST 2; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SEMPOST 8; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1400,
                  ".ttinsn SEMINIT 1, 0, 8; .ttinsn SEMWAIT 511, 8, 1; .ttinsn SEMPOST 4; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

TEST(a_mailbox_that_nobody_empties)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffec2; sw a0, 0(a0); sw a0, 0(a0); sw a0, 0(a0); sw a0, 0(a0); "
                  "sw a0, 0(a0); ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, "ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("root cause: trisc1 takes nothing of trisc0 from its mailbox: trisc1 has ended$");
    has("^      -> trisc0 waits for room in the mailbox of trisc1$");
    penrose_chip_destroy(chip);
}

/* ncrisc waits for a read's data, which were lost, and trisc0 for the pages that ncrisc would push. */
TEST(a_lost_response_is_a_root)
{
    static const char *const lines[] = {
        "tile (1, 2) root cause: no response changes NoC 0: NIU_MST_RD_RESP_RECEIVED\n",
        "      -> ncrisc waits for NoC 0: NIU_MST_RD_RESP_RECEIVED\n",
        "      -> trisc0 waits for pages of stream 8\n",
        "responses are missing",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    wait_prepare_request(chip, 0, 0x8000, AT(2, 2), 0x3000, AT(3, 3), READ, 16, 3 << 10);
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); lw a5, 0x208(s0); "
                  "beq a5, zero, 0x100c; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

/* A word that waits for a second request of another tile leads to that tile, and to why it does not
 * come. */
TEST_EACH(a_word_that_another_tile_writes_leads_there, 5)
{
    static const struct {
        uint32_t ctrl, target, tile, back, back_tile, length;
        unsigned noc;
        bool leads;
    } rows[] = {
        {ATOMIC, 0x444, AT(2, 2), 0x3000, AT(1, 2), 0x107c, 0, true},
        {ATOMIC, 0x448, AT(2, 2), 0x3000, AT(1, 2), 0x107c, 1, false}, /* beside it */
        {ATOMIC, 0x444, AT(3, 2), 0x3000, AT(1, 2), 0x107c, 0, false}, /* of another tile */
        {WRITE | MULTICAST, 0x3000, AT(1, 2), 0x440, AT(3, 3) | AT(2, 2) << 12, 16, 0, true},
        {READ, 0x440, AT(2, 2), 0x3000, AT(1, 2), 16, 0, false},
    };
    static const char *const lines[] = {
        "tile (1, 2) root cause: nobody pushes pages to stream 8, which is empty: ",
        "      -> brisc waits for pages of stream 8\n",
        "tile (2, 2) cause elsewhere: nobody changes L1 at 0x00000444; requests of worker (1, 2) "
        "go "
        "there\n",
        "      -> ncrisc waits for L1 at 0x00000444\n",
        NULL,
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 2, 2, PENROSE_NCRISC, CODE,
                  "lw a0, 0x444(zero); addi a1, zero, 77; bne a0, a1, 0x1000; ebreak");
    wait_prepare_request(chip, rows[_i].noc, rows[_i].target, rows[_i].tile, rows[_i].back,
                         rows[_i].back_tile, rows[_i].ctrl, rows[_i].length, 0);
    char program[200];
    snprintf(program, sizeof program,
             "lui s0, %u; addi a4, zero, 1; sw a4, 0x40(s0); lui a0, 0xffb48; addi a1, zero, 0; "
             "lw a2, 0x28(a0); beq a2, a1, 0x1014; ebreak",
             (unsigned)(NIU(rows[_i].noc) >> 12));
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1200, "ebreak");
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    if (rows[_i].leads) {
        has_lines(lines);
    } else {
        lacks("elsewhere");
    }
    penrose_chip_destroy(chip);
}

/* Where the one who would have to do it has ended, that is the reason, and not that others, who could
 * do it too, wait. */
TEST(an_ended_hart_is_the_reason)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, "ebreak");
    start_program(chip, 1, 2, PENROSE_BRISC, 0x1100,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1100; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("root cause: nobody pushes pages to stream 8, which is empty: ncrisc has ended,");
    has("^      -> trisc0 waits for pages of stream 8$");
    lacks("-> brisc");
    penrose_chip_destroy(chip);
}

/* Who waits for one who runs is no deadlock. */
TEST(no_chain_while_somebody_runs)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, "addi a0, a0, 1; jal zero, 0x1000");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_CYCLES);
    wait_make_report(chip);
    lacks("root cause");
    penrose_chip_destroy(chip);
}

/* --- Posts of other tiles --- */

/* Command buffer 0 of a tile adds one to a word of another. */
static void prepare_post(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t target,
                         uint32_t target_tile)
{
    const uint32_t values[][2] = {{0x00, target},   {0x08, target_tile}, {0x0c, 0x3000},
                                  {0x14, AT(x, y)}, {0x1c, ATOMIC},      {0x20, 0x107c},
                                  {0x28, 1}};
    for (unsigned i = 0; i < COUNT(values); i++) {
        wait_set_register(chip, x, y, NIU(0) + values[i][0], values[i][1]);
    }
}

/* Five workers post to (1, 2), ask for something else, and wait for its answer. The post of one goes to
 * another tile, that of another nowhere; (1, 2) waits for both. */
TEST(all_senders_are_told_and_those_who_have_not_sent)
{
    static const uint32_t targets[] = {AT(1, 2), AT(1, 2), AT(10, 2), AT(63, 63), AT(1, 2)};
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lw a0, 0x444(zero); addi a1, zero, 5; bne a0, a1, 0x1000; ebreak");
    for (unsigned i = 0; i < COUNT(targets); i++) {
        prepare_post(chip, 2 + i, 2, 0x444, targets[i]);
        start_program(chip, 2 + i, 2, PENROSE_NCRISC, CODE,
                      "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); addi a5, zero, 0x600; "
                      "sw a5, 0(s0); sw a4, 0x40(s0); lw a0, 0x448(zero); beq a0, zero, 0x1018; "
                      "ebreak");
    }
    start_program(chip, 7, 2, PENROSE_NCRISC, CODE, /* another program, which waits there, too */
                  "addi a4, zero, 1; addi a4, zero, 1; addi a4, zero, 1; addi a4, zero, 1; "
                  "addi a4, zero, 1; addi a4, zero, 1; lw a0, 0x44c(zero); beq a0, zero, 0x1018; "
                  "ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("^  tile \\(1, 2\\) cause elsewhere: nobody changes L1 at 0x00000444; requests of worker "
        "\\(2, 2\\), worker \\(3, 2\\), worker \\(6, 2\\) go there$");
    has("^  tile \\(4, 2\\) has sent nothing to 0x00000444 of worker \\(1, 2\\), as worker \\(2, "
        "2\\) "
        "has, which waits where it waits; it has sent to 0x00000600 of worker \\(10, 2\\), "
        "0x00000444 of worker \\(10, 2\\)$");
    has("^  tile \\(5, 2\\) has sent nothing to 0x00000444 of worker \\(1, 2\\), as worker \\(2, "
        "2\\) "
        "has, which waits where it waits$");
    lacks("^  tile \\([12367], 2\\) has sent nothing");
    penrose_chip_destroy(chip);
}

TEST(a_post_to_a_tile_without_a_program_is_told)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 2, 2, PENROSE_BRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    prepare_post(chip, 1, 2, 0x444, AT(10, 2));
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("^  tile \\(1, 2\\) ncrisc has sent to 0x00000444 of worker \\(10, 2\\), on which nothing "
        "runs; worker \\(2, 2\\) waits for that word, and nobody has sent to it$");
    penrose_chip_destroy(chip);
}

/* A few tiles whose values are others have lines of their own. */
TEST(other_values_are_other_lines)
{
    struct penrose_chip *chip = wait_chip();
    for (unsigned x = 1; x < 7; x++) {
        wait_set_register(chip, x, 2, 0x444, x == 3 ? 4 : 5);
        start_program(chip, x, 2, PENROSE_BRISC, CODE,
                      "lw a0, 0x444(zero); bne a0, zero, 0x1000; ebreak");
    }
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("^  5 tiles \\(\\(1, 2\\), \\(2, 2\\), \\(4, 2\\), \\(5, 2\\), \\(6, 2\\)\\) brisc .*, "
        "holds "
        "0x5\\)$|^  5 tiles \\(x .*holds 0x5\\)$");
    has("^  tile \\(3, 2\\) brisc at pc .*, holds 0x4\\)$");
    penrose_chip_destroy(chip);
}

/* --- What polls through the NoC --- */

TEST_EACH(reads_that_are_done_again_and_again_are_waits, 3)
{
    static const struct {
        uint32_t tile, step;
        const char *place;
    } rows[] = {{AT(17, 12), 0, "DRAM \\(17, 12\\) at 0x00001000"},
                {AT(2, 2), 0, "worker \\(2, 2\\) at 0x00001000"},
                {AT(2, 2), 16, NULL}};
    struct penrose_chip *chip = wait_chip();
    char program[300], pattern[300];
    wait_prepare_request(chip, 0, 0x1000, rows[_i].tile, 0x600, AT(1, 2), READ, 16, 0);
    snprintf(program, sizeof program,
             "lui s0, 0xffb20; addi a4, zero, 1; lui a3, 1; sw a4, 0x40(s0); lw a5, 0x40(s0); "
             "andi a5, a5, 1; bne a5, zero, 0x1010; lw a6, 0x600(zero); addi a3, a3, %u; "
             "sw a3, 0(s0); beq a6, zero, 0x100c; ebreak",
             rows[_i].step);
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, program);
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(wait_pass(chip, 20000), PENROSE_CYCLES);
    wait_make_report(chip);
    if (rows[_i].step) {
        has("ncrisc at pc .*: runs$");
        lacks("cause");
    } else {
        snprintf(pattern, sizeof pattern,
                 "ncrisc at pc .*: reads %s through NoC 0 again and again, and asks for nothing "
                 "else; [0-9]+ times so far$",
                 rows[_i].place);
        has(pattern);
        snprintf(pattern, sizeof pattern, "^  tile \\(1, 2\\) cause so far: nobody changes %s$",
                 rows[_i].place);
        has(pattern);
        has("^      -> trisc0 waits for pages of stream 8$");
    }
    penrose_chip_destroy(chip);
}

TEST(a_stale_word_of_the_cache_is_told)
{
    struct penrose_options options = {.size = sizeof options, .schedule = PENROSE_RANDOM};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, /* without its flushes by chance */
                  "lui a0, 0x1000; csrrs zero, 0x7c0, a0; lw a1, 0x444(zero); "
                  "beq a1, zero, 0x1008; ebreak");
    ck_assert_int_eq(wait_pass(chip, 10000), PENROSE_QUIET);
    wait_make_report(chip);
    lacks("fence");
    wait_set_register(chip, 1, 2, 0x444, 7);
    ck_assert_int_eq(wait_pass(chip, 10000), PENROSE_QUIET);
    wait_make_report(chip);
    has("^  tile \\(1, 2\\) root cause: no fence: brisc reads L1 at 0x00000444 from its cache, "
        "where it is stale$");
    has("brisc at pc .*: polls 0x00000444 \\(L1, holds 0x0\\); no fence since it has read "
        "0x00000444, which is stale in its cache: 0x0 there, 0x7 in L1$");
    penrose_chip_destroy(chip);
}

TEST(more_pages_popped_than_came_is_the_root)
{
    struct penrose_chip *chip = wait_chip();
    wait_set_register(chip, 1, 2, 0xffb48028, 2);  /* received */
    wait_set_register(chip, 1, 2, 0xffb48020, 32); /* acknowledged */
    start_program(chip, 1, 2, PENROSE_NCRISC, 0x1000, "ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 2; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("^  tile \\(1, 2\\) root cause: 30 more pages were popped from stream 8 than came$");
    has("^      -> trisc0 waits for pages of stream 8$");
    penrose_chip_destroy(chip);
}

/* --- Links --- */

/* A scene: what erisc1 does at both ends of a link, and a worker of chip 1 that posts to the end there.
 * (20, 25) of chip 0 waits for 0x444. */
struct link_scene {
    const char *there, *worker; /* programs; NULL: none */
    bool is_cut;
    const char *pattern[4];
};

static struct penrose_cluster *open_pair(struct penrose_chip *chip[2], bool is_cut)
{
    struct penrose_cluster *cluster;
    ck_assert_int_eq(penrose_cluster_create(1, &cluster, NULL), PENROSE_OK);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(penrose_cluster_add(cluster, NULL, &chip[i], NULL), PENROSE_OK);
    }
    if (!is_cut) {
        ck_assert_int_eq(penrose_ethernet_link(chip[0], 20, 25, chip[1], 29, 25, NULL), PENROSE_OK);
    }
    return cluster;
}

TEST_EACH(waits_are_followed_over_links, 6)
{
    static const char *const sends = /* zeros to the other end's 0x440, and waits for 0x448 */
        "lui s0, 0xffb90; addi a1, zero, 0x440; sw a1, 0x14(s0); sw a1, 0x1c(s0); "
        "addi a1, zero, 16; sw a1, 0x18(s0); addi a2, zero, 2; sw a2, 4(s0); lw a0, 0x448(zero); "
        "beq a0, zero, 0x1020; ebreak";
    static const char *const posts = /* once, and waits for 0x44c */
        "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); lw a0, 0x44c(zero); "
        "beq a0, zero, 0x100c; ebreak";
    static const char *const waits = "lw a0, 0x448(zero); beq a0, zero, 0x1000; ebreak";
    static const struct link_scene rows[] = {
        {"lw a0, 0x448(zero); addi a1, zero, 2; bne a0, a1, 0x1000; ebreak",
         posts,
         false,
         {"^  tile \\(20, 25\\) root cause: nobody changes L1 at 0x0000044c of chip 1 worker "
          "\\(1, 2\\)$",
          "^      -> chip 1 worker \\(1, 2\\) brisc waits for L1 at 0x0000044c$",
          "^      -> chip 1 Ethernet \\(29, 25\\) erisc1 waits for L1 at 0x00000448; requests of "
          "chip "
          "1 worker \\(1, 2\\) go there$",
          "^      -> erisc1 waits for L1 at 0x00000444; the other end of its link is chip 1 "
          "Ethernet "
          "\\(29, 25\\)$"}},
        {sends,
         NULL,
         false,
         {"^  tile \\(20, 25\\) deadlock: each of these waits for the one above it, and the first "
          "for erisc1 of Ethernet \\(20, 25\\)$",
          "^      -> chip 1 Ethernet \\(29, 25\\) erisc1 waits for L1 at 0x00000448; the other end "
          "of its link is Ethernet \\(20, 25\\)$",
          "^      -> erisc1 waits for L1 at 0x00000444; the other end of its link is chip 1 "
          "Ethernet "
          "\\(29, 25\\), which has sent there before$"}},
        {"ebreak",
         NULL,
         false,
         {"^  tile \\(20, 25\\) root cause: nobody changes L1 at 0x00000444; at the other end of "
          "its "
          "link, chip 1 Ethernet \\(29, 25\\), erisc0 has no work, erisc1 has ended$"}},
        {"addi a0, a0, 1; jal zero, 0x1000",
         NULL,
         false,
         {"^  tile \\(20, 25\\) cause so far: nobody changes L1 at 0x00000444; at the other end of "
          "its link, chip 1 Ethernet \\(29, 25\\), erisc0 has no work, erisc1 runs$"}},
        {NULL,
         NULL,
         false,
         {"^  tile \\(20, 25\\) root cause: .*, erisc0 has no work, erisc1 is in reset$"}},
        {waits,
         NULL,
         true,
         {"^  tile \\(20, 25\\) root cause: nobody changes L1 at 0x00000444, and the port has no "
          "link over which it could come$"}},
    };
    const struct link_scene *row = &rows[_i];
    struct penrose_chip *chip[2];
    struct penrose_cluster *cluster = open_pair(chip, row->is_cut);
    start_program(chip[0], 20, 25, PENROSE_NCRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    if (row->there) {
        start_program(chip[1], 29, 25, PENROSE_NCRISC, CODE, row->there);
    }
    if (row->worker) {
        prepare_post(chip[1], 1, 2, 0x448, AT(29, 25));
        start_program(chip[1], 1, 2, PENROSE_BRISC, CODE, row->worker);
    }
    wait_pass(chip[0], 200000);
    wait_make_report(chip[0]);
    for (unsigned i = 0; i < COUNT(row->pattern) && row->pattern[i]; i++) {
        has(row->pattern[i]);
    }
    lacks("mailbox|base firmware");
    penrose_cluster_destroy(cluster);
}

/* More packets than a TX queue holds. */
TEST(packets_that_nobody_acknowledges_are_told)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 20, 25, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb90; lui a1, 0x20; sw a1, 0x18(s0); sw a1, 0x1c(s0); "
                  "addi a2, zero, 2; sw a2, 4(s0); lw a0, 8(s0); bne a0, zero, 0x1018; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("^  tile \\(20, 25\\) root cause: 64 packets that it has sent are not acknowledged: the "
        "port "
        "has no link$");
    has("polls 0xffb90008 \\(Ethernet: ETH_TXQ_STATUS; the port has no link, holds 0x10000\\)$");
    penrose_chip_destroy(chip);
}
