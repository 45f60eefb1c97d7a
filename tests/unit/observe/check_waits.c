/*
 * The wait report: what each kind of waiting is called, requests under way and lost responses,
 * tiles that share a line, and its length on a whole chip.
 */
#include "unit/observe/wait_report.h"

#include <stdio.h>
#include <string.h>

#include "observe/waits/lines.h"
#include "observe/waits/places.h"
#include "observe/waits/waits.h"

/* --- Counters --- */

/* Counters that a request changes when its response is back. */
static const struct {
    unsigned counter;
    uint32_t ctrl, length;
    const char *name;
} awaited[] = {
    {NIU_MST_ATOMIC_RESP_RECEIVED, ATOMIC | RESPONSE, 0x107c, "NIU_MST_ATOMIC_RESP_RECEIVED"},
    {NIU_MST_WR_ACK_RECEIVED, WRITE | RESPONSE, 16, "NIU_MST_WR_ACK_RECEIVED"},
    {NIU_MST_RD_RESP_RECEIVED, READ, 16, "NIU_MST_RD_RESP_RECEIVED"},
    {NIU_MST_RD_DATA_WORD_RECEIVED, READ, 16, "NIU_MST_RD_DATA_WORD_RECEIVED"},
};

static void start_waiter(struct penrose_chip *chip, unsigned noc, unsigned counter, bool negated)
{
    char program[200];
    snprintf(program, sizeof program,
             "lui s0, %u; addi a4, zero, 1; sw a4, 0x40(s0); lw a5, %u(s0); %s a5, zero, 0x100c; "
             "ebreak",
             (unsigned)(NIU(noc) >> 12), NIU_COUNTERS + 4 * counter, negated ? "bne" : "beq");
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
}

TEST_EACH(counters_are_named_with_requests_under_way, 2 * COUNT(awaited))
{
    unsigned row = (unsigned)_i / 2, noc = (unsigned)_i % 2;
    struct penrose_chip *chip = wait_chip();
    char pattern[200];
    bool is_write = awaited[row].ctrl == (WRITE | RESPONSE);
    uint32_t there = AT(2, 2), here = AT(1, 2);
    wait_prepare_request(chip, noc, 0x8000, is_write ? here : there, 0x3000,
                         is_write ? there : here, awaited[row].ctrl, awaited[row].length, 3 << 10);
    start_waiter(chip, noc, awaited[row].counter, false);
    bool seen = false;
    for (unsigned i = 0; i < 20 && wait_pass(chip, 128) == PENROSE_CYCLES; i++) {
        wait_make_report(chip);
        snprintf(pattern, sizeof pattern,
                 "tile \\(1, 2\\) brisc at pc 0x000010(0c|10): polls 0xffb[23]0[0-9a-f]* "
                 "\\(NoC %u: %s; 1 request is under way, to worker \\(2, 2\\), holds 0x0\\)",
                 noc, awaited[row].name);
        seen |= wait_matches(pattern);
        lacks("missing");
    }
    ck_assert_msg(seen, "never saw /%s/, but:\n%s", pattern, wait_text);
    ck_assert_int_eq(wait_pass(chip, 10000), PENROSE_QUIET);
    wait_make_report(chip);
    has("brisc at pc .* paused");
    lacks("missing");
    penrose_chip_destroy(chip);
}

TEST_EACH(lost_responses_are_told, 2 * COUNT(awaited))
{
    unsigned row = (unsigned)_i / 2, noc = (unsigned)_i % 2;
    struct penrose_chip *chip = wait_chip();
    char pattern[200];
    bool is_write = awaited[row].ctrl == (WRITE | RESPONSE);
    uint32_t there = AT(2, 2), other = AT(3, 3); /* which gets the response */
    wait_prepare_request(chip, noc, 0x8000, is_write ? other : there, 0x3000,
                         is_write ? there : other, awaited[row].ctrl, awaited[row].length, 5 << 10);
    start_waiter(chip, noc, awaited[row].counter, false);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    wait_make_report(chip);
    snprintf(pattern, sizeof pattern,
             "%s; no request is under way: an answer was lost, or nobody asked, holds 0x0",
             awaited[row].name);
    has(pattern);
    snprintf(
        pattern, sizeof pattern,
        "tile \\(1, 2\\) NoC %u, transaction id 5: responses are missing, and nothing is under "
        "way: .*; 1 missing",
        noc);
    has(pattern);
    penrose_chip_destroy(chip);
}

