/* Registers and memory of harts as a debugger sees them; see penrose/debug.h. */
#include <penrose/debug.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/error.h"

enum { REGISTERS = 32, CSRS = 4096 };

/* --- Names --- */

/* The number behind a prefix, e.g. 10 of "x10"; false when `name` is something else. */
static bool is_numbered(const char *name, const char *prefix, unsigned end, unsigned *number)
{
    size_t length = strlen(prefix);
    char *rest;
    if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9') {
        return false;
    }
    unsigned long value = strtoul(name + length, &rest, 0);
    *number = (unsigned)value;
    return *rest == '\0' && value < end;
}

bool chip_register_find(const char *name, struct penrose_register *number)
{
    static const char *const prefixes[] = {
        [PENROSE_X] = "x", [PENROSE_F] = "f", [PENROSE_V] = "v", [PENROSE_CSR] = "csr"};
    *number = (struct penrose_register){.file = PENROSE_PC};
    if (strcmp(name, "pc") == 0) {
        return true;
    }
    for (unsigned file = PENROSE_X; file <= PENROSE_CSR; file++) {
        number->file = (enum penrose_register_file)file;
        if (is_numbered(name, prefixes[file], file == PENROSE_CSR ? CSRS : REGISTERS,
                        &number->number)) {
            return true;
        }
    }
    number->file = PENROSE_X;
    for (number->number = 0; number->number < REGISTERS; number->number++) {
        if (strcmp(name, rv32_x_names[number->number]) == 0) {
            return true;
        }
    }
    number->file = PENROSE_CSR;
    for (number->number = 0; number->number < CSRS; number->number++) {
        const char *csr = rv32_csr_name(number->number);
        if (csr && strcmp(name, csr) == 0) {
            return true;
        }
    }
    return false;
}

/* --- Registers --- */

/* The tile of a hart that it has; the hart is awake then. */
static enum penrose_status take_hart(struct penrose_chip *chip, unsigned x, unsigned y,
                                     enum penrose_hart hart, struct tile **tile,
                                     struct penrose_error *error)
{
    enum penrose_status status = chip_hart_tile(chip, x, y, hart, tile, error);
    if (status == PENROSE_OK) {
        tile_wake(*tile, (enum rv32_core)hart);
    }
    return status;
}

static enum penrose_status check_register(const struct rv32_hart *hart,
                                          struct penrose_register number,
                                          struct penrose_error *error)
{
    static const unsigned ends[] = {[PENROSE_X] = REGISTERS,
                                    [PENROSE_F] = REGISTERS,
                                    [PENROSE_V] = REGISTERS,
                                    [PENROSE_CSR] = CSRS,
                                    [PENROSE_PC] = 1};
    if ((unsigned)number.file > PENROSE_PC || number.number >= ends[number.file]) {
        return error_set(error, PENROSE_E_ARGUMENT, "there is no register %u in file %d",
                         number.number, (int)number.file);
    }
    if (number.file == PENROSE_V && hart->core != RV32_T2) {
        return error_set(error, PENROSE_E_ARGUMENT, "only trisc2 has vector registers");
    }
    return PENROSE_OK;
}

static enum penrose_status no_csr(const struct rv32_hart *hart, struct penrose_error *error)
{
    return error_set(error, PENROSE_E_ARGUMENT, "%s", hart->fault.detail);
}

enum penrose_status chip_register_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                       enum penrose_hart hart, struct penrose_register number,
                                       uint32_t value[4], struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = take_hart(chip, x, y, hart, &tile, error);
    status = status == PENROSE_OK ? check_register(&tile->hart[hart], number, error) : status;
    if (status != PENROSE_OK) {
        return status;
    }
    struct rv32_hart core = tile->hart[hart]; /* reading a CSR may change it */
    memset(value, 0, 4 * sizeof *value);
    switch (number.file) {
    case PENROSE_X:
        value[0] = core.x[number.number];
        break;
    case PENROSE_F:
        value[0] = core.f[number.number];
        break;
    case PENROSE_V:
        memcpy(value, core.v[number.number], sizeof core.v[number.number]);
        break;
    case PENROSE_CSR:
        if (!rv32_csr_read(&core, number.number, tile->run[hart].time, &value[0])) {
            return no_csr(&core, error);
        }
        break;
    case PENROSE_PC:
        value[0] = core.pc;
        break;
    }
    return PENROSE_OK;
}

