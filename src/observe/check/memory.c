/*
 * Memory that a program must not touch: loaded code, null pointers, data below its stack, return
 * addresses on it, arguments beyond its list.
 *
 * What lies where comes from the ELFs of the tile's programs (spans.c), and from the launch message. A return address is known from the store `sw ra, n(sp)` on, until its frame is left.
 */
#include "observe/check/check.h"

#include <stdio.h>
#include <string.h>

#include "metal/firmware.h"
#include "tile/fault.h"
#include "tile/noc_port.h"
#include "tile/tell.h"

enum { RA = 1, SP = 2 };

/* --- Code --- */

/* The first function of the program that has instructions in these bytes; NULL: none. */
static const struct loader_symbol *find_function(const struct check_span *span, uint32_t address,
                                                 uint32_t size)
{
    enum { INSTRUCTION_ALIGNMENT = 2 };
    const uint64_t end = (uint64_t)address + size;
    uint32_t in = address > span->first ? address - span->first : 0;
    for (; in < span->size && (uint64_t)span->first + in < end; in += INSTRUCTION_ALIGNMENT) {
        const struct loader_symbol *symbol = loader_elf_function_at(span->elf, in + span->link);
        if (symbol) {
            return symbol;
        }
    }
    return NULL;
}

/* The program that has a function in these bytes; NULL: none. */
static const struct check_span *find_code(const struct check_scene *scene, uint32_t address,
                                          uint32_t size, const struct loader_symbol **function)
{
    check_spans_find(scene);
    const struct check_memory *memory = &scene->own->memory;
    for (unsigned i = 0; i < memory->spans; i++) {
        const struct check_span *span = &memory->span[i];
        bool is_code = !span->is_local && span->segment->flags & LOADER_SEGMENT_EXECUTE;
        *function = is_code ? find_function(span, address, size) : NULL;
        if (*function) {
            return span;
        }
    }
    return NULL;
}

/* Does the tile still hold the function? A host may have written something else there. Kernels are
 * not compared: the words of theirs that hold addresses are others where they run. */
static bool holds_function(const struct check_scene *scene, const struct check_span *span,
                           const struct loader_symbol *function, uint32_t address, uint32_t size)
{
    uint32_t from = function->value - span->link;
    const struct loader_segment *segment = span->segment;
    if (span->is_kernel) {
        return true;
    }
    for (uint32_t i = 0; i < function->size && from + i < segment->filesz; i++) {
        uint32_t at = span->first + from + i;
        if (at - address >= size && at < scene->tile->kind->l1_bytes &&
            scene->tile->l1[at] != segment->bytes[from + i]) {
            return false;
        }
    }
    return true;
}

/* Does a hart of a program that was loaded by name store through a null pointer? The core says so. */
static bool is_null_of_core(const struct check_scene *by, uint32_t address)
{
    const struct tile_board *board = by->tile->board;
    return address < RV32_NULL_BYTES && by->event->kind == OBSERVED_WRITTEN &&
           by->event->agent <= OBSERVED_NCRISC && board->has_nothing_at_null &&
           board->has_nothing_at_null(by->tile->owner, by->tile, by->event->pc);
}

/* `by` is the scene of who writes, `scene` that of the tile in which the bytes lie. The program of a
 * hart in reset is not overwritten, but replaced. */
static void judge_overwriting(const struct check_scene *scene, const struct check_scene *by,
                              uint32_t address, uint32_t size, const char *what)
{
    const struct loader_symbol *function;
    const struct check_span *span = find_code(scene, address, size, &function);
    bool loads = span && span->hart < RV32_CORES && scene->tile->run[span->hart].state == HART_HELD;
    if (span && !loads && !is_null_of_core(by, address) &&
        holds_function(scene, span, function, address, size)) {
        char name[LOADER_PLAIN_NAME], tile[32] = "";
        loader_plain_name(function->name, name, sizeof name);
        if (by->tile != scene->tile) {
            snprintf(tile, sizeof tile, " of tile (%u, %u)", scene->tile->x, scene->tile->y);
        }
        check_report(by, PENROSE_FAULT_CODE_OVERWRITTEN, by->hart, by->event->pc, address,
                     "%s of %u bytes at 0x%x%s, where the code of %s (%s) lies", what, size,
                     address, tile, name, tile_agent_name((enum tile_agent)span->hart));
    }
}

