/* Reports who waits for what: harts, threads of the coprocessor, packets that a tile cannot take
 * yet, and responses that will not come any more. Tiles with the same wait share a line. */
#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "metal/firmware.h"
#include "noc/transaction.h"
#include "observe/waits/responses.h"
#include "observe/waits/under_way.h"
#include "observe/waits/across.h"
#include "observe/waits/lines.h"
#include "observe/waits/places.h"
#include "observe/waits/waits.h"
#include "tensix/exec.h"
#include "tile/eth_window.h"
#include "tile/weak.h"

/* --- Harts that poll --- */

/* A hart may read one place several times in an iteration; it is named once. */
static bool named_before(const struct rv32_idle *idle, unsigned place)
{
    for (unsigned i = 0; i < place; i++) {
        if (idle->place[i].address == idle->place[place].address) {
            return true;
        }
    }
    return false;
}

/* A hart that went on at address 0 runs its program again, or another one. */
static bool put_null_jump(struct wait_words *words, struct penrose_chip *chip,
                          const struct tile *tile, enum rv32_core core, const char *mark)
{
    char text[256];
    bool has_jumped = chip_null_jump(chip, tile, core, text, sizeof text);
    wait_words_put(words, "%s%s", has_jumped ? mark : "", has_jumped ? text : "");
    return has_jumped;
}

static void put_polling(struct wait_words *words, struct penrose_chip *chip, struct tile *tile,
                        enum rv32_core core)
{
    const struct rv32_idle *idle = &tile->run[core].idle;
    if (idle->places == 0 && idle->wake == UINT64_MAX) {
        if (!put_null_jump(words, chip, tile, core, ": ")) {
            wait_words_put(words, ": endless loop without effect: it reads nothing that could ever "
                                  "change");
        }
        return;
    }
    if (wait_places_for_work(chip, tile, core, words)) {
        words->interest = WAIT_IDLE;
        return;
    }
    wait_words_put(words, ": polls ");
    for (unsigned i = 0; i < idle->places; i++) {
        if (!named_before(idle, i)) {
            wait_words_put(words, "%s", i ? ", " : "");
            wait_places_put(chip, tile, core, &idle->place[i], words);
        }
    }
    if (idle->wake != UINT64_MAX) {
        wait_words_put(words, "%sthe wall clock", idle->places ? " and " : "");
        wait_words_value(words, ", until cycle %llu or later", (unsigned long long)idle->wake);
    }
    put_null_jump(words, chip, tile, core, "; ");
}

/* --- Harts whose access is not answered --- */

/* Where a hart waits for its thread of the coprocessor, or for another hart (mmio.def). */
static const char *awaited_mailbox(const struct rv32_access *access)
{
    static const char *const empty[] = {"brisc has sent nothing", "trisc0 has sent nothing",
                                        "trisc1 has sent nothing", "trisc2 has sent nothing"};
    return access->store ? "the mailbox is full, its reader has taken nothing"
                         : empty[(access->address - AT_MAILBOX) / STEP_MAILBOX];
}

/* What a TRISC's access waits for, or NULL where the address says it all. */
static const char *awaited_by_trisc(const struct tile *tile, enum rv32_core core,
                                    const struct rv32_access *access)
{
    switch (access->address) {
    case RV32_PUSH_BASE:
        return "its thread's queue is full";
    case AT_PC_BUF:
        return "brisc has put nothing there";
    case AT_COPROCESSOR_DONE:
        return "its thread has not executed all that was pushed";
    case AT_MOP_EXPANDER_DONE:
        return "its thread's MOPs are not expanded";
    }
    bool is_tracked = (access->address >= AT_GPR && access->address < RV32_PUSH_BASE) ||
                      access->address >= AT_CONFIG;
    return is_tracked && tensix_thread_busy(&tile->tensix, core - RV32_T0)
               ? "what was pushed before it goes first (Auto TTSync)"
               : NULL;
}

static const char *awaited(const struct tile *tile, enum rv32_core core,
                           const struct rv32_access *access)
{
    bool is_mailbox = access->address >= AT_MAILBOX && access->address < END_MAILBOX;
    if (tile->kind->type != TILE_TENSIX) {
        return NULL;
    }
    if (is_mailbox && core != RV32_NC) {
        return awaited_mailbox(access);
    }
    return core >= RV32_T0 && core <= RV32_T2 ? awaited_by_trisc(tile, core, access) : NULL;
}

static void put_waiting(struct wait_words *words, const struct tile *tile, enum rv32_core core)
{
    const struct rv32_access *access = &tile->hart[core].access;
    const char *reason = awaited(tile, core, access);
    wait_words_put(words, ": %s 0x%08x (%s) is not answered%s%s",
                   access->store ? "store to" : "load from", access->address,
                   tile_range_title(tile->kind->type, (enum tile_agent)core, access->address),
                   reason ? ": " : "", reason ? reason : "");
}

