/* What lies at an address: functions and source lines of programs, ranges of the address map. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Appends a line of a chain of calls, unless it is in the file of the line behind it: of a header
 * one is enough to find the place. */
static void append_line(char text[CHIP_PLACE], const char *line, const char *next)
{
    size_t name = strcspn(line, ":"), used = strlen(text);
    bool is_last = !next || strncmp(line, next, name + 1) != 0;
    if (is_last) {
        snprintf(text + used, CHIP_PLACE - used, "%s%.*s", text[used - 1] == '(' ? "" : ", ",
                 (int)strcspn(line, ","), line);
    }
}

const char *chip_place_text(struct penrose_chip *chip, unsigned x, unsigned y, const char *hart,
                            uint32_t pc, char text[CHIP_PLACE])
{
    static const char before_calls[] = ", inlined at ";
    char source[256], calls[1024];
    chip_locate(chip, x, y, pc, NULL, 0, source, sizeof source);
    if (!*source) {
        snprintf(text, CHIP_PLACE, "%s at pc 0x%08x", hart, pc);
        return text;
    }
    images_calls_text(chip_images(chip), x, y, pc, false, calls, sizeof calls);
    const char *slash = strrchr(source, '/'), *line = slash ? slash + 1 : source;
    const char *next = strncmp(calls, before_calls, sizeof before_calls - 1) == 0
                           ? calls + sizeof before_calls - 1
                           : NULL;
    snprintf(text, CHIP_PLACE, "%s (", hart);
    while (line) {
        append_line(text, line, next);
        const char *comma = next ? strchr(next, ',') : NULL;
        line = next;
        next = comma ? comma + 2 : NULL;
    }
    size_t used = strlen(text);
    snprintf(text + used, CHIP_PLACE - used, ")");
    return text;
}

struct chip_named_place chip_next_place(const char *text)
{
    static const char behind[] = " at pc 0x";
    enum { DIGITS = 8 };
    for (const char *at = strstr(text, behind); at; at = strstr(at + 1, behind)) {
        for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
            const char *name = arch_hart_name((enum penrose_hart)hart);
            size_t length = strlen(name);
            if ((size_t)(at - text) >= length && memcmp(at - length, name, length) == 0) {
                const char *digits = at + sizeof behind - 1;
                return (struct chip_named_place){.at = at - length,
                                                 .length = length + sizeof behind - 1 + DIGITS,
                                                 .hart = name,
                                                 .pc = (uint32_t)strtoul(digits, NULL, 16)};
            }
        }
    }
    return (struct chip_named_place){.at = NULL};
}

void chip_name_places(struct penrose_chip *chip, unsigned x, unsigned y, char *text, size_t size)
{
    char place[CHIP_PLACE], *behind;
    struct chip_named_place named;
    for (char *from = text; (named = chip_next_place(from)).at; from += strlen(place)) {
        from += named.at - from;
        chip_place_text(chip, x, y, named.hart, named.pc, place);
        behind = strlen(from) >= named.length ? strdup(from + named.length) : NULL;
        if (!behind) {
            return;
        }
        snprintf(from, size - (size_t)(from - text), "%s%s", place, behind);
        free(behind);
    }
}

const char *chip_range_name(enum penrose_hart hart, uint32_t address)
{
    return tile_range_title(TILE_TENSIX, hart < PENROSE_HARTS ? (enum tile_agent)hart : AGENT_NOC,
                            address);
}