/* --- Null pointers --- */

/* Programs that were loaded by name have this rule without a check. HW: tt-metal has results of atomics
 * written to address 4 (MEM_NOC_ATOMIC_RET_VAL_ADDR), where a kernel may read them. */
static void judge_null(const struct check_scene *scene, uint32_t address, bool reads_own,
                       const char *what)
{
    const struct tile *tile = scene->tile;
    if (address >= RV32_NULL_BYTES || !scene->own->is_known ||
        (reads_own && tile_noc_has_result(tile, address))) {
        return;
    }
    const struct image *image =
        images_find(chip_images(scene->checks->chip), tile->x, tile->y, scene->event->pc);
    bool is_hart = scene->event->kind != OBSERVED_SENT;
    if (!(is_hart && image && !image->is_firmware && !image->is_found)) {
        check_report(scene, PENROSE_FAULT_NULL_ACCESS, scene->hart, scene->event->pc, address,
                     "%s 0x%08x, where the program has no object", what, address);
    }
}

/* --- Arguments --- */

static bool is_in_list(uint32_t address, struct loader_span span)
{
    return address - span.address < span.size;
}

/* The own or the common arguments of a kernel. Where nobody has told how many there are, the list
 * ends where the next block begins: an empty one may seem to have what follows it. */
static struct loader_span find_list(const struct check_scene *scene, unsigned processor,
                                    bool is_common)
{
    const struct loader_launched *launched = &scene->own->launched;
    const struct loader_launched_kernel *kernel = &launched->kernel[processor];
    const struct check_memory *memory = &scene->own->memory;
    const enum penrose_hart hart = metal_hart_of(processor);
    struct loader_span list = is_common ? kernel->common_arguments : kernel->arguments;
    if ((unsigned)hart < RV32_CORES && memory->knows_arguments[hart]) {
        list.size = memory->arguments[hart][is_common] * sizeof(uint32_t);
    } else if (is_in_list(list.address, launched->semaphores)) {
        list.size = 0;
    }
    return list;
}

static void judge_arguments(const struct check_scene *scene, uint32_t address)
{
    const struct loader_launched *launched = &scene->own->launched;
    const unsigned processor = metal_processors[scene->hart];
    if (!scene->own->is_known || launched->has_remote_buffers || address < launched->base ||
        address >= launched->kernels_at || !launched->kernel[processor].runs) {
        return;
    }
    const struct loader_span own = find_list(scene, processor, false);
    const struct loader_span common = find_list(scene, processor, true);
    /* Behind a list may lie another one: the address says little, and its base that this one is meant. */
    const struct rv32_operands *insn = check_instruction(scene);
    const uint32_t base = scene->tile->hart[scene->hart].x[insn->rs1];
    const bool is_based = own.address != common.address;
    const bool is_of_own = is_based && base == own.address;
    const bool is_of_common = is_based && base == common.address;
    const bool is_inside =
        (!is_of_common && is_in_list(address, own)) || (!is_of_own && is_in_list(address, common));
    const bool is_given = !check_uninit_lacks(scene, address);
    if ((is_inside && is_given) ||
        (!is_of_own && !is_of_common && is_in_list(address, launched->semaphores))) {
        return;
    }
    bool is_common = !is_of_own && address >= common.address && common.address >= own.address;
    const struct loader_span *list = is_common ? &common : &own;
    const char *what = scene->event->kind == OBSERVED_WRITTEN ? "writes" : "reads";
    if (is_inside && is_in_list(address, *list)) { /* up to where the next list begins */
        check_report(scene, PENROSE_FAULT_ARGUMENT_RANGE, scene->hart, scene->event->pc, address,
                     "%s %s argument %u, which the host has not given", what,
                     is_common ? "common" : "runtime", (address - list->address) / 4);
    } else if (address >= list->address && !is_in_list(address, *list)) {
        check_report(scene, PENROSE_FAULT_ARGUMENT_RANGE, scene->hart, scene->event->pc, address,
                     "%s %s argument %u, and the kernel was launched with %u; get_%sarg_val() "
                     "must stay within them",
                     what, is_common ? "common" : "runtime", (address - list->address) / 4,
                     list->size / 4, is_common ? "common_" : "");
    }
}