/* --- Harts that poll through the NoC --- */

/* Such a hart never sleeps, since each read may find something new. */
static bool put_reading(struct wait_words *words, const struct penrose_chip *chip,
                        const struct tile *tile, enum rv32_core core)
{
    const struct asked *asked = asked_again(&tile->asked, core);
    char place[80];
    if (!asked) {
        return false;
    }
    wait_places_read(chip, asked, place, sizeof place);
    wait_words_put(words, "reads %s through NoC %u again and again, and asks for nothing else",
                   place, asked->noc);
    wait_words_value(words, "; %u times so far", asked->times);
    return true;
}

/* --- Harts --- */

/* The instruction by which a hart has paused itself; NULL: a debugger did. */
static const char *find_trap(const struct tile *tile, enum rv32_core core)
{
    uint32_t at = debug_stands_at(tile, core), word;
    if (at == tile->hart[core].pc) {
        return NULL;
    }
    memcpy(&word, tile->l1 + at, sizeof word);
    return word == rv32_rows[RV32_ROW_ECALL].match ? "ecall" : "ebreak";
}

/* Is it code of a bare program that was loaded, and no firmware, kernel or unknown code? */
static bool is_program(const struct penrose_chip *chip, const struct tile *tile, uint32_t pc)
{
    const struct image *image = images_find(chip_images(chip), tile->x, tile->y, pc);
    return image && !image->is_kernel && !image->is_found;
}

/* What a hart has read from its cache (--schedule random) where L1 holds something else. */
static void put_stale(struct wait_words *words, const struct tile *tile, enum rv32_core core)
{
    uint32_t address, cached, held;
    if (tile_weak_stale(tile, core, &address, &cached, &held)) {
        words->interest = WAIT_WAITS;
        wait_words_put(words, "; no fence since it has read 0x%08x, which is stale in its cache",
                       address);
        wait_words_value(words, ": 0x%x there, 0x%x in L1", cached, held);
    }
}

/* Bare programs end with ebreak, which tables call "done"; firmware and kernels do not. */
static void put_pause(struct wait_words *words, const struct penrose_chip *chip,
                      const struct tile *tile, enum rv32_core core, const char *trap)
{
    bool has_firmware = metal_layout(chip, tile) != NULL;
    bool is_done = !has_firmware && trap && is_program(chip, tile, debug_stands_at(tile, core));
    wait_words_put(words, is_done ? ": done (%s)" : ": paused by %s", trap ? trap : "a debugger");
    if (has_firmware && trap && strcmp(trap, "ebreak") == 0) {
        wait_words_put(words, ": compilers put it where a null pointer is used, where code should "
                              "not be reached, and where an assertion has failed");
        return;
    }
    words->interest = WAIT_RUNS;
}

static void add_hart(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile,
                     enum rv32_core core)
{
    const struct tile_hart *run = &tile->run[core];
    struct wait_words words;
    if (run->state == HART_HELD || !(tile->kind->harts >> core & 1)) {
        return;
    }
    const char *trap = run->state == HART_PAUSED ? find_trap(tile, core) : NULL;
    wait_words_start(&words);
    wait_words_put(&words, "%s", tile->kind->hart[core]);
    wait_places_position(&words, chip, tile, debug_stands_at(tile, core));
    switch (run->state) {
    case HART_HELD:
    case HART_READY:
        wait_words_put(&words, ": ");
        if (!put_reading(&words, chip, tile, core)) {
            wait_words_put(&words, "runs");
            words.interest = WAIT_RUNS;
        }
        put_null_jump(&words, chip, tile, core, "; ");
        put_stale(&words, tile, core);
        break;
    case HART_WAITING:
        put_waiting(&words, tile, core);
        break;
    case HART_ASLEEP:
        if (asked_again(&tile->asked, core)) {
            wait_words_put(&words, ": ");
            put_reading(&words, chip, tile, core);
        } else {
            put_polling(&words, chip, tile, core);
        }
        put_stale(&words, tile, core);
        break;
    case HART_PAUSED:
        put_pause(&words, chip, tile, core, trap);
        break;
    case HART_FAULTED:
        wait_words_put(&words, ": stopped with a fault");
        break;
    }
    wait_lines_add(lines, tile->x, tile->y, &words);
}

/* --- The coprocessor --- */

/* Of an instruction that a wait instruction holds, that one is what waits. */
static bool name_wait(const struct tensix *tensix, unsigned thread, char *text, size_t size)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    char held[100];
    if (own->wait == TENSIX_WAITS_FOR_NOTHING || !own->has_next) {
        return false;
    }
    if (own->wait != TENSIX_WAITS_FOR_LATCH) {
        return tensix_wait_text(tensix, thread, text, size);
    }
    tensix_latch_text(tensix, thread, text, size);
    tensix_disassemble(own->next, held, sizeof held);
    size_t length = strlen(text);
    snprintf(text + length, size - length, "; it holds %s", held);
    return true;
}

