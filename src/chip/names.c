/* What lies at an address: functions and source lines of programs, ranges of the address map. */
#include <stdio.h>

#include "chip/chip.h"
#include "loader/elf.h"

static void locate_in(const struct image *image, uint32_t address, char *symbol, size_t symbol_size,
                      char *source, size_t source_size)
{
    uint32_t offset;
    const char *file;
    unsigned line;
    const struct loader_symbol *found = loader_elf_symbol_at(image->elf, address, &offset);
    if (symbol && found) {
        char name[LOADER_PLAIN_NAME];
        loader_plain_name(found->name, name, sizeof name);
        snprintf(symbol, symbol_size, offset ? "%s+0x%x" : "%s", name, offset);
    }
    if (source && loader_elf_source(image->elf, address, &file, &line)) {
        snprintf(source, source_size, "%s:%u", file, line);
    }
}

bool chip_locate(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc, char *symbol,
                 size_t symbol_size, char *source, size_t source_size)
{
    const struct image *image = images_find(chip_images(chip), x, y, pc);
    if (symbol && symbol_size) {
        *symbol = 0;
    }
    if (source && source_size) {
        *source = 0;
    }
    if (image) {
        locate_in(image, pc - image->base + image->link_base, symbol, symbol_size, source,
                  source_size);
    }
    return (symbol && *symbol) || (source && *source);
}

const char *chip_range_name(enum penrose_hart hart, uint32_t address)
{
    return tile_range_title(TILE_TENSIX, hart < PENROSE_HARTS ? (enum tile_agent)hart : AGENT_NOC,
                            address);
}