static bool touches_list(uint32_t address, uint32_t size, struct loader_span span)
{
    return span.size > 0 && address < span.address + span.size && span.address < address + size;
}

/* A request writes where arguments of a kernel that runs lie. */
static void judge_launch(const struct check_scene *scene, const struct check_scene *by,
                         uint32_t address, uint32_t size, const char *what)
{
    const struct loader_launched *launched = &scene->own->launched;
    if (!scene->own->is_known || launched->has_remote_buffers) {
        return;
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        if (launched->kernel[i].runs && (touches_list(address, size, find_list(scene, i, false)) ||
                                         touches_list(address, size, find_list(scene, i, true)))) {
            check_report(by, PENROSE_FAULT_OUT_OF_BOUNDS, by->hart, by->event->pc, address,
                         "%s of %u bytes at 0x%x of tile (%u, %u), over arguments of the kernel "
                         "that runs on its %s",
                         what, size, address, scene->tile->x, scene->tile->y,
                         tile_agent_name((enum tile_agent)metal_hart_of(i)));
            return;
        }
    }
}

/* --- Return addresses --- */

static uint32_t word_at(const struct check_scene *scene, uint32_t address)
{
    const struct tile *tile = scene->tile;
    const struct rv32_hart *hart = &tile->hart[scene->hart];
    uint32_t word = 0, local = address - RV32_LOCAL_BASE;
    if (local < hart->told_local_size) {
        memcpy(&word, hart->local + local, sizeof word);
    } else if (address < tile->kind->l1_bytes) {
        memcpy(&word, tile->l1 + address, sizeof word);
    }
    return word;
}

static void drop_frames(struct check_stack *stack, uint32_t sp)
{
    while (stack->count > 0 && stack->slot[stack->count - 1].address < sp) {
        stack->count--;
    }
}

/* `sw ra, n(sp)`: frames lie below the ones that called them. */
static void keep_return(struct check_stack *stack, uint32_t address, uint32_t value, uint32_t pc)
{
    drop_frames(stack, address + 1);
    if (stack->count == CHECK_FRAMES) {
        memmove(stack->slot, stack->slot + 1, (CHECK_FRAMES - 1) * sizeof *stack->slot);
        stack->count--;
    }
    stack->slot[stack->count++] =
        (struct check_slot){.address = address, .value = value, .saved_at = pc};
}

/* Somebody else than the start of a function writes bytes of a stack. */
static void note_stack_write(const struct check_scene *scene, unsigned hart, uint32_t address,
                             uint32_t size)
{
    struct check_stack *stack = &scene->own->memory.stack[hart];
    if (stack->count == 0 || stack->slot[0].address + 4 <= address ||
        stack->slot[stack->count - 1].address >= address + size) {
        return; /* above the outermost frame or below the innermost one, as most writes are */
    }
    struct check_scene of_stack = *scene;
    of_stack.hart = hart;
    for (unsigned i = 0; i < stack->count; i++) {
        struct check_slot *slot = &stack->slot[i];
        if (slot->address < address + size && address < slot->address + 4) {
            bool was_changed = slot->is_changed;
            slot->is_changed = word_at(&of_stack, slot->address) != slot->value;
            if (slot->is_changed && !was_changed) {
                slot->changed_by = scene->hart;
                slot->changed_at = scene->event->pc;
            }
        }
    }
}

