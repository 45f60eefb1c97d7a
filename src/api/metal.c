/* Programs, and tt-metal's firmware. */
#include "api/api.h"

#include "isa/error.h"

/* A chip takes firmware that was opened for its kind. */
static enum penrose_status check_firmware_kind(const struct penrose_chip *chip,
                                               const struct penrose_firmware *firmware,
                                               struct penrose_error *error)
{
    const struct chip_calls *is = chip_calls_of(chip), *meant = chip_calls_of(firmware);
    return is == meant ? PENROSE_OK
                       : error_set(error, PENROSE_E_ARGUMENT,
                                   "the firmware was opened for a %s; this chip is a %s",
                                   meant->arch->name, is->arch->name);
}

PENROSE_EXPORT enum penrose_status penrose_load_program(struct penrose_chip *chip, unsigned x,
                                                        unsigned y, enum penrose_hart hart,
                                                        const char *path, uint32_t *entry,
                                                        struct penrose_error *error)
{
    return chip_calls_of(chip)->load_program(chip, x, y, hart, path, entry, error);
}

PENROSE_EXPORT bool penrose_locate(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc,
                                   char *symbol, size_t symbol_size, char *source,
                                   size_t source_size)
{
    return chip_calls_of(chip)->locate(chip, x, y, pc, symbol, symbol_size, source, source_size);
}

PENROSE_EXPORT enum penrose_status penrose_firmware_open(const struct penrose_chip *chip,
                                                         const char *directory,
                                                         struct penrose_firmware **firmware,
                                                         struct penrose_error *error)
{
    return api_kind_of(chip)->firmware_open(directory, firmware, error);
}

PENROSE_EXPORT void penrose_firmware_close(struct penrose_firmware *firmware)
{
    if (firmware) {
        chip_calls_of(firmware)->firmware_close(firmware);
    }
}

PENROSE_EXPORT bool penrose_firmware_ready(struct penrose_chip *chip, unsigned x, unsigned y,
                                           const struct penrose_firmware *firmware)
{
    return chip_calls_of(chip) == chip_calls_of(firmware) &&
           chip_calls_of(chip)->firmware_ready(chip, x, y, firmware);
}

PENROSE_EXPORT unsigned penrose_firmware_dram_banks(const struct penrose_firmware *firmware)
{
    return chip_calls_of(firmware)->firmware_dram_banks(firmware);
}

PENROSE_EXPORT bool penrose_dram_bank(const struct penrose_chip *chip, unsigned noc, unsigned bank,
                                      unsigned *x, unsigned *y)
{
    return chip_calls_of(chip)->dram_bank(chip, noc, bank, x, y);
}

PENROSE_EXPORT enum penrose_status penrose_boot(struct penrose_chip *chip, unsigned x, unsigned y,
                                                struct penrose_firmware *firmware,
                                                struct penrose_error *error)
{
    const enum penrose_status status = check_firmware_kind(chip, firmware, error);
    return status ? status : chip_calls_of(chip)->boot(chip, x, y, firmware, error);
}

PENROSE_EXPORT enum penrose_status penrose_launch(struct penrose_chip *chip, unsigned x, unsigned y,
                                                  struct penrose_firmware *firmware,
                                                  const struct penrose_launch *launch,
                                                  struct penrose_error *error)
{
    struct penrose_launch own = {.size = sizeof own};
    enum penrose_status status = api_take_sized(launch, &own, sizeof own, "penrose_launch", error);
    status = status ? status : check_firmware_kind(chip, firmware, error);
    return status ? status : chip_calls_of(chip)->launch(chip, x, y, firmware, &own, error);
}

PENROSE_EXPORT bool penrose_launch_done(struct penrose_chip *chip, unsigned x, unsigned y,
                                        const struct penrose_firmware *firmware)
{
    return chip_calls_of(chip) == chip_calls_of(firmware) &&
           chip_calls_of(chip)->launch_done(chip, x, y, firmware);
}