static void add_instruction(struct wait_lines *lines, struct penrose_chip *chip,
                            const struct tile *tile, unsigned thread,
                            const struct tensix_origin *origin, const char *text)
{
    struct wait_words words;
    wait_words_start(&words);
    wait_words_put(&words, "tensix thread %u, ", thread);
    if (origin->pusher < RV32_CORES) {
        wait_words_put(&words, "pushed by %s", arch_hart_name((enum penrose_hart)origin->pusher));
        wait_places_position(&words, chip, tile, origin->pc);
    } else {
        wait_words_put(&words, OBSERVED_INJECTED);
    }
    wait_words_put(&words, ": %s", text);
    wait_lines_add(lines, tile->x, tile->y, &words);
}

/* What waits in the unpackers, and threads whose next instruction waits for something. */
static void add_threads(struct wait_lines *lines, struct penrose_chip *chip,
                        const struct tile *tile)
{
    const struct tensix *tensix = &tile->tensix;
    char text[384];
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        const struct tensix_unpack_held *held = &tensix->unpacker[which].held;
        const struct tensix_origin origin = {.pc = held->pc, .pusher = held->pusher};
        if (tensix_held_text(tensix, which, text, sizeof text)) {
            add_instruction(lines, chip, tile, held->task.thread, &origin, text);
        }
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (name_wait(tensix, thread, text, sizeof text)) {
            add_instruction(lines, chip, tile, thread, tensix_waits_at(&tensix->thread[thread]),
                            text);
        }
    }
}

/* --- The NoC --- */

/* A packet at the tile's door that it cannot take yet, and all that stand behind it. */
static void add_door(struct wait_lines *lines, const struct penrose_chip *chip,
                     const struct tile *tile)
{
    static const char *const kinds[] = {
        "read", "write", "atomic", "read response", "write acknowledgement", "atomic response"};
    const struct noc_packet *packet = tile->inbox.head;
    struct wait_words words;
    char peer[40];
    struct sink sink = {.text = peer, .size = sizeof peer};
    if (!tile->inbox_waits || !packet) {
        return;
    }
    unsigned behind = 0;
    for (const struct noc_packet *next = packet->next; next; next = next->next) {
        behind++;
    }
    under_way_put_place(&sink, chip, packet->from);
    wait_words_start(&words);
    wait_words_put(&words, "NoC %u: a %s of %u bytes at 0x%llx (%s) from ", packet->noc,
                   kinds[packet->kind], packet->size, (unsigned long long)packet->address,
                   tile_range_title(tile->kind->type, AGENT_NOC, (uint32_t)packet->address));
    wait_words_value(&words, "%s", peer);
    wait_words_put(&words, " cannot be taken yet");
    wait_words_value(&words, "; %u packets wait behind it", behind);
    wait_lines_add(lines, tile->x, tile->y, &words);
}

/* A transaction that nobody has ended keeps everybody else from sending. */
static void add_transaction(struct wait_lines *lines, struct penrose_chip *chip,
                            const struct tile *tile, unsigned noc)
{
    const struct niu_transaction *open = &tile->niu[noc].transaction;
    struct wait_words words;
    char to[40];
    if (!open->is_open) {
        return;
    }
    noc_member_describe(open->to, noc, to, sizeof to);
    wait_words_start(&words);
    wait_words_put(&words, "NoC %u: a linked transaction to raw %s is open", noc, to);
    if (open->sender) {
        wait_words_put(&words, " by stream %u", (unsigned)open->sender - 1);
    } else if (open->agent < RV32_CORES) {
        wait_words_put(&words, " by %s", arch_hart_name((enum penrose_hart)open->agent));
        wait_places_position(&words, chip, tile, open->pc);
    }
    wait_words_put(&words,
                   " since cycle %llu: nothing else can leave before a request without "
                   "bit %d of NOC_CTRL ends it",
                   (unsigned long long)open->since, NIU_CTRL_LINKED);
    wait_lines_add(lines, tile->x, tile->y, &words);
}

static void add_noc(struct wait_lines *lines, struct penrose_chip *chip, const struct tile *tile)
{
    add_door(lines, chip, tile);
    for (unsigned noc = 0; noc < 2; noc++) {
        add_transaction(lines, chip, tile, noc);
        responses_add_lost(lines, chip, tile, noc);
    }
}

/* --- Links --- */

