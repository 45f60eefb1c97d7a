/*
 * What becomes of undefined data in units, for programs without firmware: rows of Src and Dst and
 * LRegs that come from bytes which nobody has written, or that nobody has written themselves, and
 * bytes of L1 that are packed from them. A report is due where a hart decides by those bytes
 * (uninit.c). Kernels of tt-metal may have anything in what pads their tiles.
 *
 * A row is the smallest piece. An unpacker makes rows of bytes and a packer bytes of rows, in the order
 * of the data. Of other instructions an operand with as many rows as the result goes into it row by
 * row, and others go into all of it.
 */
#include "observe/check/undefined.h"

#include <stdlib.h>
#include <string.h>

#include "metal/firmware.h"
#include "tensix/table.h"

enum { MOST_PIECES = 1 << 21 /* more than L1 has bytes */, LOOK = 16 /* bytes */ };

/* What an instruction reads, one piece behind the other, and what is wrong with each, as well as what it
 * writes (enum uninit_content). */
struct uninit_pieces {
    unsigned count;
    bool has_origin;
    uint8_t content[MOST_PIECES], made[MOST_PIECES];
};

static bool is_row(enum observed_state state)
{
    return state == OBSERVED_STATE_DST || state == OBSERVED_STATE_SRC ||
           state == OBSERVED_STATE_LREG;
}

static uint8_t *contents_of(struct uninit_rows *rows, const struct observed_touch *touch)
{
    const uint32_t end = touch->first + touch->count;
    switch (touch->state) {
    case OBSERVED_STATE_DST:
        return end <= sizeof rows->dst ? &rows->dst[touch->first] : NULL;
    case OBSERVED_STATE_SRC:
        return end <= sizeof rows->src ? &rows->src[touch->first] : NULL;
    case OBSERVED_STATE_LREG:
        return end <= sizeof rows->lreg ? &rows->lreg[touch->first] : NULL;
    default:
        return NULL;
    }
}

static void add_bytes(const struct check_scene *scene, struct uninit_rows *rows,
                      const struct observed_touch *touch, struct uninit_pieces *pieces)
{
    for (uint32_t at = 0; at < touch->count; at += LOOK) {
        const uint32_t size = touch->count - at < LOOK ? touch->count - at : LOOK;
        struct uninit_origin origin;
        const uint32_t bad = uninit_find(scene, rows->l1, touch->first + at, size, &origin);
        rows->origin = bad && !pieces->has_origin ? origin : rows->origin;
        pieces->has_origin |= bad != 0;
        for (uint32_t i = 0; i < size; i++) {
            pieces->content[pieces->count++] = bad >> i & 1 ? UNINIT_BROUGHT : UNINIT_FINE;
        }
    }
}

static void add_pieces(const struct check_scene *scene, struct uninit_rows *rows,
                       const struct observed_touch *touch, struct uninit_pieces *pieces)
{
    const uint8_t *contents = contents_of(rows, touch);
    if (touch->count > MOST_PIECES - pieces->count) {
        return;
    }
    if (touch->state == OBSERVED_STATE_L1) {
        add_bytes(scene, rows, touch, pieces);
    } else if (contents) {
        memcpy(&pieces->content[pieces->count], contents, touch->count);
        pieces->count += touch->count;
    }
}

/* The worst of what goes into the piece of a result with so many. */
static uint8_t worst_of(const struct uninit_pieces *pieces, unsigned index, unsigned results)
{
    unsigned first = (unsigned)((uint64_t)index * pieces->count / results);
    unsigned end = (unsigned)(((uint64_t)index + 1) * pieces->count / results);
    uint8_t worst = UNINIT_FINE;
    end = end > first ? end : first + 1;
    for (unsigned i = first; i < end && i < pieces->count; i++) {
        worst = pieces->content[i] > worst ? pieces->content[i] : worst;
    }
    return worst;
}

static void put_undefined_bytes(const struct check_scene *scene, const struct uninit_rows *rows,
                                const struct observed_touch *touch, const uint8_t *contents)
{
    for (uint32_t at = 0; at < touch->count; at += LOOK) {
        uint32_t bytes = 0;
        uint8_t worst = UNINIT_FINE;
        for (uint32_t i = 0; i < LOOK && at + i < touch->count; i++) {
            bytes |= contents[at + i] ? UINT32_C(1) << i : 0;
            worst = contents[at + i] > worst ? contents[at + i] : worst;
        }
        struct uninit_origin origin = worst == UNINIT_BROUGHT ? rows->origin : rows->unwritten;
        origin.is_computed = false; /* a host may look at what nobody needs */
        if (bytes) {
            uninit_store(scene, rows->l1, touch->first + at, bytes, &origin);
        }
    }
}

static bool is_result(const struct observed_touch *touch)
{
    return touch->is_write && (touch->state == OBSERVED_STATE_L1 || is_row(touch->state));
}

