/*
 * The trace: which events there are, with values, in the order of time; filters; the binary form and
 * its reader, which takes any bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <penrose/trace.h>

#include "chip/calls.h"
#include "chip/chip.h"
#include "noc/niu.h"
#include "noc/packet.h"
#include "observe/trace/causes.h"
#include "observe/trace/filter.h"
#include "observe/trace/reader.h"
#include "observe/trace/record.h"
#include "observe/trace/text.h"
#include "observe/trace/writer.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/random.h"
#include "unit/test.h"

enum { CODE = 0x1000, MOST = 4096, TEXT = 1 << 20, FILE_ROOM = 1 << 22 };

/* --- A chip whose harts, coprocessor and NoC do something --- */

static struct penrose_chip *open_chip(void)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

static void pass(struct penrose_chip *chip, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
}

/* brisc of (1, 2) loads and stores, trisc1 pushes instructions of which the second waits for a
 * semaphore that trisc0 posts later, ncrisc of (3, 2) writes 16 bytes to (1, 2). */
static void start_scene(struct penrose_chip *chip)
{
    const uint32_t request[][2] = {{0x00, 0x3000},     {0x08, 3 | 2 << 6}, {0x0c, 0x8000},
                                   {0x14, 1 | 2 << 6}, {0x1c, 2 | 16},     {0x20, 16},
                                   {0x28, 1}};
    for (unsigned i = 0; i < COUNT(request); i++) {
        ck_assert_int_eq(penrose_write(chip, 3, 2, UINT32_C(0xffb20000) + request[i][0],
                                       &request[i][1], 4, NULL),
                         PENROSE_OK);
    }
    start_program(chip, 3, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi a0, zero, 1; sw a0, 0x40(s0); ebreak");
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "addi a0, zero, 0x55; sw a0, 0x400(zero); lw a1, 0x400(zero); lui a2, 0xffb12; "
                  "lw a3, 0x1f0(a2); lui a4, 0xffb00; sb a0, 0x20(a4); lw a5, 0x444(zero); "
                  "beq a5, zero, 0x101c; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC1, 0x1100,
                  ".ttinsn SEMINIT 1, 0, 2; .ttinsn SEMWAIT 1, 2, 1; .ttinsn SETADCXY 1, 0, 0, 0, "
                  "0, 1; ebreak");
    start_program(chip, 1, 2, PENROSE_TRISC0, 0x1200,
                  "addi a0, zero, 100; addi a0, a0, -1; bne a0, zero, 0x1204; .ttinsn SEMPOST 2; "
                  "ebreak");
}

/* --- What is traced --- */

static char text[TEXT];
static size_t text_length;
static struct trace_text *formatter;
static uint64_t latest_cycle;
static bool is_in_order;
static unsigned events;

static void take_text(void *context, const struct penrose_trace_event *event)
{
    (void)context;
    is_in_order &= event->cycle >= latest_cycle;
    latest_cycle = event->cycle;
    events++;
    if (text_length + TRACE_LINE_BYTES < TEXT) {
        text_length += trace_text_line(formatter, event, text + text_length);
        text[text_length] = 0;
    }
}

static void start_text(void)
{
    formatter = formatter ? formatter : trace_text_create(&chip_calls);
    text_length = latest_cycle = events = 0;
    text[0] = 0;
    is_in_order = true;
}

