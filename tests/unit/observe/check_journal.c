/*
 * Recordings: a chip that carries one out is the chip that was recorded, as it was or with time that
 * comes as it may; what differs is told; files that are cut, damaged or made up do no harm.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/history/recording.h"
#include "observe/history/rerun_free.h"
#include "unit/chip/chip_program.h"
#include "unit/chip/noc_command.h"
#include "unit/chip/snapshot_scenes.h"
#include "unit/observe/random_host.h"
#include "unit/test.h"

enum { SCENES = 6, X = 1, Y = 2, CODE = 0x1000, WORD = 0x4000 };

static struct penrose_error error;
static char path[] = "/tmp/penrose-journal-XXXXXX";

static void setup(void)
{
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void teardown(void)
{
    unlink(path);
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
}

FIXTURE(setup, teardown);

/* The only chip of a recording, as it was when that began. */
static enum penrose_status make_again(const struct journal *journal,
                                      const struct penrose_options *options,
                                      struct penrose_chip **chip)
{
    struct penrose_cluster *cluster;
    enum penrose_status status = recording_make(journal, &chip_calls, options, &cluster, &error);
    *chip = status == PENROSE_OK ? cluster->chip[0] : NULL;
    return status;
}

static void record(struct penrose_chip *chip)
{
    ck_assert_int_eq(recording_start(cluster_of(chip), &error), PENROSE_OK);
    ck_assert_msg(recording_open(cluster_of(chip), path, &error) == PENROSE_OK, "%s", error.text);
}

/* Carries the file out; the chip, or NULL where it differs, and then difference[] says how. */
static char difference[RERUN_TEXT];

static struct penrose_chip *carry_out(enum journal_ending wanted, unsigned threads)
{
    struct journal *journal;
    struct recording_head head;
    struct penrose_chip *chip;
    enum journal_ending ending;
    enum rerun_end end = RERUN_DONE;
    struct rerun *rerun = calloc(1, sizeof *rerun);
    *difference = 0;
    ck_assert_msg(journal_load(path, 0, &journal, &ending, &error) == PENROSE_OK, "%s", error.text);
    ck_assert_int_eq(ending, wanted);
    ck_assert_int_eq(recording_head(journal, &head, &error), PENROSE_OK);
    ck_assert_uint_eq(head.layout, chip_calls.layout());
    head.options.threads = threads;
    ck_assert_int_eq(make_again(journal, &head.options, &chip), PENROSE_OK);
    ck_assert_int_eq(rerun_begin(rerun, cluster_of(chip), journal, head.at, 0, &error), PENROSE_OK);
    while (end == RERUN_DONE) {
        end = rerun_step(rerun);
    }
    strcpy(difference, rerun->difference);
    rerun_finish(rerun);
    if (end == RERUN_DIFFERS) {
        penrose_chip_destroy(chip);
        chip = NULL;
    }
    journal_destroy(journal);
    free(rerun);
    return chip;
}

/* --- The same again --- */

TEST_EACH(a_recorded_chip_comes_again, SCENES *SCENE_SCHEDULES)
{
    const struct scene *scene = scene_at((unsigned)_i / SCENE_SCHEDULES);
    struct random_host *host = calloc(1, sizeof *host);
    *host = (struct random_host){
        .chip = scene_chip(scene, (unsigned)_i % SCENE_SCHEDULES, 1 + (unsigned)_i % 2),
        .seed = (uint32_t)_i};
    record(host->chip);
    random_host_connect(host);
    if (scene->make(host->chip, 3)) {
        for (unsigned i = 0; i < 40; i++) {
            const struct penrose_run run = {.size = sizeof run,
                                            .cycles = 1 + scene_random(&host->seed, 1500),
                                            .pass_quiet_time = i % 3 != 0};
            penrose_run(host->chip, &run);
            random_host_act(host);
        }
    }
    ck_assert(recording_stop(cluster_of(host->chip)));
    struct penrose_chip *again = carry_out(JOURNAL_WHOLE, 3 - (unsigned)_i % 2);
    ck_assert_msg(again, "%s: %s", scene->name, difference);
    ck_assert_uint_eq(penrose_now(again), penrose_now(host->chip));
    ck_assert_uint_eq(penrose_state_hash(again), penrose_state_hash(host->chip));
    penrose_chip_destroy(again);
    penrose_chip_destroy(host->chip);
    free(host);
}

/* --- A host that polls --- */

/* Counts to 3000, then sets the word to 77. */
static const char working[] = "lui t1, 4; addi t0, zero, 0; addi t2, zero, 1500; addi t0, t0, 1;"
                              "bne t0, t2, 0x100c; addi t3, zero, 77; sw t3, 0(t1); ebreak";

