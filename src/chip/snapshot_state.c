/*
 * The state of a chip in a snapshot, see snapshot.h. Members of structs are rows of snapshot.def.
 * This file has the state behind pointers: memory, packets, frames, tiles.
 *
 * These are no state, and are made anew or left out: decoded code and its marks, plans of the
 * coprocessor's units, host threads, kernels, trace, the host's memory, images of programs.
 *
 * Order is canonical (places, page numbers, packets by arrival), so equal chips give equal bytes.
 */
#include "chip/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/links.h"
#include "config.h"
#include "eth/eth.h"
#include "noc/overlay_stream.h"
#include "tensix/config/regs.h"
#include "tensix/config/users.h"
#include "tensix/table.h"
#include "tile/eth_window.h"
#include "tile/noc_short.h"
#include "tile/present.h"
#include "tile/weak.h"

/* --- Sparse memory --- */

/* The chunk of the least number from `from` on, NULL: none. */
static const struct sparse_chunk *next_chunk(const struct sparse *memory, uint64_t from)
{
    const struct sparse_chunk *next = NULL;
    for (size_t i = 0; i < memory->slots; i++) {
        const struct sparse_chunk *chunk = &memory->slot[i];
        if (chunk->bytes && chunk->number >= from && (!next || chunk->number < next->number)) {
            next = chunk;
        }
    }
    return next;
}

static void save_sparse(struct snapshot_writer *writer, const struct sparse *memory)
{
    const struct sparse_chunk *chunk = next_chunk(memory, 0);
    while (chunk) {
        snapshot_put_pages(writer, chunk->bytes, SPARSE_CHUNK_BYTES,
                           chunk->number * (SPARSE_CHUNK_BYTES / SNAPSHOT_PAGE));
        chunk = next_chunk(memory, chunk->number + 1);
    }
    snapshot_put_number(writer, SNAPSHOT_NO_MORE);
}

static void load_sparse(struct snapshot_reader *reader, struct sparse *memory, uint64_t pages)
{
    uint64_t number = 0;
    bool any = false;
    while (snapshot_next_page(reader, pages, &number, &any)) {
        uint8_t page[SNAPSHOT_PAGE];
        snapshot_get(reader, page, sizeof page);
        if (reader->status == PENROSE_OK &&
            !sparse_write(memory, number * SNAPSHOT_PAGE, page, sizeof page)) {
            snapshot_fail(reader, PENROSE_E_MEMORY, "no memory for the memory of the chip");
        }
    }
}

/* --- Packets --- */

/* Data of packets, which several may have. When saving, slot[] finds them by their addresses: 1
 * more than the place in data[]. */
struct shared_data {
    struct noc_data **data;
    uint32_t *size;
    uint32_t *slot;
    size_t count, room;
};

static void shared_free(struct shared_data *shared)
{
    free(shared->data);
    free(shared->size);
    free(shared->slot);
}

static uint32_t *shared_slot(const struct shared_data *shared, const struct noc_data *data)
{
    size_t slots = 2 * shared->room;
    size_t i = (size_t)((uint64_t)(uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15) >> 32) % slots;
    while (shared->slot[i] && shared->data[shared->slot[i] - 1] != data) {
        i = (i + 1) % slots;
    }
    return &shared->slot[i];
}

/* Room for one more; false without memory. */
static bool shared_grow(struct shared_data *shared)
{
    enum { LEAST = 64 };
    if (shared->count < shared->room) {
        return true;
    }
    size_t room = shared->room ? 2 * shared->room : LEAST;
    struct noc_data **data = realloc(shared->data, room * sizeof *data);
    shared->data = data ? data : shared->data;
    uint32_t *size = data ? realloc(shared->size, room * sizeof *size) : NULL;
    shared->size = size ? size : shared->size;
    uint32_t *slot = size ? calloc(2 * room, sizeof *slot) : NULL;
    if (!slot) {
        return false;
    }
    free(shared->slot);
    shared->slot = slot;
    shared->room = room;
    for (uint32_t i = 0; i < shared->count; i++) {
        *shared_slot(shared, shared->data[i]) = i + 1;
    }
    return true;
}

/* Only these kinds carry data; what else a packet has room for is about to be written. */
static bool carries_data(const struct noc_packet *packet)
{
    return packet->data && (packet->kind == NOC_WRITE || packet->kind == NOC_READ_RESPONSE);
}

