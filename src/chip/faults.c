/* Reports of tiles: guest faults, unmodelled registers and trace events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/gddr.h"
#include "isa/error.h"
#include "tensix/table.h"
#include "tile/fault.h"
#include "tile/timing.h"

static enum penrose_hart hart_of(enum tile_agent agent)
{
    return agent < AGENT_NOC ? (enum penrose_hart)agent : PENROSE_NO_HART;
}

/* --- Recording --- */

static void name_tile(const struct penrose_chip *chip, uint16_t place, unsigned *x, unsigned *y)
{
    struct grid_position logical = chip_logical(chip, place);
    *x = logical.x;
    *y = logical.y;
}

/* An unrolled loop has the same hazard at many places: where nothing but the pc differs, it is one
 * mistake. */
static bool is_same_place(const struct tile_fault *a, const struct tile_fault *b)
{
    return a->pc == b->pc || (a->kind == PENROSE_FAULT_VECTOR_HAZARD && !strcmp(a->text, b->text));
}

/* A hart that sleeps because it polls does not load again (rv32/idle.h). */
static bool is_counted(const struct tile_fault *fault)
{
    return fault->kind != PENROSE_FAULT_NULL_ACCESS;
}

static bool is_same(const struct chip_fault *a, const struct chip_fault *b)
{
    const struct tile_fault *left = &a->fault, *right = &b->fault;
    return left->kind == right->kind && is_same_place(left, right) && left->agent == right->agent &&
           left->is_tensix == right->is_tensix && left->word == right->word && a->x == b->x &&
           a->y == b->y;
}

/* Adds a fault to a list, of which `most` have room; the last makes room for one that stops. */
static void add_fault(struct chip_fault *list, size_t *count, size_t most,
                      const struct chip_fault *fault)
{
    for (size_t i = 0; i < *count; i++) {
        if (!is_same(&list[i], fault)) {
            continue;
        }
        if (is_counted(&fault->fault)) {
            list[i].repeated += fault->repeated + 1;
            list[i].fault.cycle = fault->fault.cycle;
        }
        return;
    }
    if (*count == most && fault->policy == PENROSE_STOP) {
        --*count;
    }
    if (fault->policy != PENROSE_IGNORE && *count < most) {
        list[(*count)++] = *fault;
    }
}

/* A fault in the chip's own list. The sender of a request from elsewhere stops too. */
static void take_fault(struct penrose_chip *chip, const struct chip_fault *fault)
{
    add_fault(chip->fault, &chip->faults, CHIP_FAULTS, fault);
    struct tile *origin = fault->fault.is_remote ? chip->place[fault->fault.origin].tile : NULL;
    if (origin && fault->policy == PENROSE_STOP) {
        origin->halt = TILE_FAULTED;
        chip_touch(chip, fault->fault.origin);
    }
}

/* Notes, made when they are first needed; NULL when memory runs out. */
static struct chip_notes *notes_at(void **notes)
{
    if (!*notes) {
        *notes = calloc(1, sizeof(struct chip_notes));
    }
    return *notes;
}

/* Of a Tensix instruction that came through the debug registers: with one that is wrong the hardware
 * goes on. ARC's own firmware wastes an UNPACR in each tile at every boot, with the formats that a
 * reset leaves, and no program of a hart is to stop for what a host injects. */
static bool is_injected(const struct tile_fault *fault)
{
    return fault->is_tensix && hart_of(fault->agent) == PENROSE_NO_HART;
}

static enum penrose_policy policy_of(const struct penrose_chip *chip,
                                     const struct tile_fault *fault)
{
    enum penrose_policy policy = chip->options.policy[fault->kind];
    return policy == PENROSE_STOP && is_injected(fault) ? PENROSE_WARN : policy;
}

static enum penrose_policy note_fault(struct penrose_chip *chip, void **notes, uint16_t place,
                                      const struct tile_fault *fault)
{
    struct chip_fault record = {.fault = *fault, .policy = policy_of(chip, fault)};
    name_tile(chip, fault->is_remote ? fault->origin : place, &record.x, &record.y);
    struct chip_notes *own = chip->shares_time ? notes_at(notes) : NULL;
    if (own) {
        size_t count = own->faults;
        add_fault(own->fault, &count, NOTES_FAULTS, &record);
        own->faults = (unsigned)count;
    } else if (!chip->shares_time) {
        take_fault(chip, &record);
    }
    return record.policy;
}

static enum penrose_policy record_fault(void *owner, struct tile *tile,
                                        const struct tile_fault *fault)
{
    return note_fault(owner, &tile->notes, tile->node, fault);
}

