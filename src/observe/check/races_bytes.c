/* Who has stored each byte of a tile's L1, see races.h. */
#include "observe/check/check.h"
#include "observe/check/races.h"

#include <stdlib.h>

struct races_byte *races_byte_of(const struct check_scene *scene, uint32_t address, bool makes)
{
    struct check_races *races = scene->own->races;
    if (!races->page && makes) {
        races->page = calloc(scene->tile->kind->l1_bytes / RACES_PAGE, sizeof *races->page);
    }
    if (!races->page) {
        return NULL;
    }
    struct races_page **page = &races->page[address / RACES_PAGE];
    *page = *page || !makes ? *page : calloc(1, sizeof **page);
    return *page ? &(*page)->byte[address % RACES_PAGE] : NULL;
}

void races_bytes_forget(const struct check_scene *scene, uint32_t first, uint32_t size)
{
    struct check_races *races = scene->own->races;
    const uint32_t l1_bytes = scene->tile->kind->l1_bytes;
    const uint32_t end = first + size < l1_bytes ? first + size : l1_bytes;
    for (uint32_t at = first; races->page && at < end;) {
        struct races_page *page = races->page[at / RACES_PAGE];
        const uint32_t next = (at / RACES_PAGE + 1) * RACES_PAGE;
        const uint32_t last = next < end ? next : end;
        for (; page && at < last; at++) {
            page->byte[at % RACES_PAGE].number = 0;
        }
        at = last;
    }
}

unsigned races_bytes_find(const struct check_scene *scene, const struct order_clock *clock,
                          uint32_t address, uint32_t *pc)
{
    const struct races_byte *byte = races_byte_of(scene, address, false);
    const bool is_unknown =
        byte && byte->number && byte->hart != scene->hart && clock->at[byte->lane] < byte->number;
    *pc = is_unknown ? byte->pc : 0;
    return is_unknown ? byte->hart : RV32_CORES;
}