/* 0: none; 1: they follow; else they are those that came as number - 2. A hash has them all. */
static void save_data(struct snapshot_writer *writer, struct shared_data *shared,
                      const struct noc_packet *packet)
{
    if (!carries_data(packet)) {
        snapshot_put_number(writer, 0);
        return;
    }
    if (writer->shares && !shared_grow(shared)) {
        writer->failed = true;
        return;
    }
    uint32_t *slot = writer->shares ? shared_slot(shared, packet->data) : NULL;
    if (slot && *slot) {
        snapshot_put_number(writer, 1 + *slot);
        return;
    }
    snapshot_put_number(writer, 1);
    snapshot_put(writer, packet->data->bytes, packet->size);
    if (slot) {
        shared->data[shared->count++] = packet->data;
        *slot = (uint32_t)shared->count;
    }
}

static void load_data(struct snapshot_reader *reader, struct shared_data *shared,
                      struct noc_pool *pool, struct noc_packet *packet)
{
    uint64_t number = snapshot_get_number(reader, "data of a packet", 1 + shared->count);
    if (number == 0) {
        return;
    }
    if (number > 1) {
        if (shared->size[number - 2] != packet->size) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "packets with the same data differ in size");
            return;
        }
        packet->data = shared->data[number - 2];
        packet->data->users++;
        return;
    }
    if (packet->size > NOC_MOST_BYTES) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "a packet is too long");
        return;
    }
    uint8_t *bytes = shared_grow(shared) ? noc_packet_room(pool, packet, packet->size) : NULL;
    if (!bytes) {
        snapshot_fail(reader, PENROSE_E_MEMORY, "no memory for a packet");
    } else if (!packet->data) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "a packet has data and no size");
    } else {
        snapshot_get(reader, bytes, packet->size);
        shared->size[shared->count] = packet->size;
        shared->data[shared->count++] = packet->data;
    }
}

static void save_packets(struct snapshot_writer *writer, struct shared_data *shared,
                         const struct noc_packet *packet)
{
    for (; packet; packet = packet->next) {
        snapshot_put_number(writer, 1);
        snapshot_put_object(writer, &snapshot_type_noc_packet, packet);
        save_data(writer, shared, packet);
    }
    snapshot_put_number(writer, 0);
}

/* Are there as many bytes as the receiver of the packet takes? */
static bool has_enough(const struct noc_packet *packet)
{
    uint32_t room = packet->data ? packet->size : sizeof packet->word;
    uint32_t taken = packet->has_enables ? NOC_MOST_ENABLED : packet->size;
    bool takes_data = packet->kind == NOC_WRITE || packet->kind == NOC_READ_RESPONSE;
    return !takes_data || taken <= room;
}

/* The next packet of a list, NULL at its end. */
static struct noc_packet *load_packet(struct snapshot_reader *reader, struct shared_data *shared,
                                      struct noc_pool *pool)
{
    if (!snapshot_get_number(reader, "a packet", 1)) {
        return NULL;
    }
    struct noc_packet *packet = noc_packet_new(pool);
    if (!packet) {
        snapshot_fail(reader, PENROSE_E_MEMORY, "no memory for a packet");
        return NULL;
    }
    snapshot_get_object(reader, &snapshot_type_noc_packet, packet);
    if (reader->status == PENROSE_OK) {
        load_data(reader, shared, pool, packet);
    }
    if (reader->status == PENROSE_OK && !has_enough(packet)) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "a packet of %u bytes has too few data",
                      packet->size);
    }
    if (reader->status == PENROSE_OK && packet->arrival == UINT64_MAX) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "a packet never arrives");
    }
    if (reader->status != PENROSE_OK) {
        noc_packet_free(pool, packet);
        return NULL;
    }
    return packet;
}

/* Taking the first and putting it back leaves all of them sorted. */
static void save_queue(struct snapshot_writer *writer, struct shared_data *shared,
                       struct noc_queue *queue)
{
    struct noc_packet *first = noc_queue_take(queue, UINT64_MAX);
    if (first) {
        noc_queue_return(queue, first);
    }
    save_packets(writer, shared, queue->head);
}

static void load_queue(struct snapshot_reader *reader, struct shared_data *shared,
                       struct noc_queue *queue, struct noc_pool *pool)
{
    for (struct noc_packet *packet; (packet = load_packet(reader, shared, pool));) {
        noc_queue_put(queue, packet);
    }
}

