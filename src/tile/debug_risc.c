/*
 * The debug interface of B, T0, T1 and T2, in other tiles of E0 and E1: pausing, stepping,
 * registers, memory, breakpoints and watchpoints (SPEC: WormholeB0 DebugInterface; HW: tt-exalens
 * for what Blackhole does).
 *
 * Simplification: a hart has no pipeline here, so a pause is immediate, an instruction that hits
 * a watch is always the last to retire before the pause, and slow execution changes nothing.
 */
#include <string.h>

#include "tile/debug_internal.h"

enum status_bit {
    STATUS_PAUSED = 1 << 0,
    STATUS_BREAKPOINT = 1 << 1,
    STATUS_WATCHPOINT = 1 << 2,
    STATUS_EBREAK = 1 << 3,
    STATUS_WATCH_0 = 1 << 8,
};

enum command_bit {
    COMMAND_PAUSE = 1 << 0,
    COMMAND_STEP = 1 << 1,
    COMMAND_CONTINUE = 1 << 2,
    COMMAND_READ_REGISTER = 1 << 3,
    COMMAND_WRITE_REGISTER = 1 << 4,
    COMMAND_READ_MEMORY = 1 << 5,
    COMMAND_WRITE_MEMORY = 1 << 6,
    COMMAND_ZERO_REGISTERS = 1 << 7,
    COMMAND_WRITE_PC = 1 << 8,
    COMMAND_MEMORY = COMMAND_READ_MEMORY | COMMAND_WRITE_MEMORY,
};
#define COMMAND_SLOW_MODE UINT32_C(0x80000000)

enum debug_register {
    DR_STATUS = 0,
    DR_COMMAND = 1,
    DR_ARGUMENT_0 = 2,
    DR_ARGUMENT_1 = 3,
    DR_RESULT = 4,
    DR_WATCH_MODE = 5,
    DR_WATCH_ADDRESS = 10,
    DR_END = DR_WATCH_ADDRESS + DEBUG_WATCHES,
    REGISTER_PC = 32, /* as argument 0 of a register command */
};

enum watch_mode { WATCH_PC = 8, WATCH_READ = 9, WATCH_WRITE = 10, WATCH_ACCESS = 11 };

static bool is_paused(const struct tile *tile, enum rv32_core core)
{
    return tile->run[core].state == HART_PAUSED;
}

/* --- Watches --- */

static unsigned watch_mode(const struct debug_hart *debug, unsigned i)
{
    return debug->watch_mode >> 4 * i & 15;
}

static bool watches(const struct debug_hart *debug)
{
    for (unsigned i = 0; i < DEBUG_WATCHES; i++) {
        unsigned mode = watch_mode(debug, i);
        if (mode >= WATCH_PC && mode <= WATCH_ACCESS) {
            return true;
        }
    }
    return false;
}

/* Has the tile run the hart an instruction at a time as long as anything needs it. A hart that
 * sleeps or is amid a burst must notice. */
static void update_stepping(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    const struct debug_hart *debug = &tile->debug.hart[core];
    struct tile_hart *run = &tile->run[core];
    bool step = watches(debug) || debug->hit || debug->going != DEBUG_GOES_ON;
    if (step && !run->step && run->state == HART_ASLEEP) {
        tile_pause(tile, core);
        tile_resume(tile, core, cycle);
    }
    if (step && !run->step && tile->running == core) {
        rv32_cut(&tile->hart[core], cycle + 1);
    }
    run->step = step;
}

/* The memory that an instruction accesses. */
struct touch {
    bool reads, writes;
    uint32_t address;
};

static struct touch touch_of(const struct rv32_hart *hart, uint32_t word)
{
    const struct isa_index *index = rv32_code_store_index(hart->code->store);
    const struct rv32_operands insn = rv32_find_operands(index, word, 0);
    return (struct touch){.reads = insn.effects.traits & RV32_LOADS,
                          .writes = insn.effects.traits & RV32_STORES,
                          .address = hart->x[insn.rs1] + (uint32_t)insn.imm};
}

