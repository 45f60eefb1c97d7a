/*
 * Rows of Dst and of the banks of Src that hold no data, for the check uninit.
 *
 * Nobody has written a row when kernels are launched. What a thread that packs has cleared, or that
 * was cleared with half of Dst, holds no results until an instruction writes it again. A bank of
 * Src that the Matrix Unit has given back holds data of the past. A report is due where an
 * instruction reads nothing else, since behind small tiles there may be anything; and where a whole
 * tile is packed of what was cleared.
 */
#include "observe/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "tensix/dst.h"
#include "tensix/table.h"

enum {
    SRC_BANK_ROWS = TENSIX_SRC_FILE_ROWS,
    SRC_BANKS = TENSIX_SRCS * TENSIX_SRC_FILE_BANKS,
    SRC_ROWS = SRC_BANKS * SRC_BANK_ROWS,
};

enum row_content { ROW_UNWRITTEN, ROW_CLEARED, ROW_OF_THE_PAST, ROW_FILLED, ROW_CONTENTS };

/* Rows that an instruction, or all that pack a tile, have read: the first, and how many of each
 * content. */
struct rows_read {
    uint32_t first, rows, count[ROW_CONTENTS];
};

struct check_rows {
    uint8_t dst[TENSIX_DST_ROWS], src[SRC_ROWS]; /* enum row_content */
    /* Banks of Src of which filled rows were read since they were handed over. The Matrix Unit may
     * compute with the others, too: tiles of fewer than 16 rows leave these as they are. */
    bool is_read[SRC_BANKS];
    struct rows_read packed; /* of the tile that is packed */
    unsigned packers;        /* threads that have packed, a bit each */
    uint16_t macros;         /* of the Vector Unit at first: what load macros do is not told */
    bool is_dst_lost;        /* somebody may have written it of whom nobody was told */
};

static struct check_rows *rows_of(const struct check_scene *scene)
{
    if (!scene->own->rows) {
        scene->own->rows = calloc(1, sizeof *scene->own->rows);
        if (scene->own->rows) {
            scene->own->rows->macros = scene->tile->tensix.vector.macros;
        }
    }
    return scene->own->rows;
}

/* Kernels cannot rely on what another one has left there: they may be the first. */
void check_rows_begin(const struct check_scene *scene)
{
    struct check_rows *own = rows_of(scene);
    if (own) {
        *own = (struct check_rows){.macros = scene->tile->tensix.vector.macros};
    }
}

void check_rows_lost(const struct check_scene *scene)
{
    struct check_rows *own = rows_of(scene);
    if (own) {
        own->is_dst_lost = true;
        check_uninit_forgive(scene);
    }
}

static void count_row(struct rows_read *read, uint32_t row, uint8_t content)
{
    read->first = read->rows ? read->first : row;
    read->rows++;
    read->count[content]++;
}

static bool is_judged(const struct check_scene *scene)
{
    return scene->hart < RV32_CORES && check_is_of_kernel(scene, scene->event->pc);
}

/* --- Src --- */

static void judge_src(const struct check_scene *scene, struct check_rows *own, unsigned src)
{
    const struct observed_work *work = scene->event->work;
    const uint32_t half = SRC_ROWS / TENSIX_SRCS;
    struct rows_read read = {.rows = 0};
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        bool reads = touch->state == OBSERVED_STATE_SRC && !touch->is_write;
        for (uint32_t row = touch->first; reads && row < touch->first + touch->count; row++) {
            if (row / half == src) { /* a touch may go over from one bank to the next one */
                count_row(&read, row, own->src[row]);
            }
        }
    }
    const uint32_t bank = read.first / SRC_BANK_ROWS;
    own->is_read[bank] |= read.count[ROW_FILLED] > 0;
    if (read.rows == 0 || own->is_read[bank] || !is_judged(scene)) {
        return;
    }
    check_report(scene, PENROSE_FAULT_UNDEFINED_DATA, scene->hart, scene->event->pc, read.first,
                 "computes with nothing but rows from %u on of a bank of Src%c, which nobody has "
                 "written %s",
                 read.first % SRC_BANK_ROWS, src ? 'B' : 'A',
                 read.count[ROW_OF_THE_PAST] ? "since the Matrix Unit has given the bank back"
                                             : "or cleared yet");
    memset(&own->src[src * half], ROW_FILLED, half);
}

/* Rows that an instruction writes, and banks that the Matrix Unit gives back. */
static void note_src(const struct check_scene *scene, struct check_rows *own)
{
    const struct observed_work *work = scene->event->work;
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (!touch->is_write) {
            continue;
        }
        if (touch->state == OBSERVED_STATE_SRC && touch->first + touch->count <= SRC_ROWS) {
            memset(&own->src[touch->first], ROW_FILLED, touch->count);
        }
        bool gives = touch->state == OBSERVED_STATE_SRC_BANK && work->unit == TENSIX_UNIT_MATRIX;
        for (uint32_t bank = touch->first;
             gives && bank < touch->first + touch->count && bank < SRC_BANKS; bank++) {
            uint8_t *rows = &own->src[bank * SRC_BANK_ROWS];
            own->is_read[bank] = false;
            for (unsigned row = 0; row < SRC_BANK_ROWS; row++) {
                rows[row] = rows[row] == ROW_FILLED ? ROW_OF_THE_PAST : rows[row];
            }
        }
    }
}

