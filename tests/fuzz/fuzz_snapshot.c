/*
 * Fuzzes the reading of snapshots. The first byte chooses what the rest is: a whole snapshot, as a
 * file would have it, or changes of the state of a good one, past its compression and check sum,
 * each of four bytes: where (of 2^24 parts of it), and what. What is accepted is hashed, saved
 * again and thrown away; that must not do harm, and what was saved must be accepted and give the
 * same hash. tests/unit/chip/check_snapshot_forged.c runs such chips.
 */
#include <zstd.h>

#include "fuzz/fuzz.h"
#include "unit/chip/snapshot_bytes.h"

const unsigned fuzz_inputs = 300;

/* --- A good state: tiles of each kind, packets under way --- */

static void write_word(struct penrose_chip *chip, unsigned x, unsigned y, uint64_t address,
                       uint32_t word)
{
    penrose_write(chip, x, y, address, &word, sizeof word, NULL);
}

/* A posted multicast of a KiB. */
static void start_packets(struct penrose_chip *chip)
{
    const uint32_t niu = 0xffb20000;
    write_word(chip, 1, 2, niu + 0x08, 1 | 2 << 6);
    write_word(chip, 1, 2, niu + 0x0c, 0x20000);
    write_word(chip, 1, 2, niu + 0x14, 3 | 4 << 6 | 2 << 12 | 3 << 18);
    write_word(chip, 1, 2, niu + 0x1c, 2 | 1 << 5);
    write_word(chip, 1, 2, niu + 0x20, 1024);
    write_word(chip, 1, 2, niu + 0x40, 1);
}

static struct snapshot_bytes make_good(void)
{
    struct snapshot_bytes state = {0};
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    const struct penrose_run run = {.size = sizeof run, .cycles = 200, .pass_quiet_time = true};
    options.schedule = PENROSE_RANDOM;
    REQUIRE(penrose_chip_create(&options, &chip, NULL) == PENROSE_OK);
    penrose_ethernet_link(chip, 20, 25, chip, 20, 25, NULL);
    write_word(chip, 17, 12, 0x1000, 1);
    write_word(chip, 8, 3, 0x1000, 1);
    start_packets(chip);
    penrose_run(chip, &run);
    REQUIRE(snapshot_bytes_save(&state, chip));
    penrose_chip_destroy(chip);
    return state;
}

/* --- Seeds --- */

static struct snapshot_bytes good;

static void append_snapshot(struct fuzz_bytes *seed)
{
    struct penrose_chip *chip;
    void *bytes;
    size_t size;
    REQUIRE(snapshot_bytes_load(&good, &chip) == PENROSE_OK);
    REQUIRE(penrose_snapshot_to_memory(chip, &bytes, &size, NULL) == PENROSE_OK);
    fuzz_append(seed, bytes, size);
    free(bytes);
    penrose_chip_destroy(chip);
}

/* Changes; a whole snapshot; its header with zeros behind it that take no room. */
bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    enum { HEADER_BYTES = 64, ZEROS = 64 << 20 };
    static const uint8_t changes[] = {0, 1, 2, 3, 0xff, 9, 8, 7, 6, 0x7f, 0, 0, 0, 0x80};
    good = good.bytes ? good : make_good();
    if (number < 3) {
        fuzz_append(seed, changes, 2 + 4 * number);
        return true;
    }
    fuzz_append_byte(seed, 1);
    append_snapshot(seed);
    if (number == 4) {
        size_t room = ZSTD_compressBound(ZEROS);
        uint8_t *zeros = calloc(1, ZEROS), *packed = malloc(room);
        REQUIRE(zeros && packed);
        seed->size = 1 + HEADER_BYTES;
        fuzz_append(seed, packed, ZSTD_compress(packed, room, zeros, ZEROS, 1));
        free(zeros);
        free(packed);
    }
    return number < 5;
}

/* --- Inputs --- */

static struct penrose_chip *load_state(const uint8_t *changes, size_t count)
{
    struct penrose_chip *chip;
    struct snapshot_bytes state = {
        .bytes = malloc(good.size), .size = good.size, .chips = good.chips};
    REQUIRE(state.bytes);
    memcpy(state.bytes, good.bytes, good.size);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *change = changes + 4 * i;
        uint64_t where = change[0] | (uint64_t)change[1] << 8 | (uint64_t)change[2] << 16;
        state.bytes[where * good.size >> 24] = change[3];
    }
    enum penrose_status status = snapshot_bytes_load(&state, &chip);
    REQUIRE((status == PENROSE_OK) == (chip != NULL));
    free(state.bytes);
    return chip;
}

static void check(struct penrose_chip *chip)
{
    void *bytes;
    size_t size;
    struct penrose_chip *copy;
    REQUIRE(penrose_snapshot_to_memory(chip, &bytes, &size, NULL) == PENROSE_OK);
    REQUIRE(penrose_snapshot_from_memory(NULL, bytes, size, &copy, NULL) == PENROSE_OK);
    REQUIRE(penrose_state_hash(chip) == penrose_state_hash(copy));
    penrose_chip_destroy(copy);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct penrose_chip *chip = NULL;
    struct penrose_error error;
    good = good.bytes ? good : make_good();
    if (size == 0) {
        return 0;
    }
    if (bytes[0] & 1) {
        penrose_snapshot_from_memory(NULL, bytes + 1, size - 1, &chip, &error);
    } else {
        chip = load_state(bytes + 1, (size - 1) / 4);
    }
    if (chip) {
        check(chip);
        penrose_chip_destroy(chip);
    }
    return 0;
}