static bool watch_hits(const struct debug_hart *debug, unsigned i, uint32_t pc,
                       const struct touch *touch)
{
    uint32_t address = debug->watch_address[i];
    switch (watch_mode(debug, i)) {
    case WATCH_PC:
        return pc == address;
    case WATCH_READ:
        return touch->reads && touch->address == address;
    case WATCH_WRITE:
        return touch->writes && touch->address == address;
    case WATCH_ACCESS:
        return (touch->reads || touch->writes) && touch->address == address;
    default:
        return false;
    }
}

/* Status bits of the watches that the instruction at pc hits. */
static uint32_t hits_at(const struct tile *tile, enum rv32_core core)
{
    const struct debug_hart *debug = &tile->debug.hart[core];
    const struct rv32_hart *hart = &tile->hart[core];
    uint32_t word = 0, status = 0;
    const uint8_t *code = tile_code_at(tile, core, hart->pc);
    if (code) {
        memcpy(&word, code, sizeof word);
    }
    struct touch touch = touch_of(hart, word);
    for (unsigned i = 0; i < DEBUG_WATCHES; i++) {
        if (watch_hits(debug, i, hart->pc, &touch)) {
            bool is_breakpoint = watch_mode(debug, i) == WATCH_PC;
            status |= (uint32_t)STATUS_WATCH_0 << i;
            status |= is_breakpoint ? STATUS_BREAKPOINT : STATUS_WATCHPOINT;
        }
    }
    return status;
}

bool debug_before_step(struct tile *tile, enum rv32_core core)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    uint64_t retired = tile->hart[core].retired;
    bool has_retired = retired != debug->going_retired;
    bool hit = debug->hit && has_retired;
    if (hit || (debug->going == DEBUG_STEP_STARTED && has_retired)) {
        debug->status |= hit ? debug->hit_status : 0;
        debug->hit = false;
        debug->going = DEBUG_GOES_ON;
        update_stepping(tile, core, tile->run[core].time);
        return true;
    }
    if (debug->going == DEBUG_STEPS) {
        debug->going = DEBUG_STEP_STARTED;
        debug->going_retired = retired;
    }
    debug->hit_status = hits_at(tile, core);
    debug->hit = debug->hit_status != 0;
    debug->going_retired = retired;
    return false;
}

void debug_ebreak(struct tile *tile, enum rv32_core core)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    debug->status |= STATUS_EBREAK | (debug->hit ? debug->hit_status : 0);
    debug->hit = false;
    debug->going = DEBUG_GOES_ON;
    debug->going_retired = tile->hart[core].retired;
    update_stepping(tile, core, tile->run[core].time);
}

uint32_t debug_stands_at(const struct tile *tile, enum rv32_core core)
{
    uint32_t pc = tile->hart[core].pc, word = 0, at = pc - 4;
    const struct debug_hart *debug = &tile->debug.hart[core];
    bool is_trapped = debug->status & STATUS_EBREAK && /* and has done nothing since */
                      debug->going_retired == tile->hart[core].retired;
    const uint8_t *code = tile_code_at(tile, core, at);
    if (tile->run[core].state == HART_PAUSED && is_trapped && code) {
        memcpy(&word, code, sizeof word);
    }
    bool is_pause =
        word == rv32_rows[RV32_ROW_EBREAK].match || word == rv32_rows[RV32_ROW_ECALL].match;
    return is_pause ? at : pc;
}

/* --- Commands --- */

static void pause_hart(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    tile_pause(tile, core);
    debug->going = DEBUG_GOES_ON;
    debug->half_step = false;
    debug->hit = false;
    update_stepping(tile, core, cycle);
}

static void resume_hart(struct tile *tile, enum rv32_core core, enum debug_going going,
                        uint64_t cycle)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    debug->status = 0;
    debug->going = going;
    debug->half_step = false;
    debug->going_retired = tile->hart[core].retired;
    update_stepping(tile, core, cycle);
    tile_resume(tile, core, cycle);
}

/* HW: on Blackhole a step takes two commands (tt-exalens gives each twice). GUESS: the first one
 * has no effect that can be seen. */
static void step_hart(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    if (!debug->half_step) {
        debug->half_step = true;
        return;
    }
    resume_hart(tile, core, DEBUG_STEPS, cycle);
}