static enum penrose_policy record_bank_fault(void *owner, void **notes,
                                             const struct tile_fault *fault)
{
    return note_fault(owner, notes, fault->origin, fault);
}

/* What host files look alike may be another program: only those count that were loaded here. */
static bool has_nothing_at_null(void *owner, const struct tile *tile, uint32_t pc)
{
    const struct image *image = images_find(chip_images(owner), tile->x, tile->y, pc);
    return image && !image->is_firmware && !image->is_found &&
           loader_elf_lowest(image->elf) >= RV32_NULL_BYTES;
}

bool chip_packet_fault(struct penrose_chip *chip, const struct noc_packet *packet,
                       enum penrose_fault_kind kind, const char *text)
{
    struct tile_fault fault = tile_fault_of_packet(packet, kind, text);
    void *none = NULL;
    return note_fault(chip, &none, packet->origin, &fault) != PENROSE_STOP;
}

/* --- What is not modelled --- */

/* Entries are the same when they are about one register, or about what instructions of one opcode do
 * to one field. */
static bool is_same_use(const struct penrose_unmodelled *a, const struct penrose_unmodelled *b)
{
    return a->address == b->address && a->range == b->range && a->word >> 24 == b->word >> 24;
}

static void add_use(struct penrose_unmodelled *list, size_t *count, size_t most,
                    const struct penrose_unmodelled *use)
{
    for (size_t i = 0; i < *count; i++) {
        if (is_same_use(&list[i], use)) {
            list[i].times += use->times;
            list[i].written |= use->written;
            list[i].read |= use->read;
            return;
        }
    }
    if (*count < most) {
        list[(*count)++] = *use;
    }
}

static void note_use(struct penrose_chip *chip, struct tile *tile, struct penrose_unmodelled *use)
{
    name_tile(chip, tile->node, &use->x, &use->y);
    if (!chip->shares_time) {
        add_use(chip->unmodelled, &chip->unmodelled_count, CHIP_UNMODELLED, use);
        return;
    }
    struct chip_notes *own = notes_at(&tile->notes);
    if (own) {
        size_t count = own->unmodelled_count;
        add_use(own->unmodelled, &count, NOTES_UNMODELLED, use);
        own->unmodelled_count = (unsigned)count;
    }
}

static void record_unmodelled(void *owner, struct tile *tile, const struct mmio_access *access,
                              const char *field)
{
    struct penrose_unmodelled use = {
        .address = access->address,
        .written = mmio_is_write(access),
        .read = !mmio_is_write(access),
        .times = 1,
        .hart = hart_of(access->agent),
        .range =
            field ? field : tile_range_title(tile->kind->type, access->agent, access->address)};
    if (access->agent < AGENT_NOC) {
        use.pc = rv32_current_pc(&tile->hart[access->agent]);
    }
    note_use(owner, tile, &use);
}

static void record_unmodelled_config(void *owner, struct tile *tile, enum tile_agent pusher,
                                     uint32_t pc, uint32_t word, uint32_t address,
                                     const char *field)
{
    struct penrose_unmodelled use = {.address = address,
                                     .written = true,
                                     .times = 1,
                                     .hart = hart_of(pusher),
                                     .pc = pc,
                                     .word = word,
                                     .range = field};
    note_use(owner, tile, &use);
}

static void merge_notes(struct penrose_chip *chip, struct chip_notes *notes)
{
    if (!notes) {
        return;
    }
    for (unsigned i = 0; i < notes->faults; i++) {
        take_fault(chip, &notes->fault[i]);
    }
    for (unsigned i = 0; i < notes->unmodelled_count; i++) {
        add_use(chip->unmodelled, &chip->unmodelled_count, CHIP_UNMODELLED, &notes->unmodelled[i]);
    }
    notes->faults = notes->unmodelled_count = 0;
}

void chip_merge_bank(struct penrose_chip *chip, struct dram_bank *bank)
{
    merge_notes(chip, bank->notes);
    for (unsigned port = 0; port < DRAM_PORTS; port++) {
        if (bank->port[port].tile) {
            merge_notes(chip, bank->port[port].tile->notes);
        }
    }
}

void chip_merge_notes(struct penrose_chip *chip)
{
    for (size_t i = 0; i < chip->runnable_count; i++) {
        struct chip_unit *unit = chip->runnable[i];
        if (!unit->reports) {
            continue;
        }
        if (unit->tile) {
            merge_notes(chip, unit->tile->notes);
            continue;
        }
        chip_merge_bank(chip, unit->bank);
    }
}