TEST(outstanding_requests_and_strangers_responses)
{
    struct penrose_chip *chip = wait_chip();
    wait_prepare_request(chip, 0, 0x8000, AT(2, 2), 0x3000, AT(3, 3), READ, 16, 6 << 10);
    start_waiter(chip, 0, 16 + 6, true);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("polls 0xffb20258 \\(NoC 0: outstanding requests of transaction id 6; no request is under");
    has("tile \\(1, 2\\) NoC 0, transaction id 6: responses are missing");
    has("tile \\(3, 3\\) NoC 0, transaction id 6: more responses came than were asked for");
    penrose_chip_destroy(chip);
}

/* An id counts a multicast once, and down for each of its receivers: nothing is said of responses
 * that were not lost, whatever the counters of ids hold. */
TEST_EACH(multicasts_lose_nothing, 5)
{
    static const struct {
        unsigned x, y; /* the last receiver; the first is (2, 2) */
    } ends[] = {{2, 2}, {3, 2}, {4, 4}, {7, 11}, {16, 11}};
    struct penrose_chip *chip = wait_chip();
    uint32_t span = AT(ends[_i].x, ends[_i].y) | AT(2, 2) << 12;
    wait_prepare_request(chip, 0, 0x8000, AT(1, 2), 0x3000, span, WRITE | RESPONSE | MULTICAST, 16,
                         4 << 10);
    start_program(
        chip, 1, 2, PENROSE_BRISC, CODE,
        "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); sw a4, 0x40(s0); lw a5, 0x250(s0);"
        "lw a6, 0x204(s0); beq zero, zero, 0x1010; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("tile \\(1, 2\\) brisc at pc .*: polls .*outstanding requests of transaction id 4");
    has(_i == 0 ? "nobody asked, holds 0x0"
                : "it counts a multicast once, and down for each recei");
    lacks("missing");
    lacks("more responses");
    penrose_chip_destroy(chip);
}

TEST(a_lost_read_is_told_beside_multicasts)
{
    struct penrose_chip *chip = wait_chip();
    wait_prepare_request(chip, 0, 0x8000, AT(1, 2), 0x3000, AT(4, 4) | AT(2, 2) << 12,
                         WRITE | RESPONSE | MULTICAST, 16, 4 << 10);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_prepare_request(chip, 0, 0x8000, AT(2, 2), 0x3000, AT(3, 3), READ, 16, 0);
    start_program(chip, 1, 2, PENROSE_NCRISC, 0x2000,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("tile \\(1, 2\\) NoC 0, reads: responses are missing, and nothing is under way: .*; 1 "
        "miss");
    lacks("tile \\(1, 2\\) NoC 0, transaction id");
    lacks("tile \\(1, 2\\) .*more responses");
    penrose_chip_destroy(chip);
}

TEST(all_counters_have_names)
{
    unsigned named = 0;
    for (unsigned counter = 0; counter < 80; counter++) {
        const char *name = wait_places_counter(counter);
        bool expected = counter < 16 || (counter >= 48 && counter < 62);
        ck_assert(expected == (name != NULL));
        named += name != NULL;
        for (unsigned other = 0; name && other < counter; other++) {
            const char *before = wait_places_counter(other);
            ck_assert(!before || strcmp(before, name) != 0);
        }
    }
    ck_assert_uint_eq(named, 30);
}

/* --- Words of L1 --- */

TEST(writes_to_a_polled_word_are_told)
{
    struct penrose_chip *chip = wait_chip();
    bool seen = false;
    start_program(chip, 2, 2, PENROSE_NCRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    ck_assert_int_eq(wait_pass(chip, 10000), PENROSE_QUIET);
    wait_make_report(chip);
    has("tile \\(2, 2\\) ncrisc at pc .*: polls 0x00000444 \\(L1, holds 0x0\\)$");
    ck_assert(!waits_for_work_only(chip)); /* as far as is known */
    wait_prepare_request(chip, 0, 0x444, AT(2, 2), 0x3000, AT(1, 2), ATOMIC, 0x107d, 0);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    for (unsigned i = 0; i < 10 && wait_pass(chip, 128) == PENROSE_CYCLES; i++) {
        wait_make_report(chip);
        seen |= wait_matches(
            "\\(L1, holds 0x0\\), 1 write to it is under way, from worker \\(1, 2\\)$");
    }
    ck_assert(seen);
    wait_make_report(chip);
    has("tile \\(2, 2\\) ncrisc at pc .*: paused by ebreak");
    penrose_chip_destroy(chip);
}

TEST_EACH(places_have_words, 7)
{
    static const struct {
        const char *program, *pattern;
        enum penrose_hart hart;
    } rows[] = {
        {"lui s0, 0xffb49; lw a5, 0x28(s0); beq a5, zero, 0x1004; ebreak",
         "polls 0xffb49028 \\(stream 9: [A-Z_]+, holds 0x0\\)", PENROSE_BRISC},
        {"lui s0, 0xffe80; lw a5, 0x34(s0); beq a5, zero, 0x1004; ebreak",
         "polls 0xffe80034 \\(Tensix semaphore 5, holds 0x0\\)", PENROSE_TRISC0},
        {"lui s0, 0xffb20; lw a5, 0x44(s0); bne a5, zero, 0x1004; ebreak",
         "polls 0xffb20044 \\(NoC 0: NOC_NODE_ID, holds 0x", PENROSE_BRISC},
        {"lui s0, 0xffec1; lw a5, 0(s0); ebreak",
         "load from 0xffec1000 \\(mailboxes\\) is not answered: trisc0 has sent nothing",
         PENROSE_BRISC},
        {"lui s0, 0xffec3; lw a5, 0(s0); ebreak", "not answered: trisc2 has sent nothing",
         PENROSE_BRISC},
        {"jal zero, 0x1000", "endless loop without effect", PENROSE_BRISC},
        {"ebreak", "paused by ebreak", PENROSE_BRISC},
    };
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 4, 4, rows[_i].hart, CODE, rows[_i].program);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has(rows[_i].pattern);
    ck_assert_uint_eq(wait_count_lines(), 1);
    penrose_chip_destroy(chip);
}

TEST(other_tiles_name_their_harts)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 22, 25, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb98; lw a5, 0xc(s0); beq a5, zero, 0x1004; ebreak");
    start_program(chip, 22, 25, PENROSE_NCRISC, 0x1100, "jal zero, 0x1100");
    start_program(chip, 18, 20, PENROSE_BRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("tile \\(22, 25\\) erisc0 .*\\(Ethernet: ETH_CTRL_PCS_STATUS; the port has no link, holds "
        "0x0\\)");
    has("tile \\(22, 25\\) erisc1 .*: endless loop");
    has("tile \\(18, 20\\) drisc .*: polls 0x00000444 \\(L1, holds 0x0\\)");
    penrose_chip_destroy(chip);
}

/* --- Transactions that nobody ends --- */

TEST_EACH(open_transactions_are_told, 2)
{
    struct penrose_chip *chip = wait_chip();
    wait_prepare_request(chip, (unsigned)_i, 0x8000, AT(1, 2), 0x3000, AT(2, 3), WRITE | LINKED, 16,
                         0);
    char program[200];
    snprintf(program, sizeof program, "lui s0, %u; addi a4, zero, 1; sw a4, 0x40(s0); ebreak",
             (unsigned)(NIU(_i) >> 12));
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, program);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    char pattern[200];
    snprintf(pattern, sizeof pattern,
             "tile \\(1, 2\\) NoC %d: a linked transaction to raw %s is open by ncrisc at pc "
             "0x00001008 since cycle 2: nothing else can leave",
             _i, _i ? "\\(14, 8\\)" : "\\(2, 3\\)");
    has(pattern);
    penrose_chip_destroy(chip);
}

/* --- Streams --- */

enum { FROM_SOFTWARE = 1 << 4, FROM_REMOTE = 1 << 5, TO_SOFTWARE = 1 << 6, TO_REMOTE = 1 << 8 };
enum { CHANGES = 1 << 11 | 1 << 12 }; /* of source and destination: handshakes */

static void write_stream(struct penrose_chip *chip, unsigned x, unsigned y, unsigned stream,
                         unsigned index, uint32_t value)
{
    struct penrose_error error;
    uint32_t address = OVERLAY_REGISTERS_ADDRESS + stream * OVERLAY_STREAM_BYTES + 4 * index;
    ck_assert_msg(penrose_write(chip, x, y, address, &value, 4, &error) == PENROSE_OK, "%s",
                  error.text);
}

/* A phase of three messages, 16 words of buffer. */
static void start_stream(struct penrose_chip *chip, unsigned x, unsigned y, unsigned stream,
                         unsigned peer_register, uint32_t peer, uint32_t misc)
{
    const struct {
        unsigned index;
        uint32_t value;
    } words[] = {{OVERLAY_BUF_START, 0x3000},
                 {OVERLAY_BUF_SIZE, 16},
                 {OVERLAY_MSG_INFO_PTR, 0x4000},
                 {OVERLAY_MSG_INFO_WR_PTR, 0x4000},
                 {OVERLAY_REMOTE_DEST_BUF_START, 0x3000},
                 {OVERLAY_REMOTE_DEST_BUF_SIZE, 16},
                 {OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, 0x4000},
                 {peer_register, peer},
                 {OVERLAY_REMOTE_SRC_PHASE, 7},
                 {OVERLAY_CURR_PHASE, 7},
                 {OVERLAY_PHASE_AUTO_CFG_HEADER, 3 << 12},
                 {OVERLAY_MISC_CFG, misc},
                 {OVERLAY_ONETIME_MISC_CFG, 3 << 2},
                 {OVERLAY_PHASE_ADVANCE, 1}};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        write_stream(chip, x, y, stream, words[i].index, words[i].value);
    }
}