static uint32_t poll_word(struct penrose_chip *chip)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 100 && word != 77; i++) {
        penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                                .cycles = 128,
                                                .pass_quiet_time = true});
        ck_assert_int_eq(penrose_read(chip, X, Y, WORD, &word, sizeof word, &error), PENROSE_OK);
    }
    return word;
}

static void record_polls(void)
{
    struct penrose_chip *chip;
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    record(chip);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, working);
    ck_assert_uint_eq(poll_word(chip), 77);
    penrose_chip_destroy(chip);
}

/* Carries the file out with time as it comes: timed, in lockstep, or as it was recorded. */
static void carry_out_freely(int way)
{
    struct journal *journal;
    struct recording_head head;
    struct penrose_chip *chip;
    enum journal_ending ending;
    enum rerun_end end = RERUN_DONE;
    struct free_rerun *own = calloc(1, sizeof *own);
    ck_assert_int_eq(journal_load(path, 0, &journal, &ending, &error), PENROSE_OK);
    ck_assert_int_eq(recording_head(journal, &head, &error), PENROSE_OK);
    head.options.quantum = 0;
    head.options.timed = way == 1;
    head.options.schedule = way == 2 ? PENROSE_LOCKSTEP : PENROSE_FAST;
    ck_assert_int_eq(make_again(journal, &head.options, &chip), PENROSE_OK);
    ck_assert_int_eq(free_rerun_begin(own, cluster_of(chip), journal, head.at, &error), PENROSE_OK);
    while (end == RERUN_DONE) {
        end = free_rerun_step(own);
    }
    ck_assert_msg(end == RERUN_AT_END, "%s", own->rerun.difference);
    free_rerun_finish(own);
    penrose_chip_destroy(chip);
    journal_destroy(journal);
    free(own);
}

TEST_EACH(a_host_that_polled_waits_as_long_as_it_takes, 3)
{
    record_polls();
    carry_out_freely(_i);
}

/* --- Memory of the host --- */

enum { TOLD = 0x1000, ANSWERED = 0x2000, HEARD = 0x4100 };

/* Counts, writes 77 to the host's memory, reads there until it finds 78, and says so in its L1. */
static const char asking[] =
    "lui s0, 0xffb20; addi s1, s0, 0x7ff; addi s1, s1, 1; addi a4, zero, 1; lui t1, 4; lui t4, 5;"
    "addi t2, zero, 1500; addi t2, t2, -1; bne t2, zero, 0x101c; addi t3, zero, 77;"
    "sw t3, 0(t1); sw a4, 0x40(s0); addi t3, zero, 78; sw a4, 0x40(s1);"
    "addi t2, zero, 300; addi t2, t2, -1; bne t2, zero, 0x103c; lw t5, 0(t4);"
    "bne t5, t3, 0x1034; sw t5, 0x100(t1); ebreak";

static bool read_words(void *context, uint64_t address, void *bytes, uint32_t size)
{
    memcpy(bytes, (uint8_t *)context + address % 0x4000, size);
    return true;
}

static bool write_words(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    memcpy((uint8_t *)context + address % 0x4000, bytes, size);
    return true;
}

static void run_host_for(struct penrose_chip *chip, uint64_t cycles)
{
    penrose_run(chip, &(struct penrose_run){.size = sizeof(struct penrose_run),
                                            .cycles = cycles,
                                            .pass_quiet_time = true});
}

/* The hash of the chip that was recorded. */
static uint64_t record_guest_that_asks(void)
{
    static uint8_t memory[0x5000];
    const struct penrose_host_memory host = {read_words, write_words, memory};
    const struct command_end pcie = {19, 24, 0};
    struct penrose_chip *chip;
    uint32_t word = 0;
    memset(memory, 0, sizeof memory);
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    record(chip);
    penrose_host_memory_set(chip, &host);
    command_fill(chip, X, Y, 0, COMMAND_WRITE | COMMAND_RESPONSE, (struct command_end){X, Y, WORD},
                 (struct command_end){pcie.x, pcie.y, TOLD}, 64);
    command_fill(chip, X, Y, 1, COMMAND_READ, (struct command_end){pcie.x, pcie.y, ANSWERED},
                 (struct command_end){X, Y, 0x5000}, 64);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, asking);
    for (unsigned i = 0; i < 100 && memory[TOLD] != 77; i++) {
        run_host_for(chip, 128);
    }
    ck_assert_uint_eq(memory[TOLD], 77);
    run_host_for(chip, 2000); /* it reads in vain */
    memory[ANSWERED] = 78;
    for (unsigned i = 0; i < 100 && word != 78; i++) {
        run_host_for(chip, 128);
        ck_assert_int_eq(penrose_read(chip, X, Y, HEARD, &word, sizeof word, &error), PENROSE_OK);
    }
    ck_assert_uint_eq(word, 78);
    uint64_t hash = penrose_state_hash(chip);
    ck_assert(recording_stop(cluster_of(chip)));
    penrose_chip_destroy(chip);
    return hash;
}