/* --- For the hash --- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_faults(const void *a, const void *b)
{
    const struct chip_fault *left = *(const struct chip_fault *const *)a;
    const struct chip_fault *right = *(const struct chip_fault *const *)b;
    int order = compare(left->y << 8 | left->x, right->y << 8 | right->x);
    order = order ? order : compare(left->fault.cycle, right->fault.cycle);
    order = order ? order : compare(left->fault.pc, right->fault.pc);
    return order ? order : strcmp(left->fault.text, right->fault.text);
}

static int compare_uses(const void *a, const void *b)
{
    const struct penrose_unmodelled *left = *(const struct penrose_unmodelled *const *)a;
    const struct penrose_unmodelled *right = *(const struct penrose_unmodelled *const *)b;
    int order = compare(left->address, right->address);
    return order ? order : compare(left->word >> 24, right->word >> 24);
}

void chip_list_reports(const struct penrose_chip *chip, bool in_order,
                       const struct chip_fault **fault, const struct penrose_unmodelled **use)
{
    for (size_t i = 0; i < chip->faults; i++) {
        fault[i] = &chip->fault[i];
    }
    for (size_t i = 0; i < chip->unmodelled_count; i++) {
        use[i] = &chip->unmodelled[i];
    }
    if (in_order) {
        qsort(fault, chip->faults, sizeof *fault, compare_faults);
        qsort(use, chip->unmodelled_count, sizeof *use, compare_uses);
    }
}

/* --- The board --- */

void chip_board_init(struct tile_board *board, const struct penrose_options *options,
                     uint64_t window)
{
    bool is_random = options->schedule == PENROSE_RANDOM;
    *board = (struct tile_board){.delivery = {.at_once = !options->timed && !is_random,
                                              .timing = tile_timing(options->timed),
                                              .at_random = is_random,
                                              .window = window},
                                 .fault = record_fault,
                                 .bank_fault = record_bank_fault,
                                 .has_nothing_at_null = has_nothing_at_null,
                                 .unmodelled = record_unmodelled,
                                 .unmodelled_config = record_unmodelled_config,
                                 .loops_back = chip_loops_back,
                                 .read_gddr = chip_gddr_read,
                                 .gddr_takes = chip_gddr_takes,
                                 .move_gddr = chip_gddr_move};
}

/* --- Reading --- */

size_t chip_fault_count(const struct penrose_chip *chip)
{
    return chip->faults;
}

static const char *hart_name(const struct penrose_chip *chip, const struct chip_fault *record)
{
    enum penrose_hart hart = hart_of(record->fault.agent);
    const char *name =
        hart == PENROSE_NO_HART ? NULL : chip_hart_name_at(chip, record->x, record->y, hart);
    return name ? name : arch_hart_name(hart);
}

static void find_calls(const struct penrose_chip *chip, struct penrose_fault *fault)
{
    _Static_assert((int)PENROSE_INLINED == (int)LOADER_MAX_CALLS, "all of them are told");
    struct loader_call call[LOADER_MAX_CALLS];
    unsigned calls = images_calls(chip_images(chip), fault->x, fault->y, fault->pc, call);
    for (unsigned i = 0; i < calls; i++) {
        snprintf(fault->inlined_at[i], sizeof fault->inlined_at[i], "%s:%u", call[i].file,
                 call[i].line);
    }
}

/* Is there code of which the chip knows the ELF in the tile, but not at `pc`? */
static bool is_outside_code(const struct penrose_chip *chip, unsigned x, unsigned y, uint32_t pc)
{
    const struct images *images = chip_images(chip);
    bool any = false;
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->image[i];
        any |= image->x == x && image->y == y && !image->is_found;
    }
    return any && !images_find(images, x, y, pc);
}

/* A stack grows down from the end of local RAM, below which is nothing. */
static bool is_stack_overflow(struct penrose_chip *chip, const struct penrose_fault *fault,
                              uint32_t *sp)
{
    enum { NEAR = 4096 };
    struct penrose_hart_info info;
    if (chip_hart_info(chip, fault->x, fault->y, fault->hart, &info, NULL) != PENROSE_OK) {
        return false;
    }
    *sp = info.x[2];
    return RV32_LOCAL_BASE - fault->address <= NEAR &&
           *sp - (RV32_LOCAL_BASE - 2 * NEAR) < 3 * NEAR;
}