/* (63, 63) is no tile: a link, for which a stream's packet is refused and not sent elsewhere. */
TEST(streams_do_not_reach_links)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_fault fault;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    start_stream(chip, 20, 25, 0, OVERLAY_REMOTE_DEST, AT(63, 63) | 9u << 12,
                 FROM_SOFTWARE | TO_REMOTE | CHANGES);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_FAULT);
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_UNIMPLEMENTED);
    ck_assert_ptr_nonnull(strstr(fault.rule, "stream 0 sends to (63, 63)"));
    penrose_chip_destroy(chip);
}

TEST(streams_in_a_phase_are_told_with_their_peers)
{
    struct penrose_chip *chip = wait_chip();
    start_stream(chip, 1, 2, 12, OVERLAY_REMOTE_DEST, AT(2, 3) | 9u << 12,
                 FROM_SOFTWARE | TO_REMOTE | CHANGES);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("tile \\(1, 2\\) overlay stream 12, phase 7, 3 messages left, waits for handshake "
        "responses "
        "\\(DEST_PHASE_READY_UPDATE\\) of stream 9 of \\(2, 3\\) on NoC 0");
    start_stream(chip, 2, 3, 9, OVERLAY_REMOTE_SRC, AT(1, 2) | 12u << 12,
                 FROM_REMOTE | TO_SOFTWARE | CHANGES);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("tile \\(1, 2\\) overlay stream 12, .*, waits for software to push messages");
    has("tile \\(2, 3\\) overlay stream 9, .*, waits for messages of stream 12 of \\(1, 2\\)");
    penrose_chip_destroy(chip);
}