static void load_list(struct snapshot_reader *reader, struct shared_data *shared,
                      struct noc_list *list, struct noc_pool *pool)
{
    for (struct noc_packet *packet; (packet = load_packet(reader, shared, pool));) {
        noc_list_append(list, packet);
    }
}

/* --- Ethernet --- */

static void save_frames(struct snapshot_writer *writer, const struct tile_frame *frame)
{
    for (; frame; frame = frame->next) {
        snapshot_put_number(writer, 1);
        snapshot_put_object(writer, &snapshot_type_tile_frame, frame);
        snapshot_put(writer, frame->frame.bytes, frame->frame.length);
    }
    snapshot_put_number(writer, 0);
}

static void load_frames(struct snapshot_reader *reader, struct tile_frame **list)
{
    while (snapshot_get_number(reader, "a frame", 1)) {
        struct tile_frame *frame = malloc(sizeof *frame);
        if (!frame) {
            snapshot_fail(reader, PENROSE_E_MEMORY, "no memory for a frame");
            return;
        }
        frame->next = NULL;
        snapshot_get_object(reader, &snapshot_type_tile_frame, frame);
        if (reader->status == PENROSE_OK) {
            snapshot_get(reader, frame->frame.bytes, frame->frame.length);
        }
        *list = frame;
        list = &frame->next;
    }
}

/* --- Tiles --- */

static size_t streams_of(const struct tile *tile)
{
    return tile->overlay.streams ? tile->overlay.streams : OVERLAY_STREAMS;
}

/* Streams that nobody has used are not looked into: that would take memory. */
static void save_streams(struct snapshot_writer *writer, const struct tile *tile)
{
    const struct overlay *overlay = &tile->overlay;
    snapshot_put_memory(writer, overlay->word, streams_of(tile) * OVERLAY_STREAM_BYTES);
    for (size_t s = 0; overlay->state && s < streams_of(tile); s++) {
        bool is_used = !snapshot_is_blank(&snapshot_type_overlay_stream, &overlay->state[s]);
        snapshot_put_number(writer, is_used);
        if (is_used) {
            snapshot_put_object(writer, &snapshot_type_overlay_stream, &overlay->state[s]);
        }
    }
}

static void load_streams(struct snapshot_reader *reader, struct tile *tile)
{
    struct overlay *overlay = &tile->overlay;
    snapshot_get_memory(reader, overlay->word, streams_of(tile) * OVERLAY_STREAM_BYTES);
    for (size_t s = 0; overlay->state && s < streams_of(tile); s++) {
        if (snapshot_get_number(reader, "a stream", 1)) {
            snapshot_get_object(reader, &snapshot_type_overlay_stream, &overlay->state[s]);
        }
    }
}

static size_t marks_of(const struct tile *tile)
{
    return tile->kind->l1_bytes >> RV32_L1_MARK_SHIFT;
}

/* Marks of decoded code come back when it is decoded again. */
static void save_marks(struct snapshot_writer *writer, const struct tile *tile)
{
    for (size_t at = 0; at < marks_of(tile);) {
        uint8_t part[512];
        size_t size = marks_of(tile) - at < sizeof part ? marks_of(tile) - at : sizeof part;
        for (size_t i = 0; i < size; i++) {
            part[i] = tile->marks[at + i] & (uint8_t)~TILE_MARK_CODE;
        }
        snapshot_put(writer, part, size);
        at += size;
    }
}

static void save_tile(struct snapshot_writer *writer, struct shared_data *shared, struct tile *tile)
{
    snapshot_put_object(writer, &snapshot_type_tile, tile);
    snapshot_put_memory(writer, tile->l1, tile->kind->l1_bytes);
    if (!snapshot_is_hash(writer)) {
        save_marks(writer, tile);
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct rv32_code *iram = tile->hart[core].iram;
        snapshot_put_memory(writer, tile->local[core], tile_local_size(core));
        if (iram) {
            snapshot_put_memory(writer, iram->l1, iram->pages * RV32_PAGE_BYTES);
        }
    }
    save_streams(writer, tile);
    if (tile->weak) {
        snapshot_put_object(writer, &snapshot_type_tile_weak, tile->weak);
    }
    if (tile->eth) {
        snapshot_put_object(writer, &snapshot_type_eth, tile->eth);
        save_frames(writer, tile->frames);
        save_frames(writer, tile->frames_sent);
    }
    save_queue(writer, shared, &tile->inbox);
    save_queue(writer, shared, &tile->reading);
    save_packets(writer, shared, tile->sent.head);
}