static void trace_scene(const char *filter)
{
    struct penrose_chip *chip = open_chip();
    struct penrose_error error = {0};
    start_text();
    start_scene(chip);
    ck_assert_msg(penrose_trace(chip, filter, take_text, NULL, &error) == PENROSE_OK, "%s",
                  error.text);
    pass(chip, 3000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    penrose_chip_destroy(chip);
}

#define has(part) ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%.1500s", part, text)

static unsigned count_of(const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

TEST(accesses_of_gddr_are_traced)
{
    const uint32_t words[16] = {1};
    const struct command_end from = {3, 2, 0x3000}, to = {17, 13, 0x8000};
    struct penrose_chip *chip = open_chip();
    struct penrose_error error = {0};
    start_text();
    ck_assert_msg(penrose_trace(chip, "kind=data kind=noc", take_text, NULL, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_int_eq(penrose_write(chip, 17, 13, 0x8000, words, sizeof words, NULL), PENROSE_OK);
    command_fill(chip, 3, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, from, to, 64);
    command_fill(chip, 3, 2, 1, COMMAND_READ, to, from, 32);
    start_program(chip, 3, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi s1, s0, 0x7ff; addi s1, s1, 1; addi a0, zero, 1;"
                  "sw a0, 0x40(s0); sw a0, 0x40(s1); ebreak");
    pass(chip, 5000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    penrose_chip_destroy(chip);
    ck_assert(is_in_order);
    has("host     writes 64 bytes at 0x00008000 of GDDR\n");
    has("noc      writes 64 bytes at 0x00008000 of GDDR for 3,2\n");
    has("noc      reads 32 bytes at 0x00008000 of GDDR for 3,2\n");
    has("delivers write of 64 bytes");
}

/* ncrisc of (3, 2) reads from GDDR and polls the counter of responses. Then it writes what it has got to
 * (1, 2), whose brisc polls that word, without a response, and once more with one, for which it waits. */
TEST(waits_end_by_somebody)
{
    const uint32_t words[16] = {1};
    const struct command_end from = {3, 2, 0x3000}, to = {1, 2, 0x8000}, bank = {17, 13, 0x8000};
    const struct penrose_options timed = {.size = sizeof timed, .timed = true};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&timed, &chip, NULL), PENROSE_OK);
    start_text();
    ck_assert_int_eq(penrose_write(chip, 17, 13, 0x8000, words, sizeof words, NULL), PENROSE_OK);
    command_fill(chip, 3, 2, 0, COMMAND_READ, bank, from, 32);
    command_fill(chip, 3, 2, 1, COMMAND_WRITE, from, to, 32);
    command_fill(chip, 3, 2, 2, COMMAND_WRITE | COMMAND_RESPONSE, from, to, 32);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 8; lw a0, 0(s0); beq a0, zero, 0x1004; ebreak");
    start_program(chip, 3, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi s1, s0, 0x7ff; addi s1, s1, 1; addi a0, zero, 1;"
                  "sw a0, 0x40(s0); lw a1, 0x208(s0); beq a1, zero, 0x1014;"
                  "sw a0, 0x40(s1); addi s1, s1, 0x7ff; addi s1, s1, 1; sw a0, 0x40(s1);"
                  "lw a1, 0x204(s0); beq a1, zero, 0x102c; ebreak");
    ck_assert_int_eq(penrose_trace(chip, "kind=wait,noc", take_text, NULL, NULL), PENROSE_OK);
    pass(chip, 5000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    penrose_chip_destroy(chip);
    has("cycles, read response from DRAM, by ncrisc of 3,2 in cycle ");
    has("cycles, write, by ncrisc of 3,2 in cycle ");
    const char *first = strstr(text, "sends write of"),
               *second = strstr(first + 1, "sends write of");
    while (second[-1] != '\n') {
        second--;
    }
    char cause[100];
    snprintf(cause, sizeof cause, "write acknowledgement, by ncrisc of 3,2 in cycle %lu\n",
             strtoul(second, NULL, 10));
    has(cause);
}

/* A hart waits for a register of an NIU. Then a request of transaction id 3 leaves over NoC 0, or its
 * response comes. */
TEST(packets_end_waits_for_counters_that_they_change)
{
    enum { ID = 3, NONE, LEAVES, ANSWERED };
    const struct noc_packet packet = {.tag = ID << NOC_TAG_TRANSACTION_SHIFT};
    const uint32_t counters = AT_NIU + NIU_COUNTERS;
    const struct {
        uint32_t address;
        enum noc_kind kind;
        bool is_posted;
        unsigned cause;
    } rows[] = {
        {counters + 4 * NIU_MST_RD_RESP_RECEIVED, NOC_READ, false, ANSWERED},
        {counters + 4 * NIU_MST_RD_DATA_WORD_RECEIVED, NOC_READ, false, ANSWERED},
        {counters + 4 * NIU_MST_RD_RESP_RECEIVED, NOC_WRITE, false, NONE},
        {counters + 4 * NIU_MST_WR_ACK_RECEIVED, NOC_WRITE, false, ANSWERED},
        {counters + 4 * NIU_MST_WR_ACK_RECEIVED, NOC_READ, false, NONE},
        {counters + 4 * NIU_MST_ATOMIC_RESP_RECEIVED, NOC_ATOMIC, false, ANSWERED},
        {counters + 4 * NIU_MST_ATOMIC_RESP_RECEIVED, NOC_WRITE, false, NONE},
        {counters + 4 * (NIU_COUNT_REQS_OUTSTANDING + ID), NOC_READ, false, ANSWERED},
        {counters + 4 * (NIU_COUNT_REQS_OUTSTANDING + ID + 1), NOC_READ, false, NONE},
        {counters + 4 * (NIU_COUNT_WRITES_OUTGOING + ID), NOC_WRITE, false, LEAVES},
        {counters + 4 * (NIU_COUNT_WRITES_OUTGOING + ID), NOC_READ, false, NONE},
        {counters + 4 * (NIU_COUNT_WRITES_OUTGOING + ID - 1), NOC_WRITE, false, NONE},
        {counters + 4 * NIU_MST_NONPOSTED_WR_REQ_SENT, NOC_WRITE, false, LEAVES},
        {counters + 4 * NIU_MST_NONPOSTED_WR_REQ_SENT, NOC_WRITE, true, NONE},
        {counters + 4 * NIU_MST_POSTED_WR_REQ_SENT, NOC_WRITE, true, LEAVES},
        {counters + 4 * NIU_MST_RD_REQ_SENT, NOC_READ, false, LEAVES},
        {counters + 4 * NIU_MST_NONPOSTED_ATOMIC_SENT, NOC_ATOMIC, false, LEAVES},
        {counters + 4 * NIU_MST_POSTED_ATOMIC_SENT, NOC_ATOMIC, true, LEAVES},
        {counters + 4 * NIU_MST_CMD_ACCEPTED, NOC_ATOMIC, false, LEAVES},
        {counters + STEP_NIU + 4 * NIU_MST_RD_RESP_RECEIVED, NOC_READ, false, NONE},
        {counters + 4 * NIU_COUNTER_COUNT, NOC_READ, false, NONE},
        {AT_NIU + NIU_CMD_CTRL, NOC_READ, false, LEAVES},
        {AT_NIU + STEP_NIU + NIU_CMD_CTRL, NOC_READ, false, NONE},
    };
    struct penrose_chip *chip = open_chip();
    const uint32_t word = 1;
    ck_assert_int_eq(penrose_write(chip, 1, 2, 0x1000, &word, 4, NULL), PENROSE_OK);
    const struct tile *tile = NULL;
    for (unsigned node = 0; node < NOC_NODES && !tile; node++) {
        tile = chip->place[node].tile;
    }
    ck_assert_ptr_nonnull(tile);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        static struct trace_causes causes;
        causes = (struct trace_causes){0};
        struct observed seen = {.kind = OBSERVED_POLLS,
                                .agent = OBSERVED_NCRISC,
                                .thread = OBSERVED_NO_THREAD,
                                .address = rows[i].address,
                                .size = 4};
        trace_causes_see(&causes, chip, tile, &seen, &causes);
        seen = (struct observed){.kind = OBSERVED_SENT,
                                 .agent = OBSERVED_NCRISC,
                                 .asker = OBSERVED_NCRISC,
                                 .thread = OBSERVED_NO_THREAD,
                                 .packet = (uint8_t)rows[i].kind,
                                 .is_posted = rows[i].is_posted,
                                 .node = tile->node,
                                 .cycle = 10,
                                 .carried = &packet};
        trace_causes_see(&causes, chip, tile, &seen, &causes);
        seen.kind = OBSERVED_DELIVERED;
        seen.agent = OBSERVED_NOC;
        seen.packet = (uint8_t)(rows[i].kind - NOC_READ + NOC_READ_RESPONSE);
        trace_causes_see(&causes, chip, tile, &seen, &causes);
        seen.agent = OBSERVED_NCRISC;
        const struct trace_cause cause = trace_causes_take(&causes, tile, &seen);
        ck_assert_msg(cause.is_known == (rows[i].cause != NONE), "row %u", i);
        ck_assert_msg(!cause.is_known ||
                          (strcmp(cause.what, "departure") == 0) == (rows[i].cause == LEAVES),
                      "row %u: %s", i, cause.what);
        ck_assert(!cause.is_known || cause.cycle == 10);
    }
    penrose_chip_destroy(chip);
}

/* Timed runs: brisc of (1, 2) waits until 16 KiB have left, which left the command buffer at once. The cause is
 * their request. */
TEST(a_hart_waits_until_data_have_left)
{
    const struct command_end from = {1, 2, 0x10000}, to = {4, 2, 0x10000};
    const struct penrose_options timed = {.size = sizeof timed, .timed = true};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&timed, &chip, NULL), PENROSE_OK);
    start_text();
    command_fill(chip, 1, 2, 0, COMMAND_WRITE | COMMAND_RESPONSE, from, to, 16384);
    start_program(chip, 1, 2, PENROSE_BRISC, CODE,
                  "lui s0, 0xffb20; addi a0, zero, 1; sw a0, 0x40(s0);"
                  "lw a1, 0x228(s0); beq a1, zero, 0x100c; ebreak");
    ck_assert_int_eq(penrose_trace(chip, "kind=wait", take_text, NULL, NULL), PENROSE_OK);
    pass(chip, 5000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    penrose_chip_destroy(chip);
    ck_assert_uint_eq(count_of("cycles, departure, by brisc"), 1);
}

/* ncrisc of (3, 2) reads from a bank, writes to (4, 2), and polls the counter of read responses. The
 * acknowledgement of the write comes first, and does not end that wait. */
TEST(a_hart_waits_for_the_counter_that_it_polls)
{
    const struct command_end from = {3, 2, 0x3000}, to = {4, 2, 0x8000}, bank = {17, 13, 0x8000};
    const struct penrose_options timed = {.size = sizeof timed, .timed = true};
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(&timed, &chip, NULL), PENROSE_OK);
    start_text();
    command_fill(chip, 3, 2, 0, COMMAND_READ, bank, from, 32);
    command_fill(chip, 3, 2, 1, COMMAND_WRITE | COMMAND_RESPONSE, from, to, 32);
    start_program(chip, 3, 2, PENROSE_NCRISC, CODE,
                  "lui s0, 0xffb20; addi s1, s0, 0x7ff; addi s1, s1, 1; addi a0, zero, 1;"
                  "sw a0, 0x40(s0); sw a0, 0x40(s1);"
                  "lw a1, 0x208(s0); beq a1, zero, 0x1018; lw a2, 0x204(s0); ebreak");
    ck_assert_int_eq(penrose_trace(chip, "kind=wait,noc", take_text, NULL, NULL), PENROSE_OK);
    pass(chip, 5000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    penrose_chip_destroy(chip);
    has("delivers write acknowledgement");
    ck_assert_uint_eq(count_of("cycles, write acknowledgement, by ncrisc"), 0);
    ck_assert_uint_eq(count_of("cycles, read response from DRAM, by ncrisc"), 1);
}

static void see_releaser(void *context, const struct penrose_trace_event *event)
{
    unsigned *released = context;
    if (event->kind == PENROSE_TRACE_TENSIX && event->cause.is_known) {
        ck_assert_int_eq(event->thread, 1);
        ck_assert_int_eq(event->cause.thread, 0);
        ck_assert_uint_eq(event->cause.agent, (unsigned)PENROSE_TRISC0);
        (*released)++;
    }
}

TEST(a_thread_is_released_by_the_hart_of_another)
{
    unsigned released = 0;
    struct penrose_chip *chip = open_chip();
    start_scene(chip);
    ck_assert_int_eq(penrose_trace(chip, NULL, see_releaser, &released, NULL), PENROSE_OK);
    pass(chip, 3000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    penrose_chip_destroy(chip);
    ck_assert_uint_eq(released, 1);
}

TEST(everything_is_traced)
{
    trace_scene(NULL);
    ck_assert(is_in_order);
    has("1,2  brisc  0x00001000 05500513  addi a0, zero, 85                a0=0x00000055");
    has("1,2  brisc    store 0x00000400 <- 0x00000055  4 bytes\n");
    has("1,2  brisc    load  0x00000400 -> 0x00000055  4 bytes\n");
    has("lw a1, 1024(zero)                a1=0x00000055");
    has("load  0xffb121f0 -> 0x");
    has("store 0xffb00020 <- 0x55  1 byte\n");
    has("trisc1 thread 1   ");
    has("SEMINIT");
    has("is held by SEMWAIT 1, 2, 1: semaphore 1 is 0");
    has(" waited ");
    has(", by thread 0 in cycle ");
    has("brisc    waits: 0x00000444, L1\n");
    has("3,2  ncrisc   NoC 0: sends write of 16 bytes at 0x00008000 to 1,2\n");
    has("1,2  noc      writes 16 bytes at 0x00008000 for 3,2\n");
    has("1,2  noc      NoC 0: delivers write of 16 bytes at 0x00008000 from 3,2\n");
    has("3,2  noc      NoC 0: delivers write acknowledgement");
    ck_assert_uint_eq(count_of("ebreak"), 3);
    ck_assert_uint_eq(count_of("addi a0, a0, -1"), 100);
}

static const struct {
    const char *filter;
    const char *has[3], *lacks[3];
} filtered[] = {
    {"tile=3,2", {" 3,2  ncrisc", "sends write"}, {" 1,2 "}},
    {"tile=1-3,0-2", {" 3,2  ncrisc", " 1,2  brisc"}, {NULL}},
    {"tile=9,9 tile=3,2", {" 3,2  ncrisc"}, {" 1,2 "}},
    {"hart=trisc1", {"SEMINIT", "ebreak"}, {"brisc", "SEMPOST", "ncrisc"}},
    {"hart=trisc", {"SEMINIT", "SEMPOST"}, {"brisc", "ncrisc"}},
    {"hart=noc", {"delivers"}, {"brisc", "sends write of"}},
    {"kind=tensix", {"SEMINIT", " waited "}, {"addi", "load", "delivers"}},
    {"kind=tensix,noc hart=trisc0,noc", {"SEMPOST", "delivers"}, {"SEMINIT", "addi"}},
    {"kind=wait", {"waits: 0x00000444", "semaphore 1 is 0"}, {"addi", "load"}},
    {"thread=0", {"SEMPOST"}, {"SEMINIT", "addi"}},
    {"kind=memory", {"store 0x00000400", "store 0xffb00020"}, {"0xffb121f0", "addi"}},
    {"kind=register", {"0xffb121f0"}, {"0x00000400", "addi"}},
    {"kind=data", {"writes 16 bytes"}, {"addi", "store"}},
    {"pc=0x1004-0x1008 kind=instruction", {"sw a0", "lw a1"}, {"lui a2", "addi a0, zero, 85"}},
    {"pc=0x1100-", {"SEMINIT"}, {"0x00001000", "lui a2"}},
    {"address=0x402", {"0x00000400"}, {"0xffb121f0", "addi", "0x00000444"}},
    {"address=0x800f-0x9000", {"writes 16 bytes", "sends write"}, {"0x00000400", "addi"}},
    {"cycle=0-1", {"addi a0, zero, 85"}, {"lui a4", "delivers"}},
    {"cycle=100-", {"SEMPOST", "delivers"}, {"addi a0, zero, 85"}},
    {"function=nobody", {NULL}, {"brisc", "trisc", "ncrisc"}},
};

TEST_EACH(filters_filter, COUNT(filtered))
{
    trace_scene(filtered[_i].filter);
    for (unsigned i = 0; i < 3; i++) {
        const char *wanted = filtered[_i].has[i], *unwanted = filtered[_i].lacks[i];
        ck_assert_msg(!wanted || strstr(text, wanted), "%s: no \"%s\" in:\n%.1500s",
                      filtered[_i].filter, wanted, text);
        ck_assert_msg(!unwanted || !strstr(text, unwanted), "%s: \"%s\" in:\n%.1500s",
                      filtered[_i].filter, unwanted, text);
    }
}

static const struct {
    const char *filter, *says;
} wrong[] = {
    {"tile=1", "tile=X,Y"},
    {"tile=2-1,2", "tile=X,Y"},
    {"tile=1,2,3", "tile=X,Y"},
    {"hart=brisc,krisc", "hart=NAME"},
    {"hart=", "hart=NAME"},
    {"thread=3", "thread=0, 1 or 2"},
    {"kind=packets", "kind=NAME"},
    {"cycle=5-4", "cycle=N"},
    {"cycle=-4", "cycle=N"},
    {"pc=main", "pc=N"},
    {"address=99999999999999999999", "address=N"},
    {"function=", "function=NAME"},
    {"who=brisc", "is no filter of a trace"},
    {"tile=1,2;kind=noc", "tile=X,Y"},
    {"tile=1,2 tile", "is no filter of a trace"},
};

TEST_EACH(wrong_filters_are_refused, COUNT(wrong))
{
    struct trace_filter filter;
    struct penrose_error error = {0};
    ck_assert_int_eq(trace_filter_parse(wrong[_i].filter, &filter, &error), PENROSE_E_ARGUMENT);
    ck_assert_msg(strstr(error.text, wrong[_i].says) != NULL, "%s", error.text);
}

TEST(too_many_words_are_refused)
{
    char many[TRACE_FILTER_ROOM * 10 + 20] = "";
    struct trace_filter filter;
    for (unsigned i = 0; i <= TRACE_FILTER_ROOM; i++) {
        ck_assert_int_eq(trace_filter_parse(many, &filter, NULL), PENROSE_OK);
        strcat(many, " pc=1");
    }
    ck_assert_int_eq(trace_filter_parse(many, &filter, NULL), PENROSE_E_ARGUMENT);
}

/* --- The binary form --- */

static uint8_t *file;
static size_t file_size;

static void append_file(void *context, const void *bytes, size_t size)
{
    (void)context;
    ck_assert_uint_le(file_size + size, FILE_ROOM);
    memcpy(file + file_size, bytes, size);
    file_size += size;
}

static void start_file(void)
{
    file = file ? file : malloc(FILE_ROOM);
    ck_assert_ptr_nonnull(file);
    file_size = 0;
}

static void take_binary(void *context, const struct penrose_trace_event *event)
{
    take_text(NULL, event);
    trace_writer_add(context, event);
}

/* A trace of the scene in `file`, and what it says in `text`. */
static void write_scene(void)
{
    struct penrose_chip *chip = open_chip();
    start_file();
    struct trace_writer *writer = trace_writer_create(append_file, NULL);
    start_text();
    start_scene(chip);
    ck_assert_int_eq(penrose_trace(chip, NULL, take_binary, writer, NULL), PENROSE_OK);
    pass(chip, 3000);
    ck_assert_int_eq(penrose_trace(chip, NULL, NULL, NULL, NULL), PENROSE_OK);
    trace_writer_flush(writer);
    trace_writer_destroy(writer);
    penrose_chip_destroy(chip);
}

TEST(binary_form_says_the_same)
{
    static char direct[TEXT];
    write_scene();
    memcpy(direct, text, text_length + 1);
    struct trace_reading reading = {.take = take_text};
    struct penrose_error error = {0};
    unsigned written = events;
    start_text();
    ck_assert_msg(trace_read_bytes(file, file_size, NULL, &reading, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_uint_eq(events, written);
    ck_assert_uint_eq(reading.events, written);
    ck_assert(!reading.is_cut);
    ck_assert_str_eq(text, direct);
    start_text();
    ck_assert_int_eq(trace_read_bytes(file, file_size, "kind=tensix thread=0", &reading, &error),
                     PENROSE_OK);
    ck_assert_uint_eq(events, 1);
    has("SEMPOST");
}

/* Events of any numbers, in many blocks, come back as they were. */
static uint64_t random_wide(uint64_t *seed)
{
    static const uint64_t masks[] = {1, 0xff, 0xffffff, UINT64_MAX};
    uint64_t mask = masks[random_next(seed) % COUNT(masks)];
    return ((uint64_t)random_next(seed) << 32 | random_next(seed)) & mask;
}

static struct penrose_trace_event random_event(uint64_t *seed)
{
    static const char *const names[] = {"", "main", "kernel_main", "a/file.c", "something waits"};
    static const char *const calls[] = {"", "a.h:3", "a.h:3\n/own/b.cpp:15\nc.cc:4294967295"};
    struct penrose_trace_event event = {
        .kind = (enum penrose_trace_kind)(random_next(seed) % PENROSE_TRACE_KINDS),
        .begins = random_next(seed) & 1,
        .x = random_next(seed) % 17,
        .y = random_next(seed) % 12,
        .agent = (enum penrose_agent)(random_next(seed) % PENROSE_AGENTS),
        .thread = (int)(random_next(seed) % 4) - 1,
        .cycle = random_next(seed) % 5 ? 1000 : random_wide(seed) & TRACE_LAST_CYCLE,
        .pc = (uint32_t)(random_next(seed) % 64 * 4),
        .word = (uint32_t)random_next(seed) % 3,
        .address = random_wide(seed),
        .size = (uint32_t)random_wide(seed),
        .value = (uint32_t)random_wide(seed),
        .noc = random_next(seed) & 1,
        .peer_x = random_next(seed) % 32,
        .peer_y = random_next(seed) % 32,
        .peer_chip = random_next(seed) % 32,
        .waited = random_wide(seed),
        .what = names[random_next(seed) % 5],
        .symbol = names[random_next(seed) % 3],
        .symbol_offset = (uint32_t)random_next(seed) % 100,
        .source = names[random_next(seed) % 2 * 3],
        .inlined_at = calls[random_next(seed) % 3],
        .kernel = names[random_next(seed) % 3],
        .peer_kind = (enum penrose_tile_kind)(random_next(seed) % PENROSE_TILE_KINDS),
        .line = (unsigned)random_next(seed) % 1000,
    };
    if (event.kind == PENROSE_TRACE_NOC) {
        event.value = 0;
        event.route = trace_unpack_route(random_next(seed) % 2 ? random_wide(seed) | 1 : 0);
    }
    event.agent_name = penrose_agent_name(event.agent);
    event.has_result = event.word && random_next(seed) % 2;
    if (event.has_result) {
        event.result.file = random_next(seed) & 1 ? PENROSE_F : PENROSE_X;
        event.result.number = (unsigned)random_next(seed) % 32;
        event.result_value = (uint32_t)random_next(seed);
    }
    event.cause.is_known = random_next(seed) & 1;
    event.cause.thread = -1;
    if (event.cause.is_known) {
        event.cause.x = random_next(seed) % 17;
        event.cause.y = random_next(seed) % 12;
        event.cause.agent = (enum penrose_agent)(random_next(seed) % PENROSE_AGENTS);
        event.cause.thread = (int)(random_next(seed) % 4) - 1;
        event.cause.cycle = event.cycle - random_wide(seed);
    }
    if (!event.pc && !event.word) {
        event.symbol = event.source = event.inlined_at = event.kernel = "";
        event.symbol_offset = event.line = 0;
    }
    return event;
}

struct expected {
    uint64_t seed;
    unsigned number;
};

static void compare_event(void *context, const struct penrose_trace_event *event)
{
    struct expected *expected = context;
    const struct penrose_trace_event other = random_event(&expected->seed);
    ck_assert_uint_eq(event->kind, other.kind);
    ck_assert_uint_eq(event->begins, other.begins);
    ck_assert(event->x == other.x && event->y == other.y && event->thread == other.thread);
    ck_assert_uint_eq(event->agent, other.agent);
    ck_assert_str_eq(event->agent_name, other.agent_name);
    ck_assert_uint_eq(event->cycle, other.cycle);
    ck_assert(event->pc == other.pc && event->word == other.word);
    ck_assert_uint_eq(event->has_result, other.has_result);
    ck_assert_uint_eq(event->result_value, other.result_value);
    ck_assert(!other.has_result || (event->result.file == other.result.file &&
                                    event->result.number == other.result.number));
    ck_assert_uint_eq(event->address, other.address);
    ck_assert(event->size == other.size && event->value == other.value);
    ck_assert(event->noc == other.noc && event->peer_x == other.peer_x &&
              event->peer_y == other.peer_y && event->peer_chip == other.peer_chip);
    ck_assert_uint_eq(event->waited, other.waited);
    ck_assert_str_eq(event->what, other.what);
    ck_assert_str_eq(event->symbol, other.symbol);
    ck_assert_str_eq(event->source, other.source);
    ck_assert_str_eq(event->inlined_at, other.inlined_at);
    ck_assert_str_eq(event->kernel, other.kernel);
    ck_assert_uint_eq(event->peer_kind, other.peer_kind);
    ck_assert(event->cause.is_known == other.cause.is_known && event->cause.x == other.cause.x &&
              event->cause.y == other.cause.y && event->cause.agent == other.cause.agent &&
              event->cause.thread == other.cause.thread);
    ck_assert_uint_eq(event->cause.cycle, other.cause.cycle);
    ck_assert_mem_eq(&event->route, &other.route, sizeof other.route);
    ck_assert(event->symbol_offset == other.symbol_offset && event->line == other.line);
    expected->number++;
}

TEST(any_events_come_back)
{
    enum { EVENTS = 60000 };
    uint64_t seed = 7;
    struct expected expected = {.seed = seed};
    struct trace_reading reading = {.take = compare_event, .context = &expected};
    struct penrose_error error = {0};
    start_file();
    struct trace_writer *writer = trace_writer_create(append_file, NULL);
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct penrose_trace_event event = random_event(&seed);
        trace_writer_add(writer, &event);
    }
    trace_writer_flush(writer);
    trace_writer_destroy(writer);
    ck_assert_msg(trace_read_bytes(file, file_size, NULL, &reading, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_uint_eq(expected.number, EVENTS);
}

static void write_event(const struct penrose_trace_event *event)
{
    start_file();
    struct trace_writer *writer = trace_writer_create(append_file, NULL);
    trace_writer_add(writer, event);
    trace_writer_flush(writer);
    trace_writer_destroy(writer);
}

TEST(events_of_no_time_are_refused)
{
    struct trace_reading reading = {.take = take_text};
    struct penrose_error error = {0};
    uint64_t seed = 1;
    struct penrose_trace_event event = random_event(&seed);
    for (unsigned i = 0; i < 2; i++) {
        event.cycle = TRACE_LAST_CYCLE + i;
        start_text();
        write_event(&event);
        ck_assert_int_eq(trace_read_bytes(file, file_size, NULL, &reading, &error),
                         i ? PENROSE_E_FORMAT : PENROSE_OK);
        ck_assert_uint_eq(events, i ? 0 : 1);
    }
}

static void see_plain_name(void *context, const struct penrose_trace_event *event)
{
    (void)context;
    ck_assert_str_eq(event->symbol, "f?[31m");
}

TEST(names_of_a_file_have_no_control_characters)
{
    struct trace_reading reading = {.take = see_plain_name};
    uint64_t seed = 1;
    struct penrose_trace_event event = random_event(&seed);
    event.pc = 4;
    event.symbol = "f\033[31m";
    write_event(&event);
    ck_assert_int_eq(trace_read_bytes(file, file_size, NULL, &reading, NULL), PENROSE_OK);
    ck_assert_uint_eq(reading.events, 1);
}

static void take_nothing(void *context, const struct penrose_trace_event *event)
{
    unsigned *count = context;
    ck_assert_uint_lt(event->kind, PENROSE_TRACE_KINDS);
    ck_assert_uint_lt(event->agent, PENROSE_AGENTS);
    ck_assert_uint_le(strlen(event->what), TRACE_NAME_BYTES);
    ck_assert_uint_le(strlen(event->symbol), TRACE_NAME_BYTES);
    ck_assert_uint_le(strlen(event->source), TRACE_NAME_BYTES);
    ck_assert_uint_le(strlen(event->inlined_at), TRACE_NAME_BYTES);
    ck_assert_uint_le(strlen(event->agent_name), TRACE_NAME_BYTES);
    ck_assert(!event->has_result || event->result.number < 32);
    (*count)++;
}

/* A file that was cut holds what is before the cut, whatever block that is in. */
TEST(cut_files_have_a_beginning)
{
    unsigned whole = 0;
    struct trace_reading reading = {.take = take_nothing, .context = &whole};
    write_scene();
    size_t first = file_size;
    memcpy(file + first, file, first);
    ck_assert_int_eq(trace_read_bytes(file, 2 * first, NULL, &reading, NULL), PENROSE_OK);
    unsigned half = whole / 2;
    for (size_t size = first + 8; size < 2 * first; size += 97) {
        whole = 0;
        ck_assert_int_eq(trace_read_bytes(file, size, NULL, &reading, NULL), PENROSE_OK);
        ck_assert_uint_eq(whole, half);
        ck_assert(reading.is_cut);
    }
}

static void put_word(uint8_t *at, size_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* Changes, removes or adds records of the first block, whose frame is made anew. */
static void forge_records(uint64_t *seed)
{
    static uint8_t records[TRACE_BLOCK_BYTES];
    size_t size = ZSTD_decompress(records, sizeof records, file + TRACE_HEADER_BYTES,
                                  file_size - TRACE_HEADER_BYTES);
    ck_assert(!ZSTD_isError(size) && size > 100);
    for (unsigned i = 0; i < 1 + random_next(seed) % 8; i++) {
        size_t at = random_next(seed) % (random_next(seed) % 2 ? size : 64);
        records[at] = random_next(seed) % 2 ? (uint8_t)random_next(seed) : 0xff;
    }
    size -= random_next(seed) % 3 ? 0 : random_next(seed) % size;
    size_t packed =
        ZSTD_compress(file + TRACE_HEADER_BYTES, FILE_ROOM - TRACE_HEADER_BYTES, records, size, 1);
    ck_assert(!ZSTD_isError(packed));
    put_word(file + 12, packed);
    put_word(file + 16, size);
    file_size = TRACE_HEADER_BYTES + packed;
}

/* Files with wrong bytes are refused, or read; nothing worse happens. */
TEST_EACH(hostile_files_do_no_harm, 400)
{
    uint64_t seed = (uint64_t)_i + 1;
    unsigned count = 0;
    struct trace_reading reading = {.take = take_nothing, .context = &count};
    struct penrose_error error;
    write_scene();
    if (_i % 2) {
        forge_records(&seed);
    } else {
        for (unsigned i = 0; i < 1 + random_next(&seed) % 4; i++) {
            file[random_next(&seed) % (i ? file_size : TRACE_HEADER_BYTES)] ^=
                (uint8_t)(1 << random_next(&seed) % 8);
        }
    }
    enum penrose_status status = trace_read_bytes(file, file_size, NULL, &reading, &error);
    ck_assert(status == PENROSE_OK || status == PENROSE_E_FORMAT);
}