/* --- At a tile's door --- */

TEST(what_waits_at_a_door_is_told)
{
    struct penrose_chip *chip = wait_chip();
    bool seen = false;
    wait_prepare_request(chip, 0, 0x8000, AT(1, 2), 0x3000, AT(2, 2), WRITE, 32, 0);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); sw a4, 0x40(s0); ebreak");
    for (unsigned i = 0; i < 10 && !seen && wait_pass(chip, 128) == PENROSE_CYCLES; i++) {
        struct tile *tile;
        ck_assert_int_eq(chip_tile(chip, 2, 2, &tile, NULL), PENROSE_OK);
        struct noc_packet *first = noc_queue_take(&tile->inbox, UINT64_MAX);
        if (!first) {
            continue;
        }
        noc_queue_return(&tile->inbox, first); /* as tile_noc_arrivals does */
        tile->inbox_waits = true;
        wait_make_report(chip);
        tile->inbox_waits = false;
        seen = true;
        has("tile \\(2, 2\\) NoC 0: a write of 32 bytes at 0x3000 \\(L1\\) from worker \\(1, 2\\) "
            "cannot be "
            "taken yet; 1 packets wait behind it");
    }
    ck_assert(seen);
    penrose_chip_destroy(chip);
}

/* --- Many tiles --- */