/* `lw ra, n(sp)`: is it what was saved there? */
static void judge_return(const struct check_scene *scene, uint32_t address)
{
    struct check_stack *stack = &scene->own->memory.stack[scene->hart];
    for (unsigned i = 0; i < stack->count; i++) {
        struct check_slot *slot = &stack->slot[i];
        if (slot->address == address && slot->is_changed) {
            char place[CHECK_PLACE];
            slot->is_changed = false;
            check_report(
                scene, PENROSE_FAULT_RETURN_ADDRESS, slot->changed_by, slot->changed_at, address,
                "overwrites the return address at 0x%08x of the stack with 0x%08x, by which "
                "the function that has saved it at %s returns; it was 0x%08x",
                address, word_at(scene, address),
                check_place(scene, scene->hart, slot->saved_at, place), slot->value);
        }
    }
}

/* --- The stack's end --- */

static void put_object(const struct check_span *span, uint32_t address, char *text, size_t size)
{
    uint32_t offset;
    const struct loader_symbol *symbol =
        loader_elf_symbol_at(span->elf, address - span->first + span->link, &offset);
    char name[LOADER_PLAIN_NAME];
    if (symbol && symbol->kind == LOADER_SYMBOL_OBJECT && offset < symbol->size) {
        loader_plain_name(symbol->name, name, sizeof name);
        snprintf(text, size, ", where %s lies", name);
    }
}

static void report_stack(const struct check_scene *scene, uint32_t from, uint32_t to,
                         uint32_t floor, const char *what)
{
    scene->own->memory.stack[scene->hart].floor = floor;
    check_report(scene, PENROSE_FAULT_STACK_OVERFLOW, scene->hart, scene->event->pc, to,
                 "the stack grows by %u bytes to 0x%08x, and its memory ends at 0x%08x%s",
                 from - to, to, floor, what);
}

/* The stack pointer has gone down from `from` to `to`. */
static void judge_stack(const struct check_scene *scene, uint32_t from, uint32_t to)
{
    struct check_memory *memory = &scene->own->memory;
    bool is_local = from - RV32_LOCAL_BASE <= scene->tile->hart[scene->hart].told_local_size;
    if (is_local && to < RV32_LOCAL_BASE) {
        report_stack(scene, from, to, RV32_LOCAL_BASE, ", where the local RAM begins");
        return;
    }
    check_spans_find(scene);
    const struct check_span *first = NULL;
    uint32_t floor = to;
    for (unsigned i = 0; i < memory->spans; i++) {
        const struct check_span *span = &memory->span[i];
        uint32_t end = span->first + span->size;
        bool is_its = span->is_local ? is_local && span->hart == scene->hart : !is_local;
        if (is_its && from >= end && end > floor) {
            first = span;
            floor = end;
        }
    }
    if (first) {
        char what[LOADER_PLAIN_NAME + 16] = "";
        put_object(first, to > first->first ? to : first->first, what, sizeof what);
        report_stack(scene, from, to, floor, what);
    }
}

/* --- Events --- */

void check_memory_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    unsigned owner; /* of the local RAM */
    const uint32_t address = check_local_address(scene, &owner);
    bool is_hart = event->agent <= OBSERVED_NCRISC, writes = event->kind == OBSERVED_WRITTEN;
    const uint32_t saves = UINT32_C(1) << RA | UINT32_C(1) << SP; /* which `sw ra, n(sp)` names */
    bool may_save =
        is_hart && (check_named_registers(scene->own->word[scene->hart]) & saves) == saves;
    const struct rv32_operands *insn = may_save ? check_instruction(scene) : NULL;
    bool is_on_stack = insn && insn->rs1 == SP && insn->size == 4;
    if (writes && is_on_stack && insn->row == RV32_ROW_SW && insn->rs2 == RA) {
        keep_return(&scene->own->memory.stack[scene->hart], address, event->value, event->pc);
    } else if (writes) {
        bool is_l1 = address < scene->tile->kind->l1_bytes;
        for (unsigned hart = 0; hart < RV32_CORES; hart++) {
            if (is_l1 || (is_hart && hart == owner)) {
                note_stack_write(scene, hart, address, event->size);
            }
        }
    } else if (is_on_stack && insn->row == RV32_ROW_LW && insn->rd == RA) {
        judge_return(scene, address);
    }
    if (address < scene->tile->kind->l1_bytes && event->agent != OBSERVED_NOC &&
        check_is_of_kernel(scene, event->pc)) {
        judge_null(scene, address, !writes, writes ? "store to" : "load from");
        if (writes) {
            judge_overwriting(scene, scene, address, event->size, "write");
        }
        if (is_hart) {
            judge_arguments(scene, address);
        }
        check_ranges_access(scene);
    }
}