/* The access of a memory command, as if the hart had executed lw or sw. It may have to wait. */
static void try_access(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    bool is_read = debug->command & COMMAND_READ_MEMORY;
    struct mmio_access access = {
        .operation = is_read ? MMIO_READ : MMIO_WRITE,
        .agent = (enum tile_agent)core,
        .size = 4,
        .address = debug->argument[0] & ~UINT32_C(3),
        .value = debug->argument[1],
        .cycle = cycle,
    };
    enum answer answer = tile_access(tile, &access);
    debug->accesses = answer == ANSWER_WAIT;
    if (answer == ANSWER_DONE && is_read) {
        debug->result = access.value;
    } else if (answer != ANSWER_DONE && answer != ANSWER_WAIT) {
        debug->result = 0; /* hardware may wait forever; a debugger's mistake is no guest fault */
        tile_report_unmodelled(tile, &access);
    }
}

static void command_registers(struct tile *tile, enum rv32_core core, uint32_t command)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    struct rv32_hart *hart = &tile->hart[core];
    uint32_t number = debug->argument[0];
    if (command & COMMAND_READ_REGISTER && number <= REGISTER_PC) {
        debug->result =
            number == REGISTER_PC ? rv32_current_pc(&tile->hart[core]) : hart->x[number];
    }
    if (command & COMMAND_WRITE_REGISTER && number > 0 && number < REGISTER_PC) {
        hart->x[number] = debug->argument[1];
    }
    if (command & COMMAND_ZERO_REGISTERS) {
        memset(&hart->x[1], 0, 31 * sizeof hart->x[0]);
    }
}

/* HW: the new pc comes from argument 1 (tt-exalens); the pause goes on, its cause is forgotten. */
static void command_pc(struct tile *tile, enum rv32_core core, const struct mmio_access *access)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    debug->status = 0;
    if (!(debug->command & COMMAND_SLOW_MODE)) { /* restarts as after a soft reset */
        tile_report_unmodelled(tile, access);
        return;
    }
    tile->hart[core].pc = debug->argument[1];
    tile->hart[core].stop = RV32_RUNNING;
}

static void run_command(struct tile *tile, enum rv32_core core, const struct mmio_access *access)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    uint32_t command = debug->command;
    if (!is_paused(tile, core)) {
        if (command & COMMAND_PAUSE) {
            pause_hart(tile, core, access->cycle);
        }
        return;
    }
    command_registers(tile, core, command);
    if (command & COMMAND_MEMORY) {
        try_access(tile, core, access->cycle);
    }
    if (command & COMMAND_WRITE_PC) {
        command_pc(tile, core, access);
    }
    if (command & COMMAND_CONTINUE) {
        resume_hart(tile, core, DEBUG_GOES_ON, access->cycle);
    } else if (command & COMMAND_STEP && !(command & COMMAND_WRITE_PC)) {
        step_hart(tile, core, access->cycle);
    }
}

/* --- The debug registers --- */

static uint32_t read_register(struct tile *tile, enum rv32_core core, unsigned number,
                              uint64_t cycle)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    if (debug->accesses) {
        try_access(tile, core, cycle);
    }
    switch (number) {
    case DR_STATUS:
        return debug->status | (is_paused(tile, core) && !debug->accesses ? STATUS_PAUSED : 0);
    case DR_COMMAND:
        return debug->command;
    case DR_ARGUMENT_0:
    case DR_ARGUMENT_1:
        return debug->argument[number - DR_ARGUMENT_0];
    case DR_RESULT:
        return debug->result;
    case DR_WATCH_MODE:
        return debug->watch_mode;
    default:
        return number >= DR_WATCH_ADDRESS && number < DR_END
                   ? debug->watch_address[number - DR_WATCH_ADDRESS]
                   : 0;
    }
}

/* The bit of DISABLE_RESET that keeps a hart's debug registers over a soft reset. */
static bool keeps_registers(const struct tile *tile, enum rv32_core core)
{
    static const uint8_t bit[RV32_CORES] = {
        [RV32_B] = 7, [RV32_T0] = 1, [RV32_T1] = 3, [RV32_T2] = 5, [RV32_NC] = 9};
    return tile->debug.word[REG_DISABLE_RESET] >> bit[core] & 1;
}