TEST(tiles_share_lines)
{
    struct penrose_chip *chip = wait_chip();
    for (unsigned y = 2; y < 12; y++) {
        for (unsigned x = 1; x < 17; x++) {
            if (penrose_tile_kind(chip, x, y) == PENROSE_TILE_TENSIX) {
                uint32_t value = x == 5 ? 0 : y;
                wait_set_register(chip, x, y, 0x448, value);
                start_program(chip, x, y, PENROSE_BRISC, CODE,
                              "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
                start_program(
                    chip, x, y, PENROSE_TRISC0, 0x1100,
                    "lw a0, 0x448(zero); lw a1, 0x44c(zero); beq a1, zero, 0x1100; ebreak");
            }
        }
    }
    start_program(chip, 3, 3, PENROSE_NCRISC, 0x1200, "jal zero, 0x1200");
    start_program(chip, 6, 9, PENROSE_NCRISC, 0x1200, "jal zero, 0x1200");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    ck_assert_uint_eq(wait_count_lines(), 3);
    has("^  140 tiles \\(x 1-7, 10-16, y 2-11\\) brisc at pc 0x00001000: polls 0x00000444 \\(L1, "
        "holds "
        "0x0\\)$");
    has("^  140 tiles .* trisc0 at pc .*\\(values of \\(1, 2\\); others differ\\)$");
    has("^  2 tiles \\(\\(3, 3\\), \\(6, 9\\)\\) ncrisc at pc 0x00001200: endless loop");
    penrose_chip_destroy(chip);
}

/* Lines of the least interest go first, the number of lines is bounded. */
TEST(reports_stay_short)
{
    enum { IDLE = 30, RUNS = 25, WAITS = 20 };
    struct wait_lines lines = {0};
    struct wait_words words;
    static char small[200];
    for (unsigned i = 0; i < IDLE + RUNS + WAITS; i++) {
        wait_words_start(&words);
        words.interest =
            i % 3 == 0 || i >= 3 * WAITS ? (i % 2 || i >= 70 ? WAIT_IDLE : WAIT_RUNS) : WAIT_WAITS;
        wait_words_put(&words, "line %u of interest %d", i, (int)words.interest);
        wait_words_value(&words, ", value %u", i);
        wait_lines_add(&lines, i % 17, i / 17, &words);
    }
    struct sink sink = {.text = wait_text, .size = sizeof wait_text};
    wait_lines_write(&lines, &sink);
    ck_assert_uint_eq(wait_count_lines(), WAIT_LINES + 1);
    has("^  and 15 more lines$"); /* those of idle harts are not missed */
    unsigned waits = 0, idle = 0, all_waits = 0;
    for (const char *at = wait_text; (at = strstr(at, "of interest")); at++) {
        waits += at[12] == '0' + WAIT_WAITS;
        idle += at[12] == '0' + WAIT_IDLE;
    }
    for (unsigned i = 0; i < lines.count; i++) {
        all_waits += lines.line[i].interest == WAIT_WAITS;
    }
    ck_assert_uint_eq(waits, all_waits);
    ck_assert_uint_eq(idle, 0);
    struct sink little = {.text = small, .size = sizeof small};
    wait_lines_write(&lines, &little);
    ck_assert_int_eq(little.length, sink.length);
    ck_assert_int_eq(strncmp(small, wait_text, sizeof small - 1), 0);
    wait_lines_free(&lines);
}

/* Words that are too long for a line are cut, and nothing else happens. */
TEST(long_words_are_cut)
{
    struct wait_lines lines = {0};
    struct wait_words words;
    wait_words_start(&words);
    for (unsigned i = 0; i < 300; i++) {
        wait_words_put(&words, "%u, ", i);
    }
    wait_lines_add(&lines, 1, 2, &words);
    wait_lines_add(&lines, 31, 31, &words);
    struct sink sink = {.text = wait_text, .size = sizeof wait_text};
    wait_lines_write(&lines, &sink);
    has("^  2 tiles \\(\\(1, 2\\), \\(31, 31\\)\\) 0, 1, 2, ");
    ck_assert_uint_eq(wait_count_lines(), 1);
    ck_assert_uint_lt(strlen(wait_text), WAIT_TEXT_BYTES + 100);
    wait_lines_free(&lines);
}

/* --- What waits in the coprocessor --- */

TEST(the_wait_instruction_is_named)
{
    struct penrose_chip *chip = wait_chip();
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1400,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, "
                  "0, 0, 1; ebreak");
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    has("thread 2, pushed by trisc2 at pc 0x00001404: SEMWAIT 0x1ff, 2, 1: semaphore 1 is 0, and "
        "nobody has posted it; it holds SETADCXY 4");
    penrose_chip_destroy(chip);
}