/* What the instruction writes is as bad as the pieces that go into it, and at least as bad as `of_all`. */
static void put_pieces(const struct check_scene *scene, struct uninit_rows *rows,
                       struct uninit_pieces *pieces, uint8_t of_all)
{
    const struct observed_work *work = scene->event->work;
    unsigned results = 0, done = 0;
    for (unsigned i = 0; i < work->touches; i++) {
        results += is_result(&work->touch[i]) ? work->touch[i].count : 0;
    }
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        uint8_t *made = pieces->made;
        if (!is_result(touch) || touch->count > MOST_PIECES) {
            continue;
        }
        for (uint32_t j = 0; j < touch->count; j++) {
            const uint8_t worst = pieces->count ? worst_of(pieces, done + j, results) : UNINIT_FINE;
            made[j] = worst > of_all ? worst : of_all;
        }
        done += touch->count;
        uint8_t *contents = contents_of(rows, touch);
        if (contents) {
            memcpy(contents, made, touch->count);
        } else if (touch->state == OBSERVED_STATE_L1) {
            put_undefined_bytes(scene, rows, touch, made);
        }
    }
}

/* Unpackers make rows of bytes, and packers bytes of rows. */
static void move_data(const struct check_scene *scene, struct uninit_rows *rows,
                      struct uninit_pieces *pieces)
{
    const struct observed_work *work = scene->event->work;
    const bool packs = work->unit == TENSIX_UNIT_PACK;
    pieces->count = 0;
    pieces->has_origin = false;
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (!touch->is_write && touch->state == (packs ? OBSERVED_STATE_DST : OBSERVED_STATE_L1)) {
            add_pieces(scene, rows, touch, pieces);
        }
    }
    if (pieces->count || !packs) {
        put_pieces(scene, rows, pieces, UNINIT_FINE);
    }
}

/* Other units: operands with as many pieces as the result go into it piece by piece. */
static void compute_data(const struct check_scene *scene, struct uninit_rows *rows,
                         struct uninit_pieces *pieces, bool replaces)
{
    const struct observed_work *work = scene->event->work;
    unsigned results = 0;
    uint8_t of_all = UNINIT_FINE;
    for (unsigned i = 0; i < work->touches; i++) {
        results +=
            work->touch[i].is_write && is_row(work->touch[i].state) ? work->touch[i].count : 0;
    }
    pieces->count = 0;
    for (unsigned i = 0; i < work->touches && results && results <= MOST_PIECES; i++) {
        const struct observed_touch *touch = &work->touch[i];
        const uint8_t *contents = contents_of(rows, touch);
        const bool is_old = replaces && touch->state == OBSERVED_STATE_DST;
        if (touch->is_write || !contents || is_old) {
            continue;
        }
        if (touch->count == results && pieces->count == 0) {
            memset(pieces->content, UNINIT_FINE, results);
            pieces->count = results;
        }
        for (uint32_t j = 0; j < touch->count; j++) {
            uint8_t *into = touch->count == results ? &pieces->content[j] : &of_all;
            if (touch->state == OBSERVED_STATE_SRC && contents[j] == UNINIT_UNWRITTEN) {
                rows->unwritten = (struct uninit_origin){
                    .kind = ORIGIN_ROWS, .hart = scene->hart, .pc = scene->event->pc};
            }
            *into = contents[j] > *into ? contents[j] : *into;
        }
    }
    put_pieces(scene, rows, pieces, of_all);
}

static void clear_flags(const struct check_scene *scene, struct uninit_rows *rows)
{
    const struct observed_work *work = scene->event->work;
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (touch->state == OBSERVED_STATE_DST_FLAG && touch->is_write &&
            touch->first + touch->count <= sizeof rows->dst) {
            memset(&rows->dst[touch->first], UNINIT_FINE, touch->count);
        }
    }
}

void uninit_rows_unit(const struct check_scene *scene, struct uninit_memory *l1,
                      struct uninit_rows **own, struct uninit_pieces **pieces)
{
    const struct observed_work *work = scene->event->work;
    const unsigned of_rows = 1u << OBSERVED_STATE_DST | 1u << OBSERVED_STATE_SRC |
                             1u << OBSERVED_STATE_LREG | 1u << OBSERVED_STATE_DST_FLAG;
    if (!((work->reads | work->writes) & of_rows) || scene->event->thread >= TENSIX_THREADS ||
        scene->own->is_known || metal_layout(scene->checks->chip, scene->tile)) {
        return;
    }
    *pieces =
        *pieces ? *pieces : calloc(1, sizeof **pieces); /* what nobody needs takes no memory */
    if (!*pieces) {
        return;
    }
    if (!*own) {
        *own = calloc(1, sizeof **own);
        if (!*own) {
            return;
        }
        (*own)->l1 = l1;
        memset((*own)->src, UNINIT_UNWRITTEN, sizeof(*own)->src);
        (*own)->macros = scene->tile->tensix.vector.macros;
    }
    if ((*own)->macros != scene->tile->tensix.vector.macros) { /* what it writes is not told */
        uninit_rows_forgive(*own);
        (*own)->macros = scene->tile->tensix.vector.macros;
    }
    if (work->unit == TENSIX_UNIT_UNPACK || work->unit == TENSIX_UNIT_PACK) {
        move_data(scene, *own, *pieces);
    } else {
        clear_flags(scene, *own);
        compute_data(scene, *own, *pieces, !tensix_depends_on_dst(work->row, scene->event->word));
    }
}

void uninit_rows_forgive(struct uninit_rows *own)
{
    if (own) {
        *own = (struct uninit_rows){.l1 = own->l1,
                                    .origin = own->origin,
                                    .unwritten = own->unwritten,
                                    .macros = own->macros};
    }
}