static void write_register(struct tile *tile, enum rv32_core core, unsigned number,
                           const struct mmio_access *access)
{
    struct debug_hart *debug = &tile->debug.hart[core];
    uint32_t value = tile->debug.word[REG_RISC_DBG_CNTL_1];
    bool is_pause = number == DR_COMMAND && value & COMMAND_PAUSE;
    if (tile->run[core].state == HART_HELD && !keeps_registers(tile, core)) {
        return;
    }
    if (debug->accesses && number <= DR_ARGUMENT_1 && !is_pause) {
        return; /* GUESS: the hart is busy with the access that waits; a pause gives it up */
    }
    switch (number) {
    case DR_COMMAND:
        debug->accesses = false;
        debug->command = value;
        run_command(tile, core, access);
        break;
    case DR_ARGUMENT_0:
    case DR_ARGUMENT_1:
        debug->argument[number - DR_ARGUMENT_0] = value;
        break;
    case DR_WATCH_MODE:
        debug->watch_mode = value;
        update_stepping(tile, core, access->cycle);
        break;
    default:
        if (number >= DR_WATCH_ADDRESS && number < DR_END) {
            debug->watch_address[number - DR_WATCH_ADDRESS] = value;
        }
        break;
    }
}

void debug_enter_reset(struct tile *tile, enum rv32_core core)
{
    if (!keeps_registers(tile, core)) {
        memset(&tile->debug.hart[core], 0, sizeof tile->debug.hart[core]);
    }
    tile->debug.hart[core].hit = false;
    tile->debug.hart[core].going = DEBUG_GOES_ON;
    tile->debug.hart[core].accesses = false;
    update_stepping(tile, core, tile->now);
}

/* --- RISC_DBG_CNTL_0 and what echoes it --- */

enum {
    CONTROL_REGISTER = 0x7ff,
    CONTROL_WRITE = 16,
    CONTROL_HART = 17, /* two bits */
    CONTROL_TRIGGER = 31,
    ECHO_WRITE = 13,
    ECHO_VALID = 30,
};

/* The hart that the control register names, RV32_CORES when the tile has none with that number. */
static enum rv32_core hart_of(const struct tile *tile, uint32_t control)
{
    static const enum rv32_core tensix_cores[] = {RV32_B, RV32_T0, RV32_T1, RV32_T2};
    static const enum rv32_core other_cores[] = {RV32_B, RV32_NC, RV32_CORES, RV32_CORES};
    bool is_tensix = tile->kind->type == TILE_TENSIX;
    unsigned number = control >> CONTROL_HART & 3;
    enum rv32_core core = is_tensix ? tensix_cores[number] : other_cores[number];
    return tile->kind->harts >> core & 1 ? core : RV32_CORES;
}

enum answer debug_risc_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum answer answer = mmio_word(access, word, UINT32_MAX);
    if (!mmio_wrote(access, answer) || !debug_rises(old, *word, CONTROL_TRIGGER)) {
        return answer;
    }
    uint32_t control = *word;
    unsigned number = control & CONTROL_REGISTER;
    enum rv32_core core = hart_of(tile, control);
    tile->debug.read_is_valid = false;
    if (core == RV32_CORES) {
        tile->debug.read_value = 0; /* GUESS: nobody answers */
        tile_report_unmodelled(tile, access);
    } else if (control >> CONTROL_WRITE & 1) {
        write_register(tile, core, number, access);
    } else {
        tile->debug.read_value = read_register(tile, core, number, access->cycle);
        tile->debug.read_is_valid = true;
    }
    return ANSWER_DONE;
}

enum answer debug_risc_status(struct tile *tile, struct mmio_access *access)
{
    uint32_t control = tile->debug.word[REG_RISC_DBG_CNTL_0];
    uint32_t is_write = control >> CONTROL_WRITE & 1;
    return mmio_value(access, (control & CONTROL_REGISTER) |
                                  is_write << (ECHO_WRITE + (control >> CONTROL_HART & 3)) |
                                  (uint32_t)tile->debug.read_is_valid << ECHO_VALID |
                                  (control >> CONTROL_TRIGGER) << CONTROL_TRIGGER);
}

enum answer debug_risc_data(struct tile *tile, struct mmio_access *access)
{
    return mmio_value(access, tile->debug.read_value);
}
