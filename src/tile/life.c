/* The life of a tile: it is made, reset and destroyed. */
#include "tile/tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/pages.h"
#include "tile/bus.h"
#include "tile/debug_internal.h"
#include "tile/eth_window.h"
#include "tile/map.h"
#include "tile/noc_arrive.h"
#include "tile/observe.h"
#include "tile/overlay_port.h"
#include "tile/tensix_port.h"
#include "tile/weak.h"

enum { PAGE_BYTES = 4096 }; /* at least */

#define PAGES(bytes) (((bytes) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)

/* A tile is one piece of memory that the host fills in on first touch: struct tile, the local RAMs,
 * L1, and what else points there. */
enum {
    MARKS_BYTES = TILE_L1_BYTES >> RV32_L1_MARK_SHIFT,
    MAP_ENTRIES = TILE_L1_BYTES >> RV32_PAGE_SHIFT,
    LOCALS_BYTES = 2 * TILE_B_LOCAL_BYTES + 3 * TILE_T_LOCAL_BYTES,
    LOCALS_AT = (sizeof(struct tile) + 63) / 64 * 64,
    L1_AT = PAGES(LOCALS_AT + LOCALS_BYTES),
    IRAM_MAPS_BYTES = TILE_IRAM_BYTES / RV32_PAGE_BYTES * (int)sizeof(struct rv32_page *) +
                      TILE_IRAM_BYTES / (1 << RV32_L1_MARK_SHIFT) +
                      (TILE_IRAM_BYTES ? RV32_CORES * (int)sizeof(struct rv32_code) : 0),
    TILE_BYTES = L1_AT + PAGES(TILE_L1_BYTES + OVERLAY_MEMORY_BYTES + MARKS_BYTES +
                               MAP_ENTRIES * (int)sizeof(struct rv32_page *) + TILE_IRAM_BYTES +
                               IRAM_MAPS_BYTES),
};

static void init_harts(struct tile *tile, uint8_t *locals)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        tile->local[core] = locals;
        tile->hart[core] = (struct rv32_hart){
            .core = (enum rv32_core)core,
            .l1 = tile->l1,
            .l1_marks = tile->marks,
            .local = locals,
            .code = &tile->code,
            .owner = tile,
        };
        rv32_reset(&tile->hart[core], 0, 0);
        tile_polls(tile, (enum rv32_core)core, TILE_SPAN_NONE);
        locals += tile_local_size((enum rv32_core)core);
    }
}

/* Instruction RAMs of the kind's harts, each with its map; the rest of the memory is for these. */
static void init_irams(struct tile *tile, uint8_t *memory)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct tile_iram *iram = tile_iram(tile->kind->type, (enum rv32_core)core);
        if (!iram) {
            continue;
        }
        struct rv32_code *code = (struct rv32_code *)memory;
        memory += sizeof *code;
        *code = (struct rv32_code){.map = (void *)memory,
                                   .pages = iram->bytes >> RV32_PAGE_SHIFT,
                                   .base = iram->first,
                                   .store = tile->code.store};
        memory += code->pages * sizeof(struct rv32_page *);
        code->l1 = memory;
        memory += iram->bytes;
        code->marks = memory;
        memory += iram->bytes >> RV32_L1_MARK_SHIFT;
        tile->hart[core].iram = code;
    }
    if (tile->hart[RV32_NC].iram) {
        tile->tensix.iram = tile->hart[RV32_NC].iram->l1;
        tile->tensix.iram_size = tile_iram(tile->kind->type, RV32_NC)->bytes;
    }
}

void tile_rename(struct tile *tile, unsigned x, unsigned y)
{
    tile->x = x;
    tile->y = y;
    snprintf(tile->name, sizeof tile->name, "%s (%u, %u)", tile->kind->name, x % 64, y % 64);
}

