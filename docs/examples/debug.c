/*
 * Runs a bare program on BRISC of one tile and says who writes to an address, and from where: the
 * functions of penrose/debug.h in one page.
 *
 *   cc debug.c $(pkg-config --cflags --libs penrose)
 *   ./a.out PROGRAM.elf 0x4000
 */
#include <stdio.h>
#include <stdlib.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>

static int refuse(struct penrose_chip *chip, const struct penrose_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    penrose_chip_destroy(chip);
    return 2;
}

/* Who it was, the instruction, and what is there now. */
static void show(struct penrose_chip *chip, const struct penrose_stop *stop,
                 const struct penrose_point *point)
{
    char line[300], instruction[100] = "", symbol[200] = "";
    uint32_t value = 0;
    penrose_stop_format(stop, line, sizeof line);
    if (stop->agent < PENROSE_AGENT_NOC) {
        penrose_hart_disassemble(chip, point->x, point->y, stop->pc, NULL, instruction,
                                 sizeof instruction);
        penrose_locate(chip, point->x, point->y, stop->pc, symbol, sizeof symbol, NULL, 0);
    }
    penrose_peek(chip, point->x, point->y, point->address, &value, sizeof value, NULL);
    printf("%s\n    %s %s, now 0x%08x\n", line, instruction, symbol, value);
}

int main(int argc, char **argv)
{
    struct penrose_chip *chip = NULL;
    struct penrose_error error;
    struct penrose_stop stop;
    uint32_t entry;
    if (argc != 3) {
        fprintf(stderr, "usage: %s PROGRAM.elf ADDRESS\n", argv[0]);
        return 2;
    }
    struct penrose_point point = {.size = sizeof point,
                                  .kind = PENROSE_WATCHPOINT,
                                  .hart = PENROSE_NO_HART, /* anybody */
                                  .address = (uint32_t)strtoul(argv[2], NULL, 0),
                                  .bytes = 4,
                                  .writes = true};
    struct penrose_place at = {0, 0};
    if (penrose_chip_create(NULL, &chip, &error) != PENROSE_OK) {
        return refuse(chip, &error);
    }
    penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0, &at);
    point.x = at.x;
    point.y = at.y;
    if (penrose_load_program(chip, at.x, at.y, PENROSE_BRISC, argv[1], &entry, &error) !=
            PENROSE_OK ||
        penrose_point_set(chip, &point, NULL, &error) != PENROSE_OK ||
        penrose_hart_release(chip, at.x, at.y, PENROSE_BRISC, entry, &error) != PENROSE_OK) {
        return refuse(chip, &error);
    }

    const struct penrose_run run = {.size = sizeof run, .cycles = 1000000000};
    while (penrose_run(chip, &run) == PENROSE_PAUSED && penrose_stop_get(chip, 0, &stop)) {
        show(chip, &stop, &point);
    }
    penrose_chip_destroy(chip);
    return 0;
}
