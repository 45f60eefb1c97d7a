/* See scene.h. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

#include "../../firmware/tensor/arguments.h"

/* L1, as in move.c and firmware/local.mk. */
enum {
    INPUT_A = 0x50000,
    INPUT_B = 0x50800,
    RESULT = 0x51000,
    SIGN = 0x51800,
    PROGRAM = 0x7000,
    MAILBOX = 0x8000,
    MAILBOX_EXIT = MAILBOX + 0x78, /* and a flag behind it */
};

enum { BF16 = 5, FACE = 16 };

static bool is_good(enum penrose_status status)
{
    return status == PENROSE_OK;
}

/* A tile is four faces of 16 x 16. */
static unsigned datum_of(unsigned row, unsigned column)
{
    unsigned face = row / FACE * 2 + column / FACE;
    return face * FACE * FACE + row % FACE * FACE + column % FACE;
}

static bool scene_write(struct scene *scene, struct penrose_place at, uint32_t address,
                        const void *bytes, size_t size)
{
    return is_good(penrose_write(scene->chip, at.x, at.y, address, bytes, size, &scene->error));
}

static bool scene_write_matrix(struct scene *scene, uint32_t address,
                               float matrix[SCENE_SIDE][SCENE_SIDE])
{
    uint16_t tile[SCENE_SIDE * SCENE_SIDE];
    for (unsigned row = 0; row < SCENE_SIDE; row++) {
        for (unsigned column = 0; column < SCENE_SIDE; column++) {
            uint32_t bits;
            memcpy(&bits, &matrix[row][column], sizeof bits);
            tile[datum_of(row, column)] = (uint16_t)(bits >> 16);
        }
    }
    return scene_write(scene, scene->partner, address, tile, sizeof tile);
}

static bool scene_load(struct scene *scene, enum penrose_hart hart, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s-%s.elf", scene->guests, name);
    return is_good(penrose_load_program(scene->chip, scene->worker.x, scene->worker.y, hart, path,
                                        NULL, &scene->error));
}

bool scene_begin(struct scene *scene, float a[SCENE_SIDE][SCENE_SIDE],
                 float b[SCENE_SIDE][SCENE_SIDE])
{
    static const uint32_t argument[ARGUMENTS_END] = {
        [ARGUMENT_A] = INPUT_A,         [ARGUMENT_B] = INPUT_B,
        [ARGUMENT_RESULT] = RESULT,     [ARGUMENT_ROWS] = 1,
        [ARGUMENT_COLUMNS] = 1,         [ARGUMENT_INNER] = 1,
        [ARGUMENT_FORMAT_A] = BF16,     [ARGUMENT_FORMAT_B] = BF16,
        [ARGUMENT_FORMAT_SRC_A] = BF16, [ARGUMENT_FORMAT_SRC_B] = BF16,
        [ARGUMENT_FORMAT_PACK] = BF16,  [ARGUMENT_FORMAT_RESULT] = BF16,
        [ARGUMENT_PHASES] = 4,
    };
    const uint32_t partner = scene->partner.y << 6 | scene->partner.x;
    const struct penrose_options options = {.size = sizeof options, .card = scene->card};
    return is_good(penrose_chip_create(&options, &scene->chip, &scene->error)) &&
           scene_write_matrix(scene, INPUT_A, a) && scene_write_matrix(scene, INPUT_B, b) &&
           scene_write(scene, scene->partner, ARGUMENTS, argument, sizeof argument) &&
           scene_load(scene, PENROSE_BRISC, "move") &&
           scene_load(scene, PENROSE_TRISC0, "trisc0") &&
           scene_load(scene, PENROSE_TRISC1, "trisc1") &&
           scene_load(scene, PENROSE_TRISC2, "trisc2") &&
           scene_write(scene, scene->worker, MAILBOX, &partner, sizeof partner) &&
           is_good(penrose_hart_release(scene->chip, scene->worker.x, scene->worker.y,
                                        PENROSE_BRISC, 0, &scene->error));
}