/* --- Dst --- */

/* Answers whether it reads any. */
static bool judge_dst(const struct check_scene *scene, struct check_rows *own, bool packs)
{
    const struct observed_work *work = scene->event->work;
    struct rows_read read = {.rows = 0};
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        bool reads = touch->state == OBSERVED_STATE_DST && !touch->is_write;
        for (uint32_t row = touch->first;
             reads && row < touch->first + touch->count && row < TENSIX_DST_ROWS; row++) {
            count_row(&read, row, own->dst[row]);
            if (packs) {
                count_row(&own->packed, row, own->dst[row]);
            }
        }
    }
    if (read.rows > 0 && read.rows == read.count[ROW_UNWRITTEN] && is_judged(scene)) {
        check_report(scene, PENROSE_FAULT_UNDEFINED_DATA, scene->hart, scene->event->pc, read.first,
                     "%s nothing but Dst row %u, which nobody has written or cleared yet",
                     packs ? "packs" : "computes with", read.first);
        check_uninit_forgive(scene);
    }
    return read.rows > 0;
}

/* The packer ends a tile. */
static void judge_packed(const struct check_scene *scene, struct check_rows *own)
{
    const struct rows_read *packed = &own->packed;
    if (packed->rows > 0 && packed->rows == packed->count[ROW_CLEARED] && is_judged(scene)) {
        check_report(scene, PENROSE_FAULT_UNDEFINED_DATA, scene->hart, scene->event->pc,
                     packed->first,
                     "packs a whole tile from Dst row %u on, which nobody has written since it was "
                     "cleared",
                     packed->first);
    }
    own->packed = (struct rows_read){.rows = 0};
}

/* What flags alone tell of is cleared: by a thread that packs, or half of Dst and more at once. */
static bool is_clear(const struct check_scene *scene, const struct check_rows *own)
{
    const struct observed_work *work = scene->event->work;
    bool is_half = false;
    for (unsigned i = 0; i < work->touches; i++) {
        if (work->touch[i].state == OBSERVED_STATE_DST) {
            return false;
        }
        is_half |= work->touch[i].state == OBSERVED_STATE_DST_FLAG &&
                   work->touch[i].count >= TENSIX_DST_ROWS / 2;
    }
    return is_half || own->packers >> scene->event->thread & 1;
}

/* Rows that an instruction writes or clears. */
static void note_dst(const struct check_scene *scene, struct check_rows *own)
{
    const struct observed_work *work = scene->event->work;
    const enum row_content content = is_clear(scene, own) ? ROW_CLEARED : ROW_FILLED;
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        bool is_dst = touch->state == OBSERVED_STATE_DST || touch->state == OBSERVED_STATE_DST_FLAG;
        if (is_dst && touch->is_write && touch->first < TENSIX_DST_ROWS &&
            touch->count <= TENSIX_DST_ROWS - touch->first) {
            memset(&own->dst[touch->first], (int)content, touch->count);
        }
    }
}

void check_rows_unit(const struct check_scene *scene)
{
    struct check_rows *own = rows_of(scene);
    const struct observed_work *work = scene->event->work;
    if (!own || scene->event->thread >= OBSERVED_NO_THREAD) {
        return;
    }
    const unsigned of_src = 1u << OBSERVED_STATE_SRC | 1u << OBSERVED_STATE_SRC_BANK;
    const unsigned of_dst = 1u << OBSERVED_STATE_DST | 1u << OBSERVED_STATE_DST_FLAG;
    bool packs = work->unit == TENSIX_UNIT_PACK, computes = work->unit == TENSIX_UNIT_MATRIX;
    for (unsigned src = 0; src < TENSIX_SRCS && computes && work->reads & of_src; src++) {
        judge_src(scene, own, src);
    }
    if (work->writes & of_src) {
        note_src(scene, own);
    }
    own->is_dst_lost |= own->macros != scene->tile->tensix.vector.macros;
    if (own->is_dst_lost) {
        return;
    }
    /* Vectors of kernels may go over rows that nobody packs. */
    computes |= work->unit == TENSIX_UNIT_VECTOR && !scene->own->is_known;
    computes &= tensix_depends_on_dst(work->row, scene->event->word);
    if ((packs || computes) && work->reads & of_dst && judge_dst(scene, own, packs) && packs) {
        own->packers |= 1u << scene->event->thread;
        if (tensix_decode_PACR(scene->event->word).last && !work->continues) {
            judge_packed(scene, own);
        }
    }
    if (work->writes & of_dst) {
        note_dst(scene, own);
    }
}

void check_rows_free(struct check_rows *rows)
{
    free(rows);
}
