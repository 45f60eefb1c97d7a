/*
 * Fuzzes what reads dumps: an input is the manifest of a dump whose other files are good, or with
 * its first byte odd, one of those files, which the manifest names several times.
 */
#include <penrose/dump.h>
#include <penrose/penrose.h>

#include "fuzz/fuzz_files.h"
#include "observe/compare/compare.h"
#include "observe/dump/read.h"

const unsigned fuzz_inputs = 1000;

/* --- The good dump --- */

static const char small_manifest[] =
    "{\"format\": \"penrose-dump\", \"version\": 1, \"chip\": \"blackhole\", \"tiles\": ["
    "{\"x\": 1, \"y\": 2, \"l1_map\": [{\"name\": \"code\", \"address\": 0, \"size\": 64}], "
    "\"parts\": {\"dst\": {\"file\": \"part.npy\"}, \"l1\": {\"file\": \"part.npy\"}, "
    "\"harts\": {\"file\": \"part.json\"}, \"gpr\": {\"file\": \"part.npy\", \"shape\": [3, 4], "
    "\"format\": \"Float16_b\"}}}], \"volatile\": [\"dst*\"]}";

static void make_dump(void)
{
    const struct penrose_dump_options options = {.size = sizeof options,
                                                 .parts = "tile,harts,tensix,lregs"};
    struct penrose_chip *chip;
    const uint32_t word = 1;
    REQUIRE(penrose_chip_create(NULL, &chip, NULL) == PENROSE_OK);
    penrose_write(chip, 1, 2, 0x4000, &word, sizeof word, NULL);
    REQUIRE(penrose_dump_write(chip, &options, fuzz_path("dump"), NULL) == PENROSE_OK);
    penrose_chip_destroy(chip);
    REQUIRE(mkdir(fuzz_path("parts"), 0700) == 0);
}

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    static const char *const files[] = {"dump/manifest.json", "dump/1-2/lregs.npy",
                                        "dump/1-2/harts.json"};
    fuzz_append_byte(seed, number > 0 && number < 3);
    if (number == 0) {
        make_dump();
    }
    if (number < 3) {
        fuzz_read_file(fuzz_path(files[number]), seed);
    } else {
        fuzz_append(seed, small_manifest, strlen(small_manifest));
    }
    return number < 4;
}

/* --- Inputs --- */

static void compare_with_itself(const char *path)
{
    const struct compare_options options = {.most = 10};
    struct dump_files dump;
    struct comparison comparison = {0};
    struct penrose_error error;
    if (dump_open(path, &dump, &error) == PENROSE_OK) {
        compare_dumps(&dump, &dump, &options, &comparison, &error);
        comparison_free(&comparison);
        dump_close(&dump);
    } else {
        REQUIRE(*error.text && !strchr(error.text, '\n'));
    }
}

static void read_tiles(const char *path)
{
    struct dump_files dump;
    struct penrose_error error;
    if (dump_open(path, &dump, &error) != PENROSE_OK) {
        return;
    }
    for (size_t i = 0; i < dump.tiles && i < 10; i++) {
        struct dump_tile tile;
        dump_read_tile(&dump, i, DUMP_ALL, &tile, &error);
        dump_tile_free(&tile);
    }
    dump_close(&dump);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[128];
    if (size == 0) {
        return 0;
    }
    bool is_part = bytes[0] & 1;
    if (is_part) {
        fuzz_write_file(fuzz_path("parts/manifest.json"), small_manifest, strlen(small_manifest));
        fuzz_write_file(fuzz_path("parts/part.npy"), bytes + 1, size - 1);
        fuzz_write_file(fuzz_path("parts/part.json"), bytes + 1, size - 1);
    } else {
        fuzz_write_file(fuzz_path("dump/manifest.json"), bytes + 1, size - 1);
    }
    snprintf(path, sizeof path, "%s", fuzz_path(is_part ? "parts" : "dump"));
    compare_with_itself(path);
    read_tiles(path);
    return 0;
}