TEST(a_guest_finds_in_host_memory_what_it_found)
{
    uint64_t hash = record_guest_that_asks();
    struct penrose_chip *again = carry_out(JOURNAL_WHOLE, 1);
    ck_assert_msg(again, "%s", difference);
    ck_assert_uint_eq(penrose_state_hash(again), hash);
    penrose_chip_destroy(again);
}

TEST_EACH(a_guest_finds_in_host_memory_what_it_found_as_time_comes, 3)
{
    record_guest_that_asks();
    carry_out_freely(_i);
}

/* What the guest wrote to host memory was 77. */
static void change_host_write(uint8_t *bytes, size_t size)
{
    for (size_t i = size; i-- > 8;) {
        if (bytes[i] == 77 && bytes[i - 1] == 64 && bytes[i - 3] == 64) {
            bytes[i] = 76;
            return;
        }
    }
    ck_abort_msg("no write to host memory");
}

/* --- What differs --- */

/* The bytes of the file's journal. */
static void rewrite(void (*change)(uint8_t *bytes, size_t size))
{
    struct journal *journal, *other = journal_create();
    enum journal_ending ending;
    ck_assert_int_eq(journal_load(path, 0, &journal, &ending, &error), PENROSE_OK);
    change(journal->bytes, journal->size);
    ck_assert_int_eq(journal_record(other, path, &error), PENROSE_OK);
    other->bytes = journal->bytes;
    other->size = journal->size - 2; /* its end */
    other->room = journal->room;
    journal->bytes = NULL;
    journal->size = 0;
    ck_assert(journal_destroy(other));
    journal_destroy(journal);
}

/* The count is to be another one. */
static void change_answer(uint8_t *bytes, size_t size)
{
    for (size_t i = size; i-- > 4;) {
        if (bytes[i] == 77 && bytes[i + 1] == 0 && bytes[i - 1] == 4) {
            bytes[i] = 78;
            return;
        }
    }
    ck_abort_msg("no answer");
}

TEST(a_read_that_differs_is_told)
{
    record_polls();
    rewrite(change_answer);
    ck_assert_ptr_null(carry_out(JOURNAL_WHOLE, 1));
    ck_assert_msg(strstr(difference, "read of 4 bytes at 0x4000 of tile (1, 2)"), "%s", difference);
    ck_assert_msg(strstr(difference, "there was 4e 00 00 00, and is 4d 00 00 00"), "%s",
                  difference);
}

TEST(a_write_to_host_memory_that_differs_is_told)
{
    record_guest_that_asks();
    rewrite(change_host_write);
    ck_assert_ptr_null(carry_out(JOURNAL_WHOLE, 1));
    ck_assert_msg(
        strstr(difference, "the chip writes other bytes to host memory at 0x1000 (64 bytes)"), "%s",
        difference);
}

/* --- Files that are none --- */

