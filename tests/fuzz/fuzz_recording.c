/*
 * Fuzzes the reading of recordings, and carrying them out. The first byte chooses what the rest is:
 * a file, or the entries of one, past their compression and check sums.
 */
#include <zstd.h>

#include "chip/chip.h"
#include "fuzz/fuzz_files.h"
#include "observe/history/recording.h"
#include "observe/history/rerun.h"

const unsigned fuzz_inputs = 1000;

enum { HEAD_BYTES = 16, MOST_STEPS = 200, CODE = 0x1000 };

/* --- Seeds --- */

static void run_some(struct penrose_chip *chip, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    penrose_run(chip, &run);
}

/* A hart that counts in a word, which its host polls. */
static void record_host(const char *path)
{
    const uint32_t program[] = {0x00004337 /* lui t1, 4 */, 0x00128293 /* addi t0, t0, 1 */,
                                0x00532023 /* sw t0, 0(t1) */, 0xff9ff06f /* jal zero, -8 */};
    struct penrose_chip *chip;
    uint32_t word;
    REQUIRE(penrose_chip_create(NULL, &chip, NULL) == PENROSE_OK);
    REQUIRE(recording_start(cluster_of(chip), NULL) == PENROSE_OK);
    REQUIRE(recording_open(cluster_of(chip), path, NULL) == PENROSE_OK);
    penrose_write(chip, 1, 2, CODE, program, sizeof program, NULL);
    penrose_hart_release(chip, 1, 2, PENROSE_BRISC, CODE, NULL);
    for (unsigned i = 0; i < 4; i++) {
        run_some(chip, 100);
        penrose_read(chip, 1, 2, 0x4000, &word, sizeof word, NULL);
    }
    penrose_write(chip, 17, 12, 0x1000, program, sizeof program, NULL);
    run_some(chip, 1000);
    penrose_chip_destroy(chip);
}

/* A write of so many bytes of which none is there, or zeros that take no room. */
static void append_bomb(struct fuzz_bytes *seed, uint64_t count, bool has_zeros)
{
    struct journal *journal = journal_create();
    uint8_t *zeros = has_zeros ? calloc(1, count) : NULL;
    REQUIRE(journal);
    JOURNAL_ADD(journal, 0, JOURNAL_WRITE, zeros, zeros ? count : 0, 1, 2, 0);
    if (zeros) {
        size_t room = ZSTD_compressBound(journal->size);
        uint8_t *packed = malloc(room);
        REQUIRE(packed);
        size_t size = ZSTD_compress(packed, room, journal->bytes, journal->size, 1);
        for (unsigned i = 0; i < 40; i++) {
            fuzz_append(seed, packed, size);
        }
        free(packed);
    } else {
        const uint8_t many[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
        fuzz_append(seed, journal->bytes, journal->size - 1);
        fuzz_append(seed, many, sizeof many);
    }
    free(zeros);
    journal_destroy(journal);
}

/* The entries of a file. */
static void append_entries(struct fuzz_bytes *seed, const char *path)
{
    struct journal *journal;
    enum journal_ending ending;
    REQUIRE(journal_load(path, 0, &journal, &ending, NULL) == PENROSE_OK);
    fuzz_append(seed, journal->bytes, journal->size);
    journal_destroy(journal);
}

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    const char *path = fuzz_path("seed");
    record_host(path);
    fuzz_append_byte(seed, number & 1);
    if (number & 1) {
        append_entries(seed, path);
    } else {
        fuzz_read_file(path, seed);
    }
    if (number == 2) {
        append_bomb(seed, 64 << 20, true);
    } else if (number == 3) {
        append_bomb(seed, 0, false);
    }
    return number < 4;
}

/* --- Inputs --- */

static void write_entries(const char *path, const uint8_t *bytes, size_t size)
{
    uint8_t head[HEAD_BYTES] = "PENROSEJ\3";
    size_t room = ZSTD_compressBound(size);
    uint8_t *file = malloc(sizeof head + room);
    REQUIRE(file);
    memcpy(file, head, sizeof head);
    size_t packed = ZSTD_compress(file + sizeof head, room, bytes, size, 1);
    REQUIRE(!ZSTD_isError(packed));
    fuzz_write_file(path, file, sizeof head + packed);
    free(file);
}

static void carry_out(const struct journal *journal)
{
    struct recording_head head;
    struct penrose_cluster *cluster;
    struct penrose_error error;
    if (recording_head(journal, &head, &error) != PENROSE_OK ||
        recording_make(journal, &chip_calls, &head.options, &cluster, &error) != PENROSE_OK) {
        return;
    }
    struct rerun *rerun = calloc(1, sizeof *rerun);
    REQUIRE(rerun && rerun_begin(rerun, cluster, journal, head.at, 0, &error) == PENROSE_OK);
    for (unsigned i = 0; i < MOST_STEPS && rerun_step(rerun) == RERUN_DONE; i++) {
    }
    rerun_finish(rerun);
    penrose_cluster_destroy(cluster);
    free(rerun);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct journal *journal;
    struct penrose_error error = {.text = ""};
    enum journal_ending ending;
    const char *path = fuzz_path("input");
    if (size == 0) {
        return 0;
    }
    if (bytes[0] & 1) {
        write_entries(path, bytes + 1, size - 1);
    } else {
        fuzz_write_file(path, bytes + 1, size - 1);
    }
    if (journal_load(path, 0, &journal, &ending, &error) == PENROSE_OK) {
        carry_out(journal);
        journal_destroy(journal);
    } else {
        REQUIRE(*error.text && !strchr(error.text, '\n'));
    }
    return 0;
}