/* Waking a hart divides by the length of its loop. */
static void check_sleepers(struct snapshot_reader *reader, const struct tile *tile)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (tile->run[core].state == HART_ASLEEP && !tile->run[core].idle.period) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "hart %u of %s sleeps in no loop", core,
                          tile->name);
        }
    }
}

static void check_expansions(struct snapshot_reader *reader, const struct tile *tile)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (!mop_is_sound(&tile->tensix.thread[thread].mop.expansion)) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "thread %u of %s is nowhere in a MOP", thread,
                          tile->name);
        }
    }
}

static void check_unpackers(struct snapshot_reader *reader, const struct tile *tile)
{
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        if (!tensix_unpack_is_sound(&tile->tensix.unpacker[i].held, i)) {
            snapshot_fail(reader, PENROSE_E_FORMAT,
                          "unpacker %u of %s waits with an UNPACR that there is not", i,
                          tile->name);
        }
    }
}

static void load_tile(struct snapshot_reader *reader, struct shared_data *shared, struct tile *tile)
{
    snapshot_get_object(reader, &snapshot_type_tile, tile);
    if (reader->status == PENROSE_OK) {
        check_sleepers(reader, tile);
        check_expansions(reader, tile);
        check_unpackers(reader, tile);
    }
    snapshot_get_memory(reader, tile->l1, tile->kind->l1_bytes);
    snapshot_get_sparing(reader, tile->marks, marks_of(tile));
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct rv32_code *iram = tile->hart[core].iram;
        snapshot_get_memory(reader, tile->local[core], tile_local_size(core));
        if (iram) {
            snapshot_get_memory(reader, iram->l1, iram->pages * RV32_PAGE_BYTES);
        }
    }
    load_streams(reader, tile);
    if (tile->weak) {
        snapshot_get_object(reader, &snapshot_type_tile_weak, tile->weak);
    }
    if (tile->eth) {
        snapshot_get_object(reader, &snapshot_type_eth, tile->eth);
        load_frames(reader, &tile->frames);
        load_frames(reader, &tile->frames_sent);
    }
    load_queue(reader, shared, &tile->inbox, &tile->pool);
    load_queue(reader, shared, &tile->reading, &tile->pool);
    load_list(reader, shared, &tile->sent, &tile->pool);
    debug_perf_look(tile);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        tile_polls(tile, (enum rv32_core)core, (struct tile_span){0}); /* nobody knows */
    }
    tile_noc_count_unseen(tile);
    tile->tensix.stale = TENSIX_USED_BY_ALL;
    tensix_vector_derive(&tile->tensix.vector);
}

/* Everybody in the tile stands where it would if nobody had slept. */
static void hash_tile(struct snapshot_writer *writer, struct tile *tile, uint64_t now)
{
    struct tile_past past;
    tile_to_present(tile, now, &past);
    save_tile(writer, NULL, tile);
    tile_to_past(tile, &past);
}

static void save_tiles(struct snapshot_writer *writer, struct shared_data *shared,
                       struct penrose_chip *chip)
{
    for (uint16_t place = 0; place < NOC_NODES; place++) {
        if (chip->place[place].tile) {
            snapshot_put_number(writer, place);
            if (snapshot_is_hash(writer)) {
                hash_tile(writer, chip->place[place].tile, chip->head.time.now);
            } else {
                save_tile(writer, shared, chip->place[place].tile);
            }
        }
    }
    snapshot_put_number(writer, NOC_NODES);
}

/* Which tiles have harts, so that there can be state of them. */
static bool can_run(const struct penrose_chip *chip, uint16_t place)
{
    const struct grid_tile *tile = grid_tile(&chip->grid, chip_position(place));
    return !tile->is_fused_off && chip_tile_type((enum penrose_tile_kind)tile->kind) < TILE_TYPES;
}

static void load_tiles(struct snapshot_reader *reader, struct shared_data *shared,
                       struct penrose_chip *chip)
{
    uint16_t place;
    while ((place = (uint16_t)snapshot_get_number(reader, "a tile's place", NOC_NODES)) <
               NOC_NODES &&
           reader->status == PENROSE_OK) {
        if (!can_run(chip, place) || chip->place[place].tile) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "no tile with harts is at place %u", place);
            return;
        }
        struct tile *tile = chip_make_tile(chip, place);
        if (!tile) {
            snapshot_fail(reader, PENROSE_E_MEMORY, "no memory for a tile");
            return;
        }
        load_tile(reader, shared, tile);
    }
}

