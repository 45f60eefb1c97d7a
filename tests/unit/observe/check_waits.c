/*
 * The wait report: what each kind of waiting is called, requests under way and lost responses,
 * tiles that share a line, and its length on a whole chip.
 */
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include <penrose/penrose.h>

#include "chip/chip.h"
#include "observe/waits/lines.h"
#include "observe/waits/places.h"
#include "observe/waits/waits.h"
#include "unit/chip/chip_program.h"
#include "unit/test.h"

enum { CODE = 0x1000, TEXT = 65536 };
#define NIU(noc) (UINT32_C(0xffb20000) + ((uint32_t)(noc) << 16))
#define AT(x, y) ((uint32_t)(x) | (uint32_t)(y) << 6)

static char text[TEXT];

static struct penrose_chip *open_chip(void)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    options.policy[PENROSE_FAULT_NOC_ADDRESS] = PENROSE_WARN;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

static enum penrose_outcome pass(struct penrose_chip *chip, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles};
    return penrose_run(chip, &run);
}

static void make_report(struct penrose_chip *chip)
{
    int length = penrose_wait_report(chip, text, sizeof text);
    ck_assert_int_eq(length, (int)strlen(text));
    ck_assert_int_eq(penrose_wait_report(chip, NULL, 0), length);
}

static bool matches(const char *pattern)
{
    regex_t regex;
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

#define has(pattern)   ck_assert_msg(matches(pattern), "no /%s/ in:\n%s", pattern, text)
#define lacks(pattern) ck_assert_msg(!matches(pattern), "/%s/ in:\n%s", pattern, text)

static unsigned count_lines(void)
{
    unsigned count = 0;
    for (const char *c = text; *c; c++) {
        count += *c == '\n';
    }
    return count;
}

static void set_register(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address,
                         uint32_t value)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, x, y, address, &value, sizeof value, &error) == PENROSE_OK,
                  "%s", error.text);
}

/* What command buffer 0 of (1, 2) asks for; a hart gives the command. */
static void prepare_request(struct penrose_chip *chip, unsigned noc, uint32_t target,
                            uint32_t target_tile, uint32_t back, uint32_t back_tile, uint32_t ctrl,
                            uint32_t length, uint32_t tag)
{
    const uint32_t values[][2] = {
        {0x00, target}, {0x08, target_tile}, {0x0c, back},   {0x14, back_tile},
        {0x18, tag},    {0x1c, ctrl},        {0x20, length}, {0x28, 1}};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        set_register(chip, 1, 2, NIU(noc) + values[i][0], values[i][1]);
    }
}

enum { READ = 0, ATOMIC = 1, WRITE = 2, RESPONSE = 16, MULTICAST = 32, LINKED = 64 };

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
    struct penrose_chip *chip = open_chip();
    char pattern[200];
    bool is_write = awaited[row].ctrl == (WRITE | RESPONSE);
    uint32_t there = AT(2, 2), here = AT(1, 2);
    prepare_request(chip, noc, 0x8000, is_write ? here : there, 0x3000, is_write ? there : here,
                    awaited[row].ctrl, awaited[row].length, 3 << 10);
    start_waiter(chip, noc, awaited[row].counter, false);
    bool seen = false;
    for (unsigned i = 0; i < 20 && pass(chip, 128) == PENROSE_CYCLES; i++) {
        make_report(chip);
        snprintf(pattern, sizeof pattern,
                 "tile \\(1, 2\\) brisc at pc 0x000010(0c|10): polls 0xffb[23]0[0-9a-f]* "
                 "\\(NoC %u: %s; 1 request is under way, to worker \\(2, 2\\), holds 0x0\\)",
                 noc, awaited[row].name);
        seen |= matches(pattern);
        lacks("missing");
    }
    ck_assert_msg(seen, "never saw /%s/, but:\n%s", pattern, text);
    ck_assert_int_eq(pass(chip, 10000), PENROSE_QUIET);
    make_report(chip);
    has("brisc at pc .* paused");
    lacks("missing");
    penrose_chip_destroy(chip);
}

