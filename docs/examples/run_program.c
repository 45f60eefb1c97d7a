/*
 * Runs a bare program on BRISC of one tile and prints its exit value: libpenrose in one page.
 *
 *   cc run_program.c $(pkg-config --cflags --libs penrose)
 */
#include <stdio.h>

#include <penrose/penrose.h>

static int refuse(const struct penrose_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 2;
}

int main(int argc, char **argv)
{
    const struct penrose_options options = {.size = sizeof options, .schedule = PENROSE_LOCKSTEP};
    struct penrose_chip *chip;
    struct penrose_place at = {0, 0};
    struct penrose_error error;
    uint32_t entry;
    if (argc != 2) {
        fprintf(stderr, "usage: %s PROGRAM.elf\n", argv[0]);
        return 2;
    }
    if (penrose_chip_create(&options, &chip, &error) != PENROSE_OK) {
        return refuse(&error);
    }
    penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0, &at);
    if (penrose_load_program(chip, at.x, at.y, PENROSE_BRISC, argv[1], &entry, &error) !=
            PENROSE_OK ||
        penrose_hart_release(chip, at.x, at.y, PENROSE_BRISC, entry, &error) != PENROSE_OK) {
        penrose_chip_destroy(chip);
        return refuse(&error);
    }

    struct penrose_run run = {.size = sizeof run, .cycles = 1000000000};
    enum penrose_outcome outcome = penrose_run(chip, &run);
    int status = 1;
    struct penrose_fault fault;
    struct penrose_hart_info hart;
    char text[1000];
    if (outcome == PENROSE_FAULT && penrose_fault_get(chip, 0, &fault)) {
        penrose_fault_format(&fault, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    } else if (penrose_hart_info(chip, at.x, at.y, PENROSE_BRISC, &hart, &error) != PENROSE_OK) {
        status = refuse(&error);
    } else if (hart.state == PENROSE_HART_PAUSED) { /* by ebreak, the end of bare programs */
        printf("exit value %u after %llu instructions\n", hart.x[10],
               (unsigned long long)hart.retired);
        status = 0;
    } else {
        fprintf(stderr, "not finished, at pc 0x%08x\n", hart.pc);
    }
    penrose_chip_destroy(chip);
    return status;
}