/* sp is 0 where a hart starts, and goes down from there. */
static bool has_no_stack(struct penrose_chip *chip, const struct penrose_fault *fault)
{
    enum { NEAR = 4096 };
    struct penrose_hart_info info;
    return -fault->address <= NEAR &&
           chip_hart_info(chip, fault->x, fault->y, fault->hart, &info, NULL) == PENROSE_OK &&
           -info.x[2] <= NEAR;
}

/* Zeros are RISC-V instructions that push Tensix instruction 0, which does not exist. */
static bool is_zeros(struct penrose_chip *chip, const struct penrose_fault *fault)
{
    uint32_t word;
    return fault->word == 0 &&
           chip_peek(chip, fault->x, fault->y, fault->pc, &word, sizeof word, NULL) == PENROSE_OK &&
           word == 0;
}

/* Does the hart stand where a jump has led it that went wrong? At address 0 there may be something
 * all the same, such as the program's headers. */
static bool is_lost(struct penrose_chip *chip, struct penrose_fault *fault, const char *found)
{
    uint16_t place;
    if (!chip_find(chip, fault->x, fault->y, &place) || !chip->place[place].tile) {
        return false;
    }
    const struct tile *tile = chip->place[place].tile;
    enum rv32_core core = (enum rv32_core)fault->hart;
    return chip_lost_jump(chip, tile, core, fault->pc, found, fault->hint, sizeof fault->hint) ||
           (fault->pc == 0 && chip_null_jump(chip, tile, core, fault->hint, sizeof fault->hint));
}

/* Of a hart that has fetched what is no instruction of its program. */
static void guess_jump(struct penrose_chip *chip, struct penrose_fault *fault)
{
    bool is_word = fault->kind != PENROSE_FAULT_FETCH;
    bool zeros = is_word && is_zeros(chip, fault);
    bool is_outside = is_word && is_outside_code(chip, fault->x, fault->y, fault->pc);
    const char *found = zeros        ? " (zeros are no instructions)"
                        : is_outside ? " (no program is there)"
                                     : "";
    bool has_left = !is_word || zeros || is_outside || fault->pc == 0;
    if (!has_left || is_lost(chip, fault, found)) {
        return;
    }
    if (zeros) {
        snprintf(
            fault->hint, sizeof fault->hint,
            "the hart has left its code: zeros are no instructions; a pointer to a function or "
            "a return address was wrong, or nothing was loaded there");
    } else if (is_outside) {
        snprintf(fault->hint, sizeof fault->hint,
                 "the hart has left its code: no program was loaded to its pc; a pointer to a "
                 "function or a return address was wrong");
    }
}

static void guess_pointer(struct penrose_fault *fault)
{
    unsigned pointer = fault->word >> 15 & 31;
    if (pointer == 0) {
        snprintf(fault->hint, sizeof fault->hint,
                 "the code itself has this address: the compiler knew the pointer to be null");
    } else {
        snprintf(fault->hint, sizeof fault->hint,
                 "the pointer in %s was null, or close to it: nothing has set it, or what gave it "
                 "found nothing; a program that wants these bytes has an object there",
                 rv32_x_names[pointer]);
    }
}

static void guess_cause(struct penrose_chip *chip, struct penrose_fault *fault)
{
    bool is_illegal =
        fault->kind == PENROSE_FAULT_ILLEGAL || fault->kind == PENROSE_FAULT_TENSIX_ILLEGAL ||
        (fault->kind == PENROSE_FAULT_UNMAPPED && is_zeros(chip, fault)); /* no coprocessor */
    uint32_t sp;
    if (is_illegal || fault->kind == PENROSE_FAULT_FETCH) {
        guess_jump(chip, fault);
    } else if (fault->kind == PENROSE_FAULT_NULL_ACCESS) {
        guess_pointer(fault);
    } else if (fault->kind == PENROSE_FAULT_UNMAPPED && is_stack_overflow(chip, fault, &sp)) {
        snprintf(fault->hint, sizeof fault->hint,
                 "the stack has overflowed: sp is 0x%08x, and local RAM begins at 0x%08x", sp,
                 RV32_LOCAL_BASE);
    } else if (fault->kind == PENROSE_FAULT_UNMAPPED && has_no_stack(chip, fault)) {
        snprintf(
            fault->hint, sizeof fault->hint,
            "there is no stack: nobody has set sp, which is 0 at the start; link start-up code "
            "that does, such as crt0.S of 'penrose new'");
    }
}