void check_memory_sent(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct chip_place *there = &scene->checks->chip->place[event->node % NOC_NODES];
    check_ranges_sent(scene);
    if (!event->is_multicast && there->tile && !there->port && event->address <= UINT32_MAX) {
        judge_null(scene, (uint32_t)event->address, false,
                   event->packet == NOC_READ ? "NoC read from" : "NoC request to");
    }
    if (event->back >= scene->tile->kind->l1_bytes || event->packet > NOC_WRITE) {
        return;
    }
    uint32_t address = (uint32_t)event->back;
    if (event->packet == NOC_READ) {
        judge_null(scene, address, false, "NoC read to");
        judge_overwriting(scene, scene, address, event->size, "NoC read");
        judge_launch(scene, scene, address, event->size, "NoC read");
    } else {
        judge_null(scene, address, true, "NoC write from");
    }
}

/* The arguments of kernels that run, and code. A program that launches kernels writes them while
 * none runs there, and loads programs while the hart is in reset. */
void check_memory_arrived(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const char *what = event->packet == NOC_ATOMIC ? "NoC atomic" : "NoC write";
    uint32_t address = (uint32_t)event->address;
    struct check_scene by = check_scene_at(scene, event->node);
    by.hart = event->asker;
    if (event->packet > NOC_ATOMIC || by.hart >= RV32_CORES || !by.tile || !by.own ||
        event->address >= scene->tile->kind->l1_bytes || !check_is_of_kernel(&by, event->pc)) {
        return;
    }
    judge_overwriting(scene, &by, address, event->size, what);
    judge_launch(scene, &by, address, event->size, what);
}

void check_memory_starts(const struct check_scene *scene)
{
    if (check_named_result(scene->event->word) == SP) {
        scene->own->memory.stack[scene->hart].sp = scene->tile->hart[scene->hart].x[SP];
        tile_ask(scene->tile, (enum rv32_core)scene->hart);
    }
}

void check_memory_finished(const struct check_scene *scene)
{
    struct check_stack *stack = &scene->own->memory.stack[scene->hart];
    uint32_t from = stack->sp, to = scene->tile->hart[scene->hart].x[SP];
    if (from == to) {
        return;
    }
    const struct rv32_operands *insn = check_instruction(scene);
    bool moves = insn->rs1 == SP || (insn->row == RV32_ROW_ADD && insn->rs2 == SP);
    if (!(insn->results[RV32_X] >> SP & 1)) {
        return;
    }
    if (to > from || !moves) {
        drop_frames(stack, to);
    } else {
        judge_stack(scene, from, to);
    }
}

void check_memory_begin(const struct check_scene *scene)
{
    const struct images *images = chip_images(scene->checks->chip);
    struct check_memory *memory = &scene->own->memory;
    check_ranges_begin(scene);
    memory->changes = 0;
    for (unsigned hart = 0; hart < RV32_CORES; hart++) {
        memory->stack[hart].floor = 0;
    }
    memset(memory->knows_arguments, 0, sizeof memory->knows_arguments);
    for (size_t i = 0; i < images->count; i++) {
        const struct image *image = &images->image[i];
        if (image->x == scene->tile->x && image->y == scene->tile->y && image->has_counts &&
            (unsigned)image->hart < RV32_CORES && check_spans_is_current(scene, image)) {
            memory->knows_arguments[image->hart] = true;
            memcpy(memory->arguments[image->hart], image->arguments, sizeof image->arguments);
        }
    }
}