/* --- Tiles that are only memory --- */

static void save_places(struct snapshot_writer *writer, const struct penrose_chip *chip)
{
    for (unsigned place = 0; place < NOC_NODES; place++) {
        if (chip->place[place].memory) {
            snapshot_put_number(writer, place);
            save_sparse(writer, chip->place[place].memory);
        }
    }
    snapshot_put_number(writer, NOC_NODES);
}

static void load_places(struct snapshot_reader *reader, struct penrose_chip *chip)
{
    enum { ALL_PAGES_SHIFT = 64 - 12 };
    uint64_t number;
    while ((number = snapshot_get_number(reader, "a place", NOC_NODES)) < NOC_NODES &&
           reader->status == PENROSE_OK) {
        struct chip_place *place = &chip->place[number];
        if (place->tile || place->port || place->memory) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "place %u is not only memory",
                          (unsigned)number);
            return;
        }
        place->memory = calloc(1, sizeof *place->memory);
        if (!place->memory) {
            snapshot_fail(reader, PENROSE_E_MEMORY, "no memory for a tile");
            return;
        }
        load_sparse(reader, place->memory, UINT64_C(1) << ALL_PAGES_SHIFT);
    }
}

/* --- Links between Ethernet tiles --- */

/* Is it the other end that a snapshot has the link of? */
static bool is_upper_end(const struct penrose_chip *chip, unsigned place)
{
    const struct penrose_chip *peer = chip->place[place].peer;
    return peer->head.number < chip->head.number ||
           (peer == chip && chip->place[place].peer_place < place);
}

void chip_save_links(struct snapshot_writer *writer, const struct penrose_chip *chip)
{
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct chip_place *place = &chip->place[i];
        if (place->peer && (snapshot_is_hash(writer) || !is_upper_end(chip, i))) {
            snapshot_put_number(writer, i);
            snapshot_put_number(writer, place->peer->head.number);
            snapshot_put_number(writer, place->peer_place);
        }
    }
    snapshot_put_number(writer, NOC_NODES);
}

/* Can a link that nobody has made yet end there? */
static bool is_free_end(const struct penrose_chip *chip, uint64_t place)
{
    const struct tile *tile = chip->place[place].tile;
    return tile && tile->eth && !chip->place[place].peer;
}

void chip_load_links(struct snapshot_reader *reader, struct penrose_chip *chip,
                     struct penrose_chip *const *chips, unsigned count)
{
    uint64_t place;
    while ((place = snapshot_get_number(reader, "a link", NOC_NODES)) < NOC_NODES &&
           reader->status == PENROSE_OK) {
        uint64_t number = snapshot_get_number(reader, "a link's other chip", count - 1);
        uint64_t other = snapshot_get_number(reader, "a link's other end", NOC_NODES - 1);
        struct penrose_chip *peer = chips[number];
        if (!is_free_end(chip, place) || !is_free_end(peer, other)) {
            snapshot_fail(reader, PENROSE_E_FORMAT,
                          "a link from place %u of chip %u to place %u of chip %u", (unsigned)place,
                          chip->head.number, (unsigned)other, (unsigned)number);
            return;
        }
        chip->place[place].peer = peer;
        chip->place[place].peer_place = (uint16_t)other;
        peer->place[other].peer = chip;
        peer->place[other].peer_place = (uint16_t)place;
    }
}

void chip_check_links(struct snapshot_reader *reader, const struct penrose_chip *chip)
{
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        const struct eth *eth = tile && !chip->place[i].peer ? tile->eth : NULL;
        if (eth && (eth->link != ETH_LINK_DOWN || eth->errors.kept != ETH_LINK_DOWN ||
                    tile->frames_sent)) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "%s has a link to nowhere", tile->name);
        }
    }
}

/* --- Banks --- */

enum { BANK_PAGES = 1 << 20 }; /* 4 GiB */

static void save_bank(struct snapshot_writer *writer, struct shared_data *shared,
                      struct dram_bank *bank)
{
    snapshot_put_object(writer, &snapshot_type_dram_bank, bank);
    save_sparse(writer, &bank->memory);
    save_queue(writer, shared, &bank->inbox);
    save_queue(writer, shared, &bank->due);
    save_packets(writer, shared, bank->sent.head);
}

