/* The TRISCs' window on Dst (SPEC: BlackholeA0 Dst, RISCV access). tensix/dst.h has formats and
 * conversions. This file chooses the section of the configuration for a hart's access. */
#include "tensix/exec.h"
#include "tile/report.h"
#include "tile/tile.h"

enum { SECTIONS = TENSIX_THREADS };

static const struct section {
    enum tensix_field_id format, no_swizzle, unsigned_int;
} sections[SECTIONS] = {
#define SECTION(i)                                                                                 \
    {                                                                                              \
        TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC##i##_fmt,                                           \
            TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC##i##_no_swizzle,                                \
            TENSIX_FIELD_RISC_DEST_ACCESS_CTRL_SEC##i##_unsigned_int                               \
    }
    SECTION(0),
    SECTION(1),
    SECTION(2),
#undef SECTION
};

static struct tensix_dst_window window_of(const struct tensix *tensix, unsigned thread)
{
    const struct section *section = &sections[thread];
    unsigned state = tensix_state_id(tensix, thread);
    return (struct tensix_dst_window){
        .format = (uint8_t)tensix_config_field(tensix, state, section->format),
        .no_swizzle = tensix_config_field(tensix, state, section->no_swizzle),
        .unsigned_int = tensix_config_field(tensix, state, section->unsigned_int),
        .many = thread == 2, /* SPEC: RISCV T2 takes several elements at once */
    };
}

static unsigned element_bytes(const struct tensix_dst_window *window)
{
    return window->format <= TENSIX_DST_WINDOW_INT32 ? 4
           : window->format < TENSIX_DST_WINDOW_INT8 ? 2
                                                     : 1;
}

unsigned tile_dst_row(const struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    const struct tensix *tensix = &tile->tensix;
    const struct tensix_dst_window window = window_of(tensix, (unsigned)agent - AGENT_T0);
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    unsigned size = element_bytes(&window), row = offset / size / TENSIX_DST_COLUMNS;
    return size == 4 ? tensix_dst_physical32(map, row % (TENSIX_DST_ROWS / 2))
                     : tensix_dst_physical16(map, row % TENSIX_DST_ROWS);
}

bool tile_dst_has(const struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    const struct tensix *tensix = &tile->tensix;
    const struct tensix_dst_window window = window_of(tensix, (unsigned)agent - AGENT_T0);
    uint8_t element[4];
    const char *rule;
    size_t size = element_bytes(&window);
    return tensix_dst_window_read(&tensix->dst, tensix_dst_map_now(tensix), window,
                                  offset - offset % (uint32_t)size, element, size, &rule);
}

enum answer tile_mmio_DST(struct tile *tile, struct mmio_access *access)
{
    struct tensix *tensix = &tile->tensix;
    const struct tensix_dst_window window = window_of(tensix, mmio_thread(access));
    if (access->operation == MMIO_READ || access->operation == MMIO_WRITE) {
        tensix_vector_settle(tensix, &tensix->vector, access->cycle);
    }
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    bool is_fine;
    if (mmio_is_write(access)) {
        is_fine = tensix_dst_window_write(&tensix->dst, map, window, access->offset, &access->value,
                                          access->size, &access->rule);
    } else {
        access->value = 0;
        is_fine = tensix_dst_window_read(&tensix->dst, map, window, access->offset, &access->value,
                                         access->size, &access->rule);
    }
    return is_fine ? ANSWER_DONE : ANSWER_NARROW;
}
