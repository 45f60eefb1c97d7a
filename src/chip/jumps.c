/* Says in words how a hart came to a place without code. Its registers and its stack are still
 * those of the jump, since no instruction of a program has run after it. */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "rv32/code.h"

enum { ZERO, RA, SP };

/* A word of L1 or of the hart's local RAM. */
static bool peek_word(const struct tile *tile, enum rv32_core core, uint32_t address,
                      uint32_t *word)
{
    const uint8_t *from = NULL;
    if (address <= tile->kind->l1_bytes - sizeof *word) {
        from = tile->l1 + address;
    } else if (address - RV32_LOCAL_BASE < tile_local_size(core)) {
        from = tile->local[core] + (address - RV32_LOCAL_BASE);
    }
    if (!from || address % sizeof *word) {
        return false;
    }
    memcpy(word, from, sizeof *word);
    return true;
}

/* The instruction at pc; false: no word there is one, not even a .ttinsn. */
static bool insn_at(const struct penrose_chip *chip, const struct tile *tile, uint32_t pc,
                    struct rv32_operands *insn)
{
    uint32_t word = 0;
    const uint8_t *code = tile_code_at(tile, RV32_NC, pc); /* the one that may have more than L1 */
    bool is_there = code && pc % sizeof word == 0;
    if (is_there) {
        memcpy(&word, code, sizeof word);
    }
    *insn = rv32_find_operands(rv32_code_store_index(chip->store), word, 0);
    return is_there && word && (insn->row >= 0 || rv32_is_ttinsn(word));
}

static uint32_t bit_of(unsigned reg)
{
    return UINT32_C(1) << reg;
}

static bool moves_sp(const struct rv32_operands *insn)
{
    return insn->row == RV32_ROW_ADDI && insn->rd == SP && insn->rs1 == SP;
}

/* Where the register of an indirect jump has its value from. */
enum origin { ORIGIN_UNKNOWN, ORIGIN_CODE, ORIGIN_MEMORY };

/* The value of a register that an instruction at `pc` sets to a constant. */
static bool sets_constant(const struct rv32_operands *insn, uint32_t pc, uint32_t *value)
{
    bool is_auipc = insn->row == RV32_ROW_AUIPC;
    if (is_auipc || insn->row == RV32_ROW_LUI) {
        *value = ((uint32_t)insn->imm << 12) + (is_auipc ? pc : 0);
        return true;
    }
    *value = (uint32_t)insn->imm;
    return insn->row == RV32_ROW_ADDI && insn->rs1 == ZERO;
}

/* Does `address` still hold what, with `offset`, leads to the target? */
static enum origin origin_at(const struct tile *tile, enum rv32_core core, uint32_t address,
                             uint32_t offset, uint32_t target)
{
    uint32_t word;
    bool leads_there =
        peek_word(tile, core, address, &word) && ((word + offset) & ~UINT32_C(1)) == target;
    return leads_there ? ORIGIN_MEMORY : ORIGIN_UNKNOWN;
}

/* Follows the instructions in front of the jump at `pc` back as they stand, and believes only what
 * leads to the target. ORIGIN_MEMORY: from *address. */
static enum origin find_origin(const struct penrose_chip *chip, const struct tile *tile,
                               enum rv32_core core, uint32_t pc, uint32_t target, uint32_t *address)
{
    enum { MOST = 64 };
    struct rv32_operands jump, insn;
    insn_at(chip, tile, pc, &jump);
    const uint32_t *x = tile->hart[core].x, reg = bit_of(jump.rs1);
    uint32_t written = jump.effects.writes, sp_moved = 0;
    uint32_t added = (uint32_t)jump.imm, offset = 0, value; /* to the register, to what it loads */
    bool is_loaded = false;
    for (unsigned i = 0; i < MOST && jump.rs1 != ZERO; i++) {
        pc -= 4;
        if (!insn_at(chip, tile, pc, &insn) || insn.effects.class == RV32_CLASS_JUMP) {
            return ORIGIN_UNKNOWN;
        }
        bool is_load = insn.effects.class == RV32_CLASS_LOAD;
        if (insn.effects.writes != reg) {
            sp_moved += moves_sp(&insn) ? (uint32_t)insn.imm : 0;
            written |= moves_sp(&insn) ? 0 : insn.effects.writes;
        } else if (is_load && insn.rs1 == jump.rs1 && !is_loaded) {
            is_loaded = true;
            offset = added;
            added = (uint32_t)insn.imm;
        } else if (is_load && !is_loaded && !(written & bit_of(insn.rs1))) {
            *address = x[insn.rs1] + (uint32_t)insn.imm - (insn.rs1 == SP ? sp_moved : 0);
            return origin_at(tile, core, *address, added, target);
        } else if (insn.row == RV32_ROW_ADDI && insn.rs1 == jump.rs1) {
            added += (uint32_t)insn.imm;
        } else if (!sets_constant(&insn, pc, &value)) {
            return ORIGIN_UNKNOWN;
        } else if (is_loaded) {
            *address = value + added;
            return origin_at(tile, core, *address, offset, target);
        } else {
            return ((value + added) & ~UINT32_C(1)) == target ? ORIGIN_CODE : ORIGIN_UNKNOWN;
        }
    }
    return jump.rs1 == ZERO ? ORIGIN_CODE : ORIGIN_UNKNOWN;
}