enum penrose_status chip_register_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                        enum penrose_hart hart, struct penrose_register number,
                                        const uint32_t value[4], struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = take_hart(chip, x, y, hart, &tile, error);
    status = status == PENROSE_OK ? check_register(&tile->hart[hart], number, error) : status;
    if (status != PENROSE_OK) {
        return status;
    }
    struct rv32_hart *core = &tile->hart[hart];
    switch (number.file) {
    case PENROSE_X:
        core->x[number.number] = number.number ? value[0] : 0;
        break;
    case PENROSE_F:
        core->f[number.number] = value[0];
        break;
    case PENROSE_V:
        memcpy(core->v[number.number], value, sizeof core->v[number.number]);
        break;
    case PENROSE_CSR:
        if (!rv32_csr_write(core, number.number, tile->run[hart].time, value[0])) {
            return no_csr(core, error);
        }
        break;
    case PENROSE_PC:
        core->pc = value[0];
        core->stop = RV32_RUNNING; /* what waited there begins anew */
        tile->run[hart].push = (struct tensix_push_cut){.is_cut = false};
        break;
    }
    return PENROSE_OK;
}

/* --- Memory --- */

static enum penrose_status access_as_hart(struct penrose_chip *chip, unsigned x, unsigned y,
                                          enum penrose_hart hart, struct mmio_access access,
                                          void *bytes, size_t size, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = take_hart(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    const char *rule = NULL;
    uint32_t done = 0;
    access.agent = (enum tile_agent)hart;
    access.cycle = tile->now;
    if (tile_access_bytes(tile, access, bytes, size, &done, &rule) == ANSWER_DONE) {
        return PENROSE_OK;
    }
    return error_set(error, PENROSE_E_ARGUMENT, "%s of %s: 0x%08x (%s) does not answer%s%s",
                     arch_hart_name(hart), tile->name, access.address + done,
                     tile_range_title(tile->kind->type, access.agent, access.address + done),
                     rule ? ": " : "", rule ? rule : "");
}

enum penrose_status chip_hart_peek(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, uint32_t address, void *bytes,
                                   size_t size, struct penrose_error *error)
{
    const struct mmio_access access = {.operation = MMIO_PEEK, .address = address};
    return access_as_hart(chip, x, y, hart, access, bytes, size, error);
}

enum penrose_status chip_hart_poke(struct penrose_chip *chip, unsigned x, unsigned y,
                                   enum penrose_hart hart, uint32_t address, const void *bytes,
                                   size_t size, struct penrose_error *error)
{
    const struct mmio_access access = {.operation = MMIO_POKE, .address = address};
    return access_as_hart(chip, x, y, hart, access, (void *)(uintptr_t)bytes, size, error);
}

int chip_hart_disassemble(struct penrose_chip *chip, unsigned x, unsigned y, uint32_t address,
                          uint32_t *word, char *text, size_t size)
{
    struct tile *tile;
    uint32_t instruction;
    const uint8_t *code = NULL;
    if (chip_tile(chip, x, y, &tile, NULL) != PENROSE_OK || address % 4 != 0) {
        return -1;
    }
    for (unsigned core = 0; core < RV32_CORES && !code; core++) {
        code = tile_code_at(tile, (enum rv32_core)core, address);
    }
    if (!code) {
        return -1;
    }
    memcpy(&instruction, code, sizeof instruction);
    if (word) {
        *word = instruction;
    }
    return chip_disassemble(instruction, address, text, size);
}