bool scene_run(struct scene *scene, uint64_t cycles, bool *is_done)
{
    uint32_t end[2];
    struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    if (penrose_run(scene->chip, &run) == PENROSE_FAULT) {
        struct penrose_fault fault;
        penrose_fault_get(scene->chip, 0, &fault);
        snprintf(scene->error.text, sizeof scene->error.text, "%s: %.300s, pc %x at %.100s",
                 fault.hart_name, fault.rule, fault.pc, fault.source);
        return false;
    }
    bool is_read = is_good(penrose_peek(scene->chip, scene->worker.x, scene->worker.y, MAILBOX_EXIT,
                                        end, sizeof end, &scene->error));
    *is_done = is_read && end[1];
    if (!*is_done) {
        penrose_wait_report(scene->chip, scene->error.text, sizeof scene->error.text);
    }
    return is_read && end[0] == 0;
}

bool scene_run_program(struct scene *scene, const char *name, uint32_t *exit_value)
{
    bool is_done = false;
    if (!is_good(penrose_hart_hold(scene->chip, scene->worker.x, scene->worker.y, PENROSE_BRISC,
                                   &scene->error)) ||
        !scene_load(scene, PENROSE_BRISC, name) ||
        !is_good(penrose_hart_release(scene->chip, scene->worker.x, scene->worker.y, PENROSE_BRISC,
                                      0, &scene->error))) {
        return false;
    }
    (void)scene_run(scene, 100000, &is_done); /* false where the exit value is not 0 */
    return is_done &&
           is_good(penrose_peek(scene->chip, scene->worker.x, scene->worker.y, MAILBOX_EXIT,
                                exit_value, sizeof *exit_value, &scene->error));
}

bool scene_results(struct scene *scene, float product[SCENE_SIDE][SCENE_SIDE], uint32_t *sign)
{
    uint16_t tile[SCENE_SIDE * SCENE_SIDE];
    const struct penrose_place at = scene->partner;
    bool is_read =
        is_good(penrose_read(scene->chip, at.x, at.y, RESULT, tile, sizeof tile, &scene->error)) &&
        is_good(penrose_read(scene->chip, at.x, at.y, SIGN, sign, sizeof *sign, &scene->error));
    for (unsigned i = 0; is_read && i < SCENE_SIDE * SCENE_SIDE; i++) {
        uint32_t bits = (uint32_t)tile[datum_of(i / SCENE_SIDE, i % SCENE_SIDE)] << 16;
        memcpy(&product[i / SCENE_SIDE][i % SCENE_SIDE], &bits, sizeof bits);
    }
    return is_read;
}

bool scene_read(struct scene *scene, struct penrose_place at, uint32_t address, uint32_t *word)
{
    return is_good(
        penrose_read(scene->chip, at.x, at.y, address, word, sizeof *word, &scene->error));
}

bool scene_write_word(struct scene *scene, struct penrose_place at, uint32_t address, uint32_t word)
{
    return scene_write(scene, at, address, &word, sizeof word);
}

/* .ttinsn is the word turned left by two bits; `j .` follows. */
bool scene_execute(struct scene *scene, const uint32_t word[SCENE_WORDS],
                   uint32_t lane[PENROSE_LANES])
{
    const struct penrose_place at = scene->partner;
    uint32_t program[SCENE_WORDS + 1] = {[SCENE_WORDS] = 0x6f};
    for (unsigned i = 0; i < SCENE_WORDS; i++) {
        program[i] = word[i] << 2 | word[i] >> 30;
    }
    bool is_done;
    return scene_write(scene, at, PROGRAM, program, sizeof program) &&
           is_good(penrose_hart_release(scene->chip, at.x, at.y, PENROSE_TRISC0, PROGRAM,
                                        &scene->error)) &&
           scene_run(scene, 1000, &is_done) &&
           is_good(penrose_lreg_read(scene->chip, at.x, at.y, 1, lane, &scene->error));
}