TEST_EACH(lost_responses_are_told, 2 * COUNT(awaited))
{
    unsigned row = (unsigned)_i / 2, noc = (unsigned)_i % 2;
    struct penrose_chip *chip = open_chip();
    char pattern[200];
    bool is_write = awaited[row].ctrl == (WRITE | RESPONSE);
    uint32_t there = AT(2, 2), other = AT(3, 3); /* which gets the response */
    prepare_request(chip, noc, 0x8000, is_write ? other : there, 0x3000, is_write ? there : other,
                    awaited[row].ctrl, awaited[row].length, 5 << 10);
    start_waiter(chip, noc, awaited[row].counter, false);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    prepare_request(chip, 0, 0x8000, AT(2, 2), 0x3000, AT(3, 3), READ, 16, 6 << 10);
    start_waiter(chip, 0, 16 + 6, true);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    uint32_t span = AT(ends[_i].x, ends[_i].y) | AT(2, 2) << 12;
    prepare_request(chip, 0, 0x8000, AT(1, 2), 0x3000, span, WRITE | RESPONSE | MULTICAST, 16,
                    4 << 10);
    start_program(
        chip, 1, 2, PENROSE_BRISC, CODE,
        "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); sw a4, 0x40(s0); lw a5, 0x250(s0);"
        "lw a6, 0x204(s0); beq zero, zero, 0x1010; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("tile \\(1, 2\\) brisc at pc .*: polls .*outstanding requests of transaction id 4");
    has(_i == 0 ? "nobody asked, holds 0x0"
                : "it counts a multicast once, and down for each recei");
    lacks("missing");
    lacks("more responses");
    penrose_chip_destroy(chip);
}

TEST(a_lost_read_is_told_beside_multicasts)
{
    struct penrose_chip *chip = open_chip();
    prepare_request(chip, 0, 0x8000, AT(1, 2), 0x3000, AT(4, 4) | AT(2, 2) << 12,
                    WRITE | RESPONSE | MULTICAST, 16, 4 << 10);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    prepare_request(chip, 0, 0x8000, AT(2, 2), 0x3000, AT(3, 3), READ, 16, 0);
    start_program(chip, 1, 2, PENROSE_NCRISC, 0x2000,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    bool seen = false;
    start_program(chip, 2, 2, PENROSE_NCRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    ck_assert_int_eq(pass(chip, 10000), PENROSE_QUIET);
    make_report(chip);
    has("tile \\(2, 2\\) ncrisc at pc .*: polls 0x00000444 \\(L1, holds 0x0\\)$");
    ck_assert(!waits_for_work_only(chip)); /* as far as is known */
    prepare_request(chip, 0, 0x444, AT(2, 2), 0x3000, AT(1, 2), ATOMIC, 0x107d, 0);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    for (unsigned i = 0; i < 10 && pass(chip, 128) == PENROSE_CYCLES; i++) {
        make_report(chip);
        seen |= matches("\\(L1, holds 0x0\\), 1 write to it is under way, from worker \\(1, 2\\)$");
    }
    ck_assert(seen);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 4, 4, rows[_i].hart, CODE, rows[_i].program);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has(rows[_i].pattern);
    ck_assert_uint_eq(count_lines(), 1);
    penrose_chip_destroy(chip);
}

TEST(other_tiles_name_their_harts)
{
    struct penrose_chip *chip = open_chip();
    start_program(chip, 22, 25, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb98; lw a5, 0xc(s0); beq a5, zero, 0x1004; ebreak");
    start_program(chip, 22, 25, PENROSE_NCRISC, 0x1100, "jal zero, 0x1100");
    start_program(chip, 18, 20, PENROSE_BRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("tile \\(22, 25\\) erisc0 .*\\(Ethernet: ETH_CTRL_PCS_STATUS; the port has no link, holds "
        "0x0\\)");
    has("tile \\(22, 25\\) erisc1 .*: endless loop");
    has("tile \\(18, 20\\) drisc .*: polls 0x00000444 \\(L1, holds 0x0\\)");
    penrose_chip_destroy(chip);
}

/* --- Transactions that nobody ends --- */

TEST_EACH(open_transactions_are_told, 2)
{
    struct penrose_chip *chip = open_chip();
    prepare_request(chip, (unsigned)_i, 0x8000, AT(1, 2), 0x3000, AT(2, 3), WRITE | LINKED, 16, 0);
    char program[200];
    snprintf(program, sizeof program, "lui s0, %u; addi a4, zero, 1; sw a4, 0x40(s0); ebreak",
             (unsigned)(NIU(_i) >> 12));
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, program);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    ck_assert_int_eq(pass(chip, 100000), PENROSE_FAULT);
    ck_assert_uint_eq(penrose_fault_count(chip), 1);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_UNIMPLEMENTED);
    ck_assert_ptr_nonnull(strstr(fault.rule, "stream 0 sends to (63, 63)"));
    penrose_chip_destroy(chip);
}

TEST(streams_in_a_phase_are_told_with_their_peers)
{
    struct penrose_chip *chip = open_chip();
    start_stream(chip, 1, 2, 12, OVERLAY_REMOTE_DEST, AT(2, 3) | 9u << 12,
                 FROM_SOFTWARE | TO_REMOTE | CHANGES);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("tile \\(1, 2\\) overlay stream 12, phase 7, 3 messages left, waits for handshake "
        "responses "
        "\\(DEST_PHASE_READY_UPDATE\\) of stream 9 of \\(2, 3\\) on NoC 0");
    start_stream(chip, 2, 3, 9, OVERLAY_REMOTE_SRC, AT(1, 2) | 12u << 12,
                 FROM_REMOTE | TO_SOFTWARE | CHANGES);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("tile \\(1, 2\\) overlay stream 12, .*, waits for software to push messages");
    has("tile \\(2, 3\\) overlay stream 9, .*, waits for messages of stream 12 of \\(1, 2\\)");
    penrose_chip_destroy(chip);
}

/* --- At a tile's door --- */

TEST(what_waits_at_a_door_is_told)
{
    struct penrose_chip *chip = open_chip();
    bool seen = false;
    prepare_request(chip, 0, 0x8000, AT(1, 2), 0x3000, AT(2, 2), WRITE, 32, 0);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); sw a4, 0x40(s0); ebreak");
    for (unsigned i = 0; i < 10 && !seen && pass(chip, 128) == PENROSE_CYCLES; i++) {
        struct tile *tile;
        ck_assert_int_eq(chip_tile(chip, 2, 2, &tile, NULL), PENROSE_OK);
        struct noc_packet *first = noc_queue_take(&tile->inbox, UINT64_MAX);
        if (!first) {
            continue;
        }
        noc_queue_return(&tile->inbox, first); /* as tile_noc_arrivals does */
        tile->inbox_waits = true;
        make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    for (unsigned y = 2; y < 12; y++) {
        for (unsigned x = 1; x < 17; x++) {
            if (penrose_tile_kind(chip, x, y) == PENROSE_TILE_TENSIX) {
                uint32_t value = x == 5 ? 0 : y;
                set_register(chip, x, y, 0x448, value);
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
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    ck_assert_uint_eq(count_lines(), 3);
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
    struct sink sink = {.text = text, .size = sizeof text};
    wait_lines_write(&lines, &sink);
    ck_assert_uint_eq(count_lines(), WAIT_LINES + 1);
    has("^  and 15 more lines$"); /* those of idle harts are not missed */
    unsigned waits = 0, idle = 0, all_waits = 0;
    for (const char *at = text; (at = strstr(at, "of interest")); at++) {
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
    ck_assert_int_eq(strncmp(small, text, sizeof small - 1), 0);
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
    struct sink sink = {.text = text, .size = sizeof text};
    wait_lines_write(&lines, &sink);
    has("^  2 tiles \\(\\(1, 2\\), \\(31, 31\\)\\) 0, 1, 2, ");
    ck_assert_uint_eq(count_lines(), 1);
    ck_assert_uint_lt(strlen(text), WAIT_TEXT_BYTES + 100);
    wait_lines_free(&lines);
}

/* --- Chains --- */

/* The lines of a text as they are wanted, in this order. */
static void has_lines(const char *const *line)
{
    const char *at = text;
    for (; *line; line++) {
        const char *found = strstr(at, *line);
        ck_assert_msg(found != NULL, "no \"%s\" behind the one before it in:\n%s", *line, text);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_NCRISC, 0x1000, "ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300,
                  ".ttinsn MVMUL 3, 0, 0, 0; .ttinsn SEMPOST 2; ebreak");
    start_program(
        chip, 1, 2, PENROSE_TRISC2, 0x1400,
        ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, 0, "
        "0, 1; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, "ebreak");
    start_program(
        chip, 1, 2, PENROSE_TRISC2, 0x1400,
        ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, 0, "
        "0, 1; lui a0, 0xffe80; addi a0, a0, 4; lw a1, 0(a0); ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  ".ttinsn SEMINIT 1, 0, 4; .ttinsn SEMWAIT 511, 4, 1; .ttinsn SEMPOST 2; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SEMPOST 4; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200, "lui s0, 0xffec2; lw a5, 0(s0); ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, "lui s0, 0xffec1; lw a5, 0(s0); ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  ".ttinsn SEMINIT 1, 0, 4; .ttinsn SEMWAIT 511, 4, 1; .ttinsn SEMPOST 2; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SEMPOST 8; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1400,
                  ".ttinsn SEMINIT 1, 0, 8; .ttinsn SEMWAIT 511, 8, 1; .ttinsn SEMPOST 4; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has_lines(lines);
    penrose_chip_destroy(chip);
}

TEST(a_mailbox_that_nobody_empties)
{
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffec2; sw a0, 0(a0); sw a0, 0(a0); sw a0, 0(a0); sw a0, 0(a0); "
                  "sw a0, 0(a0); ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, "ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    prepare_request(chip, 0, 0x8000, AT(2, 2), 0x3000, AT(3, 3), READ, 16, 3 << 10);
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); lw a5, 0x208(s0); "
                  "beq a5, zero, 0x100c; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 2, 2, PENROSE_NCRISC, CODE,
                  "lw a0, 0x444(zero); addi a1, zero, 77; bne a0, a1, 0x1000; ebreak");
    prepare_request(chip, rows[_i].noc, rows[_i].target, rows[_i].tile, rows[_i].back,
                    rows[_i].back_tile, rows[_i].ctrl, rows[_i].length, 0);
    char program[200];
    snprintf(program, sizeof program,
             "lui s0, %u; addi a4, zero, 1; sw a4, 0x40(s0); lui a0, 0xffb48; addi a1, zero, 0; "
             "lw a2, 0x28(a0); beq a2, a1, 0x1014; ebreak",
             (unsigned)(NIU(rows[_i].noc) >> 12));
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1200, "ebreak");
    start_program(chip, 1, 2, PENROSE_BRISC, CODE, program);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, "ebreak");
    start_program(chip, 1, 2, PENROSE_BRISC, 0x1100,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1100; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("root cause: nobody pushes pages to stream 8, which is empty: ncrisc has ended,");
    has("^      -> trisc0 waits for pages of stream 8$");
    lacks("-> brisc");
    penrose_chip_destroy(chip);
}

/* Who waits for one who runs is no deadlock. */
TEST(no_chain_while_somebody_runs)
{
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, "addi a0, a0, 1; jal zero, 0x1000");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_CYCLES);
    make_report(chip);
    lacks("root cause");
    penrose_chip_destroy(chip);
}

/* --- What waits in the coprocessor --- */

TEST(the_wait_instruction_is_named)
{
    struct penrose_chip *chip = open_chip();
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1400,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, "
                  "0, 0, 1; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    char program[200], pattern[200];
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1300, rows[_i].poster);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    snprintf(program, sizeof program,
             "%s.ttinsn SEMWAIT 511, 2, 1; .ttinsn SETADCXY 4, 0, 0, 0, 0, 1; ebreak",
             rows[_i].before);
    start_program(chip, 1, 2, PENROSE_TRISC2, 0x1400, program);
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    struct penrose_fault fault;
    prepare_request(chip, 0, 0x8000, AT(63, 63), 0x3000, AT(1, 2), READ, 16, 0);
    start_waiter(chip, 0, NIU_MST_RD_RESP_RECEIVED, false);
    pass(chip, 10000);
    ck_assert(penrose_fault_get(chip, 0, &fault));
    ck_assert_int_eq(fault.kind, PENROSE_FAULT_NOC_ADDRESS);
    ck_assert_ptr_nonnull(strstr(fault.rule, "there is no tile at (63, 63) of NoC 0: "));
    ck_assert_int_eq(penrose_tile_kind(chip, 63, 63), PENROSE_NO_TILE);
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
        set_register(chip, x, y, NIU(0) + values[i][0], values[i][1]);
    }
}

/* Five workers post to (1, 2), ask for something else, and wait for its answer. The post of one goes to
 * another tile, that of another nowhere; (1, 2) waits for both. */
TEST(all_senders_are_told_and_those_who_have_not_sent)
{
    static const uint32_t targets[] = {AT(1, 2), AT(1, 2), AT(10, 2), AT(63, 63), AT(1, 2)};
    struct penrose_chip *chip = open_chip();
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
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    start_program(chip, 2, 2, PENROSE_BRISC, CODE,
                  "lw a0, 0x444(zero); beq a0, zero, 0x1000; ebreak");
    prepare_post(chip, 1, 2, 0x444, AT(10, 2));
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi a4, zero, 1; sw a4, 0x40(s0); ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("^  tile \\(1, 2\\) ncrisc has sent to 0x00000444 of worker \\(10, 2\\), on which nothing "
        "runs; worker \\(2, 2\\) waits for that word, and nobody has sent to it$");
    penrose_chip_destroy(chip);
}

/* A few tiles whose values are others have lines of their own. */
TEST(other_values_are_other_lines)
{
    struct penrose_chip *chip = open_chip();
    for (unsigned x = 1; x < 7; x++) {
        set_register(chip, x, 2, 0x444, x == 3 ? 4 : 5);
        start_program(chip, x, 2, PENROSE_BRISC, CODE,
                      "lw a0, 0x444(zero); bne a0, zero, 0x1000; ebreak");
    }
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    struct penrose_chip *chip = open_chip();
    char program[300], pattern[300];
    prepare_request(chip, 0, 0x1000, rows[_i].tile, 0x600, AT(1, 2), READ, 16, 0);
    snprintf(program, sizeof program,
             "lui s0, 0xffb20; addi a4, zero, 1; lui a3, 1; sw a4, 0x40(s0); lw a5, 0x40(s0); "
             "andi a5, a5, 1; bne a5, zero, 0x1010; lw a6, 0x600(zero); addi a3, a3, %u; "
             "sw a3, 0(s0); beq a6, zero, 0x100c; ebreak",
             rows[_i].step);
    start_program(chip, 1, 2, PENROSE_NCRISC, CODE, program);
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 0; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(pass(chip, 20000), PENROSE_CYCLES);
    make_report(chip);
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
    ck_assert_int_eq(pass(chip, 10000), PENROSE_QUIET);
    make_report(chip);
    lacks("fence");
    set_register(chip, 1, 2, 0x444, 7);
    ck_assert_int_eq(pass(chip, 10000), PENROSE_QUIET);
    make_report(chip);
    has("^  tile \\(1, 2\\) root cause: no fence: brisc reads L1 at 0x00000444 from its cache, "
        "where it is stale$");
    has("brisc at pc .*: polls 0x00000444 \\(L1, holds 0x0\\); no fence since it has read "
        "0x00000444, which is stale in its cache: 0x0 there, 0x7 in L1$");
    penrose_chip_destroy(chip);
}

TEST(more_pages_popped_than_came_is_the_root)
{
    struct penrose_chip *chip = open_chip();
    set_register(chip, 1, 2, 0xffb48028, 2);  /* received */
    set_register(chip, 1, 2, 0xffb48020, 32); /* acknowledged */
    start_program(chip, 1, 2, PENROSE_NCRISC, 0x1000, "ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "lui a0, 0xffb48; addi a1, zero, 2; lw a2, 0x28(a0); beq a2, a1, 0x1208; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
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
    pass(chip[0], 200000);
    make_report(chip[0]);
    for (unsigned i = 0; i < COUNT(row->pattern) && row->pattern[i]; i++) {
        has(row->pattern[i]);
    }
    lacks("mailbox|base firmware");
    penrose_cluster_destroy(cluster);
}

/* More packets than a TX queue holds. */
TEST(packets_that_nobody_acknowledges_are_told)
{
    struct penrose_chip *chip = open_chip();
    start_program(chip, 20, 25, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb90; lui a1, 0x20; sw a1, 0x18(s0); sw a1, 0x1c(s0); "
                  "addi a2, zero, 2; sw a2, 4(s0); lw a0, 8(s0); bne a0, zero, 0x1018; ebreak");
    ck_assert_int_eq(pass(chip, 100000), PENROSE_QUIET);
    make_report(chip);
    has("^  tile \\(20, 25\\) root cause: 64 packets that it has sent are not acknowledged: the "
        "port "
        "has no link$");
    has("polls 0xffb90008 \\(Ethernet: ETH_TXQ_STATUS; the port has no link, holds 0x10000\\)$");
    penrose_chip_destroy(chip);
}