/* A link that has gone away, or that damages frames, and what did not arrive because of that. */
static void add_link(struct wait_lines *lines, const struct penrose_chip *chip,
                     const struct tile *tile)
{
    const struct chip_place *port = &chip->place[tile->node];
    struct wait_words words;
    char peer[60];
    struct sink sink = {.text = peer, .size = sizeof peer};
    if (!port->peer) {
        return;
    }
    const struct eth_statistics *here = &tile->eth->statistics,
                                *there = &port->peer->place[port->peer_place].tile->eth->statistics;
    bool is_away = tile->eth->link == ETH_LINK_DOWN;
    if (!is_away && !here->damaged && !there->damaged) {
        return;
    }
    under_way_put_far_place(&sink, chip, port->peer, port->peer_place);
    wait_words_start(&words);
    words.interest = is_away ? WAIT_ROOT : WAIT_WAITS;
    wait_words_put(&words, "the link to ");
    wait_words_value(&words, "%s", peer);
    if (is_away) {
        wait_words_put(&words, " is away since cycle ");
        wait_words_value(&words, "%llu", (unsigned long long)tile->eth->errors.down);
    } else {
        wait_words_put(&words, " has damaged ");
        wait_words_value(&words, "%llu of %llu frames that came, and %llu of %llu that went",
                         (unsigned long long)here->damaged, (unsigned long long)here->received,
                         (unsigned long long)there->damaged, (unsigned long long)there->received);
    }
    wait_words_value(&words, "; %u packets are not acknowledged", eth_held(tile->eth));
    wait_lines_add(lines, tile->x, tile->y, &words);
}

/* --- The overlay --- */

/* Streams in a phase; what peers owe them is named with its tile. */
static void add_streams(struct wait_lines *lines, const struct tile *tile)
{
    for (unsigned stream = 0; stream < tile->kind->streams; stream++) {
        struct wait_words words;
        char wait[256];
        if (overlay_describe_wait(&tile->overlay, stream, wait, sizeof wait)) {
            wait_words_start(&words);
            wait_words_put(&words, "%s", wait);
            wait_lines_add(lines, tile->x, tile->y, &words);
        }
    }
}

/* --- Reports --- */

/* Calls `add` for each tile: workers first. */
static void each_tile(struct penrose_chip *chip, struct wait_lines *lines,
                      void (*add)(struct wait_lines *lines, struct penrose_chip *chip,
                                  struct tile *tile))
{
    for (enum tile_type type = TILE_TENSIX; type < TILE_TYPES; type++) {
        for (unsigned i = 0; i < NOC_NODES; i++) {
            struct tile *tile = chip->place[i].tile;
            if (tile && tile->kind->type == type) {
                add(lines, chip, tile);
            }
        }
    }
}

static void add_tile(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile)
{
    for (unsigned core = 0; core < RV32_CORES; core++) {
        add_hart(lines, chip, tile, (enum rv32_core)core);
    }
    add_threads(lines, chip, tile);
    add_noc(lines, chip, tile);
    add_link(lines, chip, tile);
    add_streams(lines, tile);
}

static int write_report(struct penrose_chip *chip, char *text, size_t size,
                        void (*add)(struct wait_lines *lines, struct penrose_chip *chip,
                                    struct tile *tile))
{
    struct sink sink = {.text = text, .size = size};
    struct wait_lines lines = {0};
    if (size) {
        *text = 0;
    }
    if (add == add_tile) {
        each_tile(chip, &lines, wait_across_add);
    }
    each_tile(chip, &lines, add);
    wait_lines_write(&lines, &sink);
    wait_lines_free(&lines);
    return sink.length;
}

bool waits_for_work_only(struct penrose_chip *chip)
{
    struct wait_lines lines = {0};
    each_tile(chip, &lines, add_tile);
    bool is_so = lines.count > 0 && lines.lost == 0;
    for (unsigned i = 0; i < lines.count; i++) {
        is_so &= lines.line[i].interest == WAIT_IDLE;
    }
    wait_lines_free(&lines);
    return is_so;
}

bool waits_anybody(struct penrose_chip *chip)
{
    struct wait_lines lines = {0};
    each_tile(chip, &lines, add_tile);
    bool is_so = false;
    for (unsigned i = 0; i < lines.count; i++) {
        is_so |= lines.line[i].interest >= WAIT_WAITS;
    }
    wait_lines_free(&lines);
    return is_so;
}

static void add_coprocessor(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile)
{
    add_threads(lines, chip, tile);
}

int chip_tensix_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    return write_report(chip, text, size, add_coprocessor);
}

static void add_leftovers(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile)
{
    if (tile->kind->type == TILE_TENSIX) {
        responses_add_under_way(lines, chip, tile);
    }
}

int chip_noc_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    return write_report(chip, text, size, add_leftovers);
}

int chip_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    return write_report(chip, text, size, add_tile);
}