/* What is the same when a tile is made and when it is reset; the devices are zeros. */
static void init_devices(struct tile *tile)
{
    debug_init(tile);
    gddr_dma_reset(&tile->gddr_dma);
    tile->debug.word[REG_SOFT_RESET_0] = tile_reset_bits(tile);
    debug_perf_look(tile);
}

static void prepare(struct tile *tile, uint8_t *memory)
{
    struct rv32_code_store *store = tile->code.store;
    tile->quantum = TILE_QUANTUM;
    tile->running = RV32_CORES;
    tile->l1 = memory;
    memory += TILE_L1_BYTES;
    overlay_attach(&tile->overlay, tile->kind->streams, memory, tile->l1, tile->kind->l1_bytes,
                   &tile_overlay_board, tile);
    memory += OVERLAY_MEMORY_BYTES;
    tile->code = (struct rv32_code){.map = (void *)memory,
                                    .pages = tile->kind->l1_bytes >> RV32_PAGE_SHIFT,
                                    .l1 = tile->l1,
                                    .store = store};
    memory += MAP_ENTRIES * sizeof(struct rv32_page *);
    tile->marks = memory;
    tile->code.marks = memory;
    init_harts(tile, (uint8_t *)tile + LOCALS_AT);
    init_irams(tile, memory + MARKS_BYTES);
    tile->tensix.l1 = tile->l1;
    tile->tensix.l1_size = tile->kind->l1_bytes;
    tile->tensix.board = &tile_tensix_board;
    tile->tensix.owner = tile;
    tensix_init(&tile->tensix);
    init_devices(tile);
    tile_allow_shortcuts(tile, true);
    noc_queue_init(&tile->inbox);
    noc_queue_init(&tile->reading);
}

struct tile *tile_create(enum tile_type type, unsigned x, unsigned y, struct rv32_code_store *store,
                         const struct tile_board *board, void *owner)
{
    uint8_t *memory = host_pages_map(TILE_BYTES);
    if (!memory) {
        return NULL;
    }
    struct tile *tile = (struct tile *)memory;
    tile->kind = &tile_kinds[type];
    tile->map = &tile_maps[type];
    tile->node = noc_node(x, y);
    tile_rename(tile, x, y);
    tile->board = board;
    tile->owner = owner;
    tile->code.store = store;
    prepare(tile, memory + L1_AT);
    tile_noc_attach(tile);
    if (type == TILE_ETHERNET && !tile_eth_init(tile)) {
        tile_destroy(tile);
        return NULL;
    }
    return tile;
}

void tile_destroy(struct tile *tile)
{
    if (tile) {
        tile_weak_free(tile);
        noc_queue_free(&tile->inbox, &tile->pool);
        noc_queue_free(&tile->reading, &tile->pool);
        for (struct noc_packet *packet; (packet = noc_list_take(&tile->sent));) {
            noc_packet_free(&tile->pool, packet);
        }
        noc_pool_empty(&tile->pool);
        tile_eth_free(tile);
        rv32_code_invalidate(&tile->code); /* the pages belong to the store */
        for (unsigned core = 0; core < RV32_CORES; core++) {
            if (tile->hart[core].iram) {
                rv32_code_invalidate(tile->hart[core].iram);
            }
        }
        host_pages_unmap(tile, TILE_BYTES);
    }
}

void tile_reset(struct tile *tile, uint64_t cycle)
{
    uint32_t held = tile->debug.word[REG_SOFT_RESET_0];
    tile_soft_reset(tile, held, held | tile_reset_bits(tile), cycle);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        tile->run[core].ram_kept = false;
    }
    tensix_reset(&tile->tensix);
    tile->tensix_idle = false;
    overlay_reset(&tile->overlay);
    *(struct tile_devices *)tile = (struct tile_devices){.commands = 0};
    noc_queue_free(&tile->reading, &tile->pool);
    tile->unseen_count = 0;
    init_devices(tile);
    tile_event(tile, cycle);
}