static size_t file_bytes(uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void put_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

TEST(a_cut_file_gives_what_it_has)
{
    static uint8_t bytes[1 << 16];
    record_polls();
    size_t size = file_bytes(bytes, sizeof bytes);
    for (size_t cut = 0; cut < size; cut++) {
        struct journal *journal;
        enum journal_ending ending;
        put_file(bytes, cut);
        enum penrose_status status = journal_load(path, 0, &journal, &ending, &error);
        if (cut < 16) {
            ck_assert_int_eq(status, PENROSE_E_FORMAT);
        } else {
            ck_assert_int_eq(status, PENROSE_OK);
            ck_assert_int_eq(ending, JOURNAL_CUT);
            journal_destroy(journal);
        }
    }
}

/* Have both the same entries? */
static bool is_same_journal(const struct journal *a, const struct journal *b)
{
    struct journal_entry x = {0}, y = {0};
    while (journal_get(a, x.next, &x)) {
        if (!journal_get(b, y.next, &y) || x.kind != y.kind || x.next != y.next ||
            memcmp(x.number, y.number, sizeof x.number) != 0 || x.size != y.size ||
            (x.size && memcmp(x.bytes, y.bytes, x.size) != 0)) {
            return false;
        }
    }
    return !journal_get(b, y.next, &y);
}

/* Some bits of a compressed block can change and it still unpacks to the same. */
TEST(damage_is_found)
{
    static uint8_t bytes[1 << 16];
    uint32_t seed = 1;
    record_polls();
    size_t size = file_bytes(bytes, sizeof bytes);
    struct journal *whole;
    enum journal_ending whole_ending;
    ck_assert_int_eq(journal_load(path, 0, &whole, &whole_ending, &error), PENROSE_OK);
    for (unsigned i = 0; i < 300; i++) {
        struct journal *journal;
        enum journal_ending ending;
        size_t at = 8 + scene_random(&seed, (uint32_t)size - 8);
        uint8_t old = bytes[at];
        bytes[at] ^= (uint8_t)(1 << scene_random(&seed, 8));
        put_file(bytes, size);
        if (journal_load(path, 0, &journal, &ending, &error) == PENROSE_OK) {
            ck_assert_msg(ending == JOURNAL_CUT || is_same_journal(whole, journal), "byte %zu", at);
            journal_destroy(journal);
        }
        bytes[at] = old;
    }
    journal_destroy(whole);
}

/* Adds a write of so many zeros to a recording, and perhaps a window of so many cycles. */
static void append_to_recording(size_t zeros, uint64_t cycles)
{
    struct penrose_chip *chip;
    uint8_t *bytes = calloc(1, zeros + 1);
    ck_assert_int_eq(penrose_chip_create(NULL, &chip, &error), PENROSE_OK);
    record(chip);
    start_program(chip, X, Y, PENROSE_BRISC, CODE, "jal zero, 0x1000");
    JOURNAL_ADD(chip->head.journal, 0, JOURNAL_WRITE, bytes, zeros, 17, 12, 0);
    if (cycles) {
        JOURNAL_ADD(chip->head.journal, 0, JOURNAL_WINDOWS, NULL, 0, cycles, 1);
    }
    penrose_chip_destroy(chip);
    free(bytes);
}

TEST(a_small_file_does_not_fill_the_memory)
{
    struct journal *journal;
    enum journal_ending ending;
    append_to_recording(80 << 20, 0);
    ck_assert_int_eq(journal_load(path, 0, &journal, &ending, &error), PENROSE_E_MEMORY);
    ck_assert_msg(strstr(error.text, "unpacks to more than 64 MiB") &&
                      strstr(error.text, "--max-memory"),
                  "%s", error.text);
    ck_assert_int_eq(journal_load(path, 100 << 20, &journal, &ending, &error), PENROSE_OK);
    ck_assert_int_eq(ending, JOURNAL_WHOLE);
    journal_destroy(journal);
}

/* What a forged recording asks for would take for ever. */
TEST(windows_are_no_longer_than_those_of_a_chip)
{
    append_to_recording(0, UINT64_C(1) << 40);
    ck_assert_ptr_null(carry_out(JOURNAL_WHOLE, 1));
    ck_assert_msg(strstr(difference, "a window of 1099511627776 cycles"), "%s", difference);
}

static uint32_t fuzz_seed;

static void falsify(uint8_t *bytes, size_t size)
{
    for (unsigned i = 1 + scene_random(&fuzz_seed, 4); i > 0; i--) {
        size_t at = 1 + scene_random(&fuzz_seed, (uint32_t)size - 2);
        bytes[at] = (uint8_t)scene_random(&fuzz_seed, 256);
    }
}

TEST_EACH(made_up_entries_do_no_harm, 60)
{
    struct journal *journal;
    struct recording_head head;
    struct penrose_chip *chip;
    enum journal_ending ending;
    record_polls();
    fuzz_seed = (uint32_t)_i * 77 + 1;
    rewrite(falsify);
    if (journal_load(path, 0, &journal, &ending, &error) != PENROSE_OK) {
        return;
    }
    if (recording_head(journal, &head, &error) == PENROSE_OK &&
        make_again(journal, &head.options, &chip) == PENROSE_OK) {
        struct rerun *rerun = calloc(1, sizeof *rerun);
        ck_assert_int_eq(rerun_begin(rerun, cluster_of(chip), journal, head.at, 0, &error),
                         PENROSE_OK);
        for (unsigned i = 0; i < 5000 && rerun_step(rerun) == RERUN_DONE; i++) {
        }
        rerun_finish(rerun);
        penrose_chip_destroy(chip);
        free(rerun);
    }
    journal_destroy(journal);
}