bool chip_fault_get(struct penrose_chip *chip, size_t index, struct penrose_fault *fault)
{
    if (index >= chip->faults) {
        return false;
    }
    const struct chip_fault *record = &chip->fault[index];
    *fault = (struct penrose_fault){
        .kind = record->fault.kind,
        .policy = record->policy,
        .x = record->x,
        .y = record->y,
        .hart = hart_of(record->fault.agent),
        .hart_name = hart_name(chip, record),
        .thread = record->fault.is_tensix ? (int)record->fault.thread : -1,
        .cycle = record->fault.cycle,
        .pc = record->fault.pc,
        .word = record->fault.word,
        .address = record->fault.address,
        .repeated = record->repeated,
    };
    memcpy(fault->rule, record->fault.text, sizeof fault->rule);
    if (fault->thread >= 0) {
        tensix_disassemble(fault->word, fault->disassembly, sizeof fault->disassembly);
    }
    if (fault->hart == PENROSE_NO_HART) {
        return true;
    }
    bool has_word = fault->kind != PENROSE_FAULT_FETCH && !record->fault.is_remote;
    if (has_word && fault->thread < 0) {
        chip_disassemble(fault->word, fault->pc, fault->disassembly, sizeof fault->disassembly);
    }
    chip_locate(chip, fault->x, fault->y, fault->pc, fault->symbol, sizeof fault->symbol,
                fault->source, sizeof fault->source);
    find_calls(chip, fault);
    guess_cause(chip, fault);
    return true;
}

void chip_fault_clear(struct penrose_chip *chip)
{
    chip->faults = 0;
    chip->touched = true;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (!tile) {
            continue;
        }
        if (tile->halt == TILE_FAULTED) {
            tile->halt = TILE_GOES;
            tile->tensix.stopped = TENSIX_GOES;
        }
        for (unsigned core = 0; core < RV32_CORES; core++) {
            if (tile->run[core].state == HART_FAULTED) {
                tile->run[core].state = HART_READY;
            }
        }
    }
}

/* --- Going on without the culprit --- */

/* The hart at fault stands still; so does one that asked the NoC, or the coprocessor, for what they
 * cannot do. */
static void stop_culprit(struct penrose_chip *chip, const struct chip_fault *record)
{
    const struct tile_fault *fault = &record->fault;
    uint16_t place = fault->origin;
    if (!fault->is_remote && !chip_find(chip, record->x, record->y, &place)) {
        return;
    }
    struct tile *tile = chip->place[place].tile;
    if (!tile || tile->halt == TILE_GOES || fault->agent >= AGENT_NOC) {
        return;
    }
    tile_wake(tile, (enum rv32_core)fault->agent);
    if (tile->run[fault->agent].state != HART_HELD) {
        tile->run[fault->agent].state = HART_FAULTED;
    }
}

void chip_fault_isolate(struct penrose_chip *chip)
{
    size_t kept = 0;
    for (size_t i = 0; i < chip->faults; i++) {
        if (chip->fault[i].policy == PENROSE_STOP) {
            stop_culprit(chip, &chip->fault[i]);
        } else {
            chip->fault[kept++] = chip->fault[i];
        }
    }
    chip->faults = kept;
    chip->touched = true;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        if (tile) {
            tile->halt = tile->halt == TILE_PAUSED ? TILE_PAUSED : TILE_GOES;
            /* nobody needs to look at it */
            tile->tensix_idle |= tile->tensix.stopped == TENSIX_FAULTED;
        }
    }
}

bool chip_coprocessor_busy(struct penrose_chip *chip, unsigned x, unsigned y)
{
    struct tile *tile;
    return chip_tile(chip, x, y, &tile, NULL) == PENROSE_OK && tensix_busy(&tile->tensix);
}

enum penrose_status chip_coprocessor_reset(struct penrose_chip *chip, unsigned x, unsigned y,
                                           struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tile->kind->type != TILE_TENSIX) {
        return error_set(error, PENROSE_E_ARGUMENT, "%s has no coprocessor", tile->name);
    }
    for (unsigned core = RV32_T0; core <= RV32_T2; core++) {
        if (tile->run[core].state != HART_HELD) {
            return error_set(error, PENROSE_E_STATE, "%s: %s is not in reset", tile->name,
                             arch_hart_name((enum penrose_hart)core));
        }
    }
    uint32_t held = tile->tensix.held;
    tensix_reset(&tile->tensix);
    tensix_soft_reset(&tile->tensix, 0, held);
    tile->tensix_idle = false;
    tile_event(tile, tile->now);
    return PENROSE_OK;
}

bool chip_unmodelled_get(struct penrose_chip *chip, size_t index, struct penrose_unmodelled *entry)
{
    if (index >= chip->unmodelled_count) {
        return false;
    }
    *entry = chip->unmodelled[index];
    return true;
}