static void load_bank(struct snapshot_reader *reader, struct shared_data *shared,
                      struct dram_bank *bank)
{
    snapshot_get_object(reader, &snapshot_type_dram_bank, bank);
    load_sparse(reader, &bank->memory, BANK_PAGES);
    load_queue(reader, shared, &bank->inbox, &bank->pool);
    load_queue(reader, shared, &bank->due, &bank->pool);
    load_list(reader, shared, &bank->sent, &bank->pool);
}

/* --- Reports --- */

/* One more than the number of the field that a range names; 0: it names none. */
static uint64_t field_number(const char *range)
{
    for (unsigned i = 0; i < TENSIX_FIELDS; i++) {
        if (range == tensix_fields[i].name) {
            return i + 1;
        }
    }
    return 0;
}

/* Without the first culprit (chip/faults.c). */
static void hash_use(struct snapshot_writer *writer, const struct penrose_unmodelled *use)
{
    struct penrose_unmodelled anybody = *use;
    anybody.x = anybody.y = anybody.pc = anybody.hart = 0;
    anybody.word &= UINT32_C(0xff000000);
    snapshot_put_object(writer, &snapshot_type_penrose_unmodelled, &anybody);
}

/* In which order reports of a window came is no matter of the hash: where windows end decides. */
static void save_reports(struct snapshot_writer *writer, const struct penrose_chip *chip)
{
    const struct chip_fault *fault[CHIP_FAULTS];
    const struct penrose_unmodelled *use[CHIP_UNMODELLED];
    chip_list_reports(chip, snapshot_is_hash(writer), fault, use);
    snapshot_put_number(writer, chip->faults);
    for (size_t i = 0; i < chip->faults; i++) {
        snapshot_put_object(writer, &snapshot_type_chip_fault, fault[i]);
    }
    snapshot_put_number(writer, chip->unmodelled_count);
    for (size_t i = 0; i < chip->unmodelled_count; i++) {
        if (snapshot_is_hash(writer)) {
            hash_use(writer, use[i]);
        } else {
            snapshot_put_object(writer, &snapshot_type_penrose_unmodelled, use[i]);
        }
        snapshot_put_number(writer, field_number(use[i]->range));
    }
}

static const char *range_of(const struct penrose_chip *chip, const struct penrose_unmodelled *use)
{
    uint16_t place = 0;
    const struct tile *tile =
        chip_find(chip, use->x, use->y, &place) ? chip->place[place].tile : NULL;
    enum tile_agent agent = use->hart == PENROSE_NO_HART ? AGENT_NOC : (enum tile_agent)use->hart;
    return tile_range_title(tile ? tile->kind->type : TILE_TENSIX, agent, use->address);
}

/* Comes after the tiles. */
static void load_reports(struct snapshot_reader *reader, struct penrose_chip *chip)
{
    chip->faults = snapshot_get_number(reader, "faults", CHIP_FAULTS);
    for (size_t i = 0; i < chip->faults && reader->status == PENROSE_OK; i++) {
        snapshot_get_object(reader, &snapshot_type_chip_fault, &chip->fault[i]);
    }
    chip->unmodelled_count = snapshot_get_number(reader, "unmodelled uses", CHIP_UNMODELLED);
    for (size_t i = 0; i < chip->unmodelled_count && reader->status == PENROSE_OK; i++) {
        snapshot_get_object(reader, &snapshot_type_penrose_unmodelled, &chip->unmodelled[i]);
        uint64_t field = snapshot_get_number(reader, "a field", TENSIX_FIELDS);
        if (reader->status == PENROSE_OK) {
            chip->unmodelled[i].range =
                field ? tensix_fields[field - 1].name : range_of(chip, &chip->unmodelled[i]);
        }
    }
}

/* --- The chip --- */

/* What makes a chip, however its card is called. */
struct saved_product {
    char name[CHIP_CARD];
    struct plan_bytes bytes;
};

_Static_assert(sizeof(struct saved_product) == CHIP_CARD + sizeof(struct plan_bytes),
               "it has no padding");

static void save_product(struct snapshot_writer *writer, const struct penrose_chip *chip)
{
    const struct plan_chip plan = chip_plan(chip);
    struct saved_product saved = {.bytes = plan_to_bytes(&plan.product)};
    memcpy(saved.name, chip->card, sizeof saved.name);
    snapshot_put(writer, &saved, sizeof saved);
}

