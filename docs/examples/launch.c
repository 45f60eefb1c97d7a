/*
 * Boots tt-metal's firmware on the first worker and launches a kernel on its BRISC, or nothing at
 * all: the functions of penrose/metal.h in one page.
 *
 *   cc launch.c $(pkg-config --cflags --libs penrose)
 *   ./a.out FIRMWARE_FOLDER [KERNEL.elf]     the kernel is linked as scripts/link-kernels does
 */
#include <stdio.h>

#include <penrose/metal.h>
#include <penrose/penrose.h>

struct booting {
    struct penrose_place at;
    struct penrose_firmware *firmware;
};

/* Firmware waits for work again. */
static bool is_ready(struct penrose_chip *chip, void *context)
{
    const struct booting *booting = context;
    return penrose_firmware_ready(chip, booting->at.x, booting->at.y, booting->firmware);
}

static bool boot_and_launch(struct penrose_chip *chip, struct booting *booting, const char *kernel,
                            struct penrose_error *error)
{
    const struct penrose_run run = {
        .size = sizeof run, .cycles = 100000000, .until = is_ready, .context = booting};
    struct penrose_launch launch = {.size = sizeof launch};
    launch.kernel[PENROSE_BRISC].path = kernel;
    snprintf(error->text, sizeof error->text, "not ready after %llu cycles",
             (unsigned long long)run.cycles);
    return penrose_tile_at(chip, PENROSE_TILE_TENSIX, 0, &booting->at) &&
           penrose_boot(chip, booting->at.x, booting->at.y, booting->firmware, error) ==
               PENROSE_OK &&
           penrose_run(chip, &run) == PENROSE_CONDITION &&
           penrose_launch(chip, booting->at.x, booting->at.y, booting->firmware, &launch, error) ==
               PENROSE_OK &&
           penrose_run(chip, &run) == PENROSE_CONDITION;
}

int main(int argc, char **argv)
{
    struct booting booting = {.firmware = NULL};
    struct penrose_chip *chip = NULL;
    struct penrose_error error;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FIRMWARE_FOLDER [KERNEL.elf]\n", argv[0]);
        return 2;
    }
    bool is_done = penrose_chip_create(NULL, &chip, &error) == PENROSE_OK &&
                   penrose_firmware_open(chip, argv[1], &booting.firmware, &error) == PENROSE_OK &&
                   boot_and_launch(chip, &booting, argc > 2 ? argv[2] : NULL, &error);
    if (is_done) {
        printf("done after %llu cycles, %.0f us\n", (unsigned long long)penrose_now(chip),
               (double)penrose_now(chip) / penrose_clock_mhz(chip));
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    penrose_chip_destroy(chip);
    penrose_firmware_close(booting.firmware);
    return is_done ? 0 : 1;
}
