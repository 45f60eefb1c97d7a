/* Guest faults as hosts read them, with hints at their cause, and going on behind them. */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "tensix/table.h"

/* --- Reading --- */

size_t chip_fault_count(const struct penrose_chip *chip)
{
    return chip->faults;
}

static const char *hart_name(const struct penrose_chip *chip, const struct chip_fault *record)
{
    enum penrose_hart hart = chip_hart_of(record->fault.agent);
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
        .hart = chip_hart_of(record->fault.agent),
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
    chip_name_places(chip, fault->x, fault->y, fault->rule, sizeof fault->rule);
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

bool chip_unmodelled_get(struct penrose_chip *chip, size_t index, struct penrose_unmodelled *entry)
{
    if (index >= chip->unmodelled_count) {
        return false;
    }
    *entry = chip->unmodelled[index];
    return true;
}