bool chip_save(struct snapshot_writer *writer, struct penrose_chip *chip)
{
    struct shared_data shared = {0};
    save_product(writer, chip);
    snapshot_put_object(writer, &snapshot_type_penrose_options, &chip->options);
    snapshot_put_object(writer, &snapshot_type_penrose_chip, chip);
    if (chip->flow && !chip->board.delivery.has_late) {
        snapshot_put(writer, chip->flow, GRID_NOCS * sizeof *chip->flow);
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        save_bank(writer, &shared, &chip->bank[i]);
    }
    save_queue(writer, &shared, &chip->edge);
    if (chip->links) {
        snapshot_put(writer, &chip->links->state, sizeof chip->links->state);
        chip_links_gather(chip);
    }
    save_queue(writer, &shared, &chip->on_way);
    if (chip->links) {
        chip_links_scatter(chip);
    }
    save_tiles(writer, &shared, chip);
    save_places(writer, chip);
    save_reports(writer, chip);
    shared_free(&shared);
    return !writer->failed;
}

/* *was: the options of the chip that was saved. */
static enum penrose_status create_saved(struct snapshot_reader *reader, struct penrose_chip **chip,
                                        struct penrose_options *was, struct penrose_error *error)
{
    struct penrose_options options = {.size = sizeof options};
    struct saved_product saved;
    snapshot_get(reader, &saved, sizeof saved);
    saved.name[sizeof saved.name - 1] = 0;
    snapshot_get_object(reader, &snapshot_type_penrose_options, &options);
    if (saved.bytes.type >= BOARDS) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "board %u is unknown", saved.bytes.type);
    }
    if (reader->status != PENROSE_OK) {
        return reader->status;
    }
    *was = options;
    if (reader->is_timed) {
        options.quantum = options.timed ? options.quantum : 0;
        options.timed = true;
        options.costs = reader->costs;
    }
    const struct plan_chip plan = {
        /* the identity comes with the state */
        .product = plan_of_bytes(&saved.bytes, saved.name),
    };
    return chip_create(&options, &plan, chip, error);
}

enum penrose_status chip_load_saved(struct snapshot_reader *reader, struct penrose_chip **chip,
                                    struct penrose_error *error)
{
    struct shared_data shared = {0};
    struct penrose_chip *made = NULL;
    struct penrose_options was;
    *chip = NULL;
    enum penrose_status status = create_saved(reader, &made, &was, error);
    if (status != PENROSE_OK) {
        return status;
    }
    snapshot_get_object(reader, &snapshot_type_penrose_chip, made);
    if (made->options.timed && !was.timed) { /* the window under way was longer than timed ones */
        made->head.time.cut = (struct chip_cut){.end = 0};
    }
    if (was.timed || was.schedule == PENROSE_RANDOM) {
        snapshot_get_sparing(reader, made->flow, GRID_NOCS * sizeof *made->flow);
    }
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        load_bank(reader, &shared, &made->bank[i]);
    }
    load_queue(reader, &shared, &made->edge, &made->packets);
    if (was.timed) {
        snapshot_get_sparing(reader, &made->links->state, sizeof made->links->state);
    }
    load_queue(reader, &shared, &made->on_way, &made->packets);
    if (reader->status == PENROSE_OK && !was.timed && made->on_way.earliest != UINT64_MAX) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "a packet is between routers in a functional run");
    }
    if (made->links) {
        chip_links_restore(made);
    }
    load_tiles(reader, &shared, made);
    load_places(reader, made);
    load_reports(reader, made);
    shared_free(&shared);
    made->touched = true;
    if (reader->status != PENROSE_OK) {
        chip_destroy(made);
        return reader->status;
    }
    *chip = made;
    return PENROSE_OK;
}

/* --- The hash of a chip --- */

uint64_t chip_state_hash(struct penrose_chip *chip)
{
    struct snapshot_writer *writer = malloc(sizeof *writer);
    if (!writer) {
        return 0;
    }
    *writer = (struct snapshot_writer){.put = NULL};
    snapshot_hash_init(&writer->hash);
    chip_save(writer, chip);
    chip_save_links(writer, chip);
    uint64_t hash = snapshot_flush(writer);
    free(writer);
    return hash;
}