/* What has become of the posts of a semaphore at which thread 2 waits while it is 0. */
TEST_EACH(posts_that_are_gone_are_told, 4)
{
    static const struct {
        const char *poster, *before, *root, *reason;
    } rows[] = {
        {"ebreak", "", "nobody posts semaphore 1: ", "is 0, and nobody has posted it"},
        {".ttinsn SEMPOST 2; .ttinsn SEMPOST 2; ebreak", ".ttinsn SEMINIT 1, 0, 2; ",
         "SEMINIT of thread 2 has set semaphore 1 from 2 to 0$",
         "is 0: it was 2 until a SEMINIT of thread 2"},
        {".ttinsn SEMPOST 2; ebreak", ".ttinsn SEMGET 2; ",
         "nobody posts semaphore 1, from which what was posted has been taken: ",
         "is 0, and what was posted has been taken"},
        {".ttinsn SEMPOST 2; ebreak", ".ttinsn SEMINIT 1, 1, 2; .ttinsn SEMGET 2; ",
         "nobody posts semaphore 1: ", "is 0, and nobody has posted it"},
    };
    struct penrose_chip *chip = wait_chip();
    char program[200], pattern[200];
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, rows[_i].poster);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    snprintf(program, sizeof program,
             "%s.ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, 0, 0, 1; ebreak",
             rows[_i].before);
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1400, program);
    ck_assert_int_eq(wait_pass(chip, 100000), PENROSE_QUIET);
    wait_make_report(chip);
    snprintf(pattern, sizeof pattern, "^  tile \\(1, 2\\) root cause: %s", rows[_i].root);
    has(pattern);
    snprintf(pattern, sizeof pattern, "SEMWAIT 0x1ff, 2, 1: semaphore 1 %s; it holds",
             rows[_i].reason);
    has(pattern);
    penrose_chip_destroy(chip);
}

/* Firmware's tables have entries for five bits of a coordinate; nobody is named by more. */
TEST(places_beyond_the_names_of_tiles_are_none)
{
    struct penrose_chip *chip = wait_chip();
    struct penrose_fault fault;
    wait_prepare_request(chip, 0, 0x8000, AT(63, 63), 0x3000, AT(1, 2), READ, 16, 0);
    start_waiter(chip, 0, NIU_MST_RD_RESP_RECEIVED, false);
    wait_pass(chip, 10000);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_NOC_ADDRESS);
    ck_assert_ptr_nonnull(strstr(fault.rule, "there is no tile at (63, 63) of NoC 0: "));
    ck_assert_int_eq(penrose_tile_kind(chip, 63, 63), PENROSE_NO_TILE);
    penrose_chip_destroy(chip);
}