/* "main at brisc.c:6", or "main". */
static void name_place(struct penrose_chip *chip, const struct tile *tile, uint32_t pc,
                       bool with_line, char *text, size_t size)
{
    char symbol[128], source[256];
    if (!chip_locate(chip, tile->x, tile->y, pc, symbol, sizeof symbol, source, sizeof source)) {
        snprintf(text, size, "the code at 0x%08x", pc);
        return;
    }
    char *offset = strstr(symbol, "+0x");
    if (offset) {
        *offset = 0;
    }
    const char *slash = strrchr(source, '/'), *file = slash ? slash + 1 : source;
    bool has_line = with_line && *file;
    snprintf(text, size, "%.28s%s%.40s", symbol, has_line ? " at " : "", has_line ? file : "");
}

struct jump {
    uint32_t pc, target;
    struct rv32_operands insn;
    bool is_indirect;
    enum origin origin;
    uint32_t address;  /* of ORIGIN_MEMORY */
    const char *found; /* " (what is at the target)" */
};

static struct jump jump_at(const struct penrose_chip *chip, const struct tile *tile,
                           enum rv32_core core, uint32_t pc, uint32_t target)
{
    struct jump jump = {.pc = pc, .target = target, .found = ""};
    insn_at(chip, tile, pc, &jump.insn);
    bool is_jump = jump.insn.effects.class == RV32_CLASS_JUMP;
    jump.is_indirect = is_jump && jump.insn.effects.reads_rs1;
    if (jump.is_indirect) {
        jump.origin = find_origin(chip, tile, core, pc, target, &jump.address);
    } else if (is_jump || jump.insn.effects.class == RV32_CLASS_BRANCH) {
        jump.origin = ORIGIN_CODE;
    }
    return jump;
}

static void put_return(const struct jump *jump, const char *place, char *text, size_t size)
{
    if (jump->origin == ORIGIN_MEMORY && jump->target) {
        snprintf(text, size,
                 "%s has returned to 0x%08x%s, loaded from its stack at 0x%08x, which something "
                 "may have overwritten",
                 place, jump->target, jump->found, jump->address);
    } else if (jump->origin == ORIGIN_MEMORY) {
        snprintf(text, size,
                 "%s has returned to address 0, loaded from its stack at 0x%08x: nobody had called "
                 "it, or something has overwritten that",
                 place, jump->address);
    } else if (jump->target) {
        snprintf(text, size, "%s has returned to 0x%08x%s: its return address, in ra, was wrong",
                 place, jump->target, jump->found);
    } else {
        snprintf(text, size,
                 "%s has returned to address 0, since nobody had called it (ra was 0): end it with "
                 "ebreak, or link start-up code that calls it, such as crt0.S of 'penrose new'",
                 place);
    }
}

static void put_indirect(const struct jump *jump, const char *place, char *text, size_t size)
{
    bool is_call = jump->insn.rd == RA;
    char target[80], pointer[80];
    snprintf(target, sizeof target, "0x%08x%s through %s", jump->target, jump->found,
             rv32_x_names[jump->insn.rs1]);
    if (jump->origin == ORIGIN_MEMORY) {
        snprintf(pointer, sizeof pointer, "the pointer at 0x%08x", jump->address);
    } else {
        snprintf(pointer, sizeof pointer, "a pointer to a function%s",
                 is_call || !jump->target ? "" : ", or an entry of a table,");
    }
    snprintf(text, size, "%s has %s %s: %s was %s", place,
             is_call && jump->target ? "called" : "jumped to", jump->target ? target : "address 0",
             pointer, jump->target ? "wrong" : "null");
}

static void put_jump(struct penrose_chip *chip, const struct tile *tile, const struct jump *jump,
                     char *text, size_t size)
{
    char place[96];
    const struct rv32_operands *insn = &jump->insn;
    bool is_return = jump->is_indirect && insn->rd == ZERO && insn->rs1 == RA && insn->imm == 0;
    bool has_line = !is_return || jump->target || jump->origin == ORIGIN_MEMORY;
    name_place(chip, tile, jump->pc, has_line, place, sizeof place);
    if (is_return) {
        put_return(jump, place, text, size);
    } else if (jump->origin == ORIGIN_CODE) {
        snprintf(text, size,
                 "%s has jumped to 0x%08x%s, as its code says: what it wants there was not linked, "
                 "or not loaded",
                 place, jump->target, jump->found);
    } else if (jump->is_indirect) {
        put_indirect(jump, place, text, size);
    } else {
        snprintf(text, size, "%s has jumped to 0x%08x%s", place, jump->target, jump->found);
    }
}

bool chip_null_jump(struct penrose_chip *chip, const struct tile *tile, enum rv32_core core,
                    char *text, size_t size)
{
    uint32_t null_jump = tile->hart[core].null_jump;
    if (null_jump == 0) {
        return false;
    }
    struct jump jump = jump_at(chip, tile, core, null_jump - 1, 0);
    put_jump(chip, tile, &jump, text, size);
    return true;
}

bool chip_lost_jump(struct penrose_chip *chip, const struct tile *tile, enum rv32_core core,
                    uint32_t target, const char *found, char *text, size_t size)
{
    const struct rv32_hart *hart = &tile->hart[core];
    if (hart->jump.behind == 0 || hart->jump.target != target) {
        return false;
    }
    struct jump jump = jump_at(chip, tile, core, hart->jump.behind - 4, target);
    jump.found = found;
    put_jump(chip, tile, &jump, text, size);
    return true;
}
