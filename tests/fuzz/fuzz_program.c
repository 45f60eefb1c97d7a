/*
 * Fuzzes descriptions of programs (PROGRAM.json): reading one, giving its buffers places, and
 * evaluating all its expressions on a tile.
 */
#include "fuzz/fuzz_files.h"
#include "loader/program.h"

const unsigned fuzz_inputs = 20000;

static const char *const texts[] = {
    "{\"grid\": \"2x2\", \"firmware\": \"fw\", \"noc\": 1,\n"
    " \"let\": {\"n\": 4, \"m\": \"n * 2 + tiles\", \"k\": \"max(m, n) - min(columns, rows)\"},\n"
    " \"dram\": {\"A\": {\"format\": \"Float16_b\", \"rows\": 64, \"columns\": \"n * 32\"},\n"
    "          \"B\": {\"page_size\": 2048, \"pages\": \"dram.A.pages\", \"address\": "
    "\"0x200000\"}},\n"
    " \"l1\": {\"C\": {\"format\": \"Bfp8_b\", \"rows\": 32, \"columns\": 32, \"tiles\": "
    "\"0,0-1\",\n"
    "               \"output\": \"c.npy\"}}, // a comment\n"
    " \"circular_buffers\": [{\"id\": 0, \"pages\": 2, \"page_size\": 2048, \"tiles\": \"all\"}],\n"
    " \"semaphores\": [{\"tiles\": \"0,0\", \"values\": [1, \"x + y\"]}],\n"
    " \"kernels\": [{\"hart\": \"brisc\", \"elf\": \"k.elf\", \"tiles\": [\"0,0\", \"1,1\"],\n"
    "   \"arguments\": [\"dram.A\", \"noc(index)\", \"noc_x(x) + noc_y(y)\", \"-(3 % 2) * 5\"],\n"
    "   \"common_arguments\": [\"l1.C.page_size / 4\", \"banks\"]}]}",
    "{\"grid\": \"1x1\", \"snapshot\": \"chip.snapshot\", \"dram\": {\"A\": {\"page_size\": 64,\n"
    " \"address\": 4096}}, \"let\": {\"a\": \"1\", \"b\": \"a+a+a+a+a+a+a+a\",\n"
    " \"c\": \"b+b+b+b+b+b+b+b\", \"d\": \"c+c+c+c+c+c+c+c\", \"e\": \"d+d+d+d+d+d+d+d\"},\n"
    " \"kernels\": [{\"hart\": [\"trisc\"], \"elf\": \"{hart}.elf\", \"arguments\": [\"e\", "
    "\"(((1)))\"]}]}",
};

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    const unsigned count = sizeof texts / sizeof texts[0];
    fuzz_append(seed, texts[number % count], strlen(texts[number % count]));
    return number < count;
}

static void evaluate_values(const struct loader_values *values, const struct loader_place *place)
{
    for (unsigned i = 0; i < values->count; i++) {
        uint32_t value;
        struct penrose_error error = {.text = ""};
        if (loader_expression(values->text[i], place, &value, &error) != PENROSE_OK) {
            REQUIRE(*error.text);
        }
    }
}

static void evaluate(struct loader_program *program)
{
    static const uint8_t coordinates[256];
    struct loader_place place = {.program = program,
                                 .has_tile = true,
                                 .has_chip = true,
                                 .banks = 8,
                                 .noc_x = coordinates,
                                 .noc_y = coordinates};
    for (unsigned i = 0; i < program->kernels; i++) {
        evaluate_values(&program->kernel[i].arguments, &place);
        evaluate_values(&program->kernel[i].common_arguments, &place);
    }
    evaluate_values(loader_program_semaphores(program, 0, 0), &place);
    REQUIRE(loader_program_noc(program, 0, 0) <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct loader_program_folders folders = {.data = NULL};
    struct loader_program *program;
    struct penrose_error error = {.text = ""};
    if (loader_program_parse(&arch, (const char *)bytes, size, "fuzz.json", &folders, &program,
                             &error) != PENROSE_OK) {
        REQUIRE(!program && *error.text);
        return 0;
    }
    if (loader_program_place(program, 8, &error) == PENROSE_OK) {
        evaluate(program);
    }
    loader_program_close(program);
    return 0;
}
