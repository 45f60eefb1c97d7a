/* Registers as GDB numbers them: those of RISC-V first, then what belongs to the coprocessor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/gdb/internal.h"
#include "observe/inside.h"

enum { VECTOR_BITS = 128, LREGS = 17, CSRS = 4096, GPRS = 64, SEMAPHORES = 8, MOST = 2048 };

static const char cpu[] = "org.gnu.gdb.riscv.cpu", fpu[] = "org.gnu.gdb.riscv.fpu",
                  csrs[] = "org.gnu.gdb.riscv.csr", vectors[] = "org.gnu.gdb.riscv.vector",
                  tensix[] = "penrose.tensix";

/* --- The table --- */

static struct gdb_register *add_register(struct gdb *gdb, const char *feature, const char *group,
                                         const char *type, unsigned bits)
{
    struct gdb_register *reg = &gdb->reg[gdb->registers < MOST ? gdb->registers++ : MOST - 1];
    *reg = (struct gdb_register){.feature = feature, .group = group, .type = type, .bits = bits};
    return reg;
}

static void add_plain(struct gdb *gdb, const char *name, const char *feature, const char *type,
                      unsigned bits, struct penrose_register plain)
{
    struct gdb_register *reg = add_register(gdb, feature, NULL, type, bits);
    reg->plain = plain;
    snprintf(reg->name, sizeof reg->name, "%s", name);
}

static void add_riscv(struct gdb *gdb)
{
    char name[16];
    for (unsigned i = 0; i < 32; i++) {
        const char *type = i == 2 ? "data_ptr" : i == 1 ? "code_ptr" : "int";
        add_plain(gdb, rv32_x_names[i], cpu, type, 32, (struct penrose_register){PENROSE_X, i});
    }
    add_plain(gdb, "pc", cpu, "code_ptr", 32, (struct penrose_register){PENROSE_PC, 0});
    for (unsigned i = 0; i < 32; i++) {
        snprintf(name, sizeof name, "f%u", i);
        add_plain(gdb, name, fpu, "ieee_single", 32, (struct penrose_register){PENROSE_F, i});
    }
    for (unsigned i = 0; i < CSRS; i++) {
        const char *csr = inside(gdb->chip)->rv32_csr_name(i);
        if (csr) {
            bool is_of_floats = strcmp(csr, "fcsr") == 0;
            add_plain(gdb, csr, is_of_floats ? fpu : csrs, "int", 32,
                      (struct penrose_register){PENROSE_CSR, i});
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        snprintf(name, sizeof name, "v%u", i);
        add_plain(gdb, name, vectors, "v128", VECTOR_BITS, (struct penrose_register){PENROSE_V, i});
    }
}

/* A value of penrose_tensix_read under a name of GDB's. */
static void add_named(struct gdb *gdb, const char *group, const char *name, const char *value)
{
    struct gdb_register *reg = add_register(gdb, tensix, group, "uint32", 32);
    reg->kind = GDB_REGISTER_NAMED;
    snprintf(reg->name, sizeof reg->name, "%s", name);
    snprintf(reg->value, sizeof reg->value, "%s", value);
}

static void add_counters(struct gdb *gdb)
{
    static const char *const rwcs[] = {"dst",    "srca",    "srcb",   "fidelity",
                                       "dst_cr", "srca_cr", "srcb_cr"};
    static const char *const units[][2] = {
        {"unpacker0", "u0"}, {"unpacker1", "u1"}, {"packer", "p"}};
    static const char *const axes[] = {"x", "y", "z", "w", "x_cr", "y_cr", "z_cr", "w_cr"};
    char name[32], value[64];
    for (unsigned i = 0; i < sizeof rwcs / sizeof rwcs[0]; i++) {
        snprintf(name, sizeof name, "rwc_%s", rwcs[i]);
        snprintf(value, sizeof value, "T.rwc.%s", rwcs[i]);
        add_named(gdb, "rwc", name, value);
    }
    for (unsigned i = 0; i < 3 * 2 * 8; i++) {
        snprintf(name, sizeof name, "adc_%s_%u%s", units[i / 16][1], i / 8 % 2, axes[i % 8]);
        snprintf(value, sizeof value, "T.adc.%s.%u.%s", units[i / 16][0], i / 8 % 2, axes[i % 8]);
        add_named(gdb, "adc", name, value);
    }
}

static void add_shared(struct gdb *gdb)
{
    static const char *const gate[] = {"gate_word", "gate_pc", "gate_queued"};
    char name[32], value[64];
    for (unsigned i = 0; i < SEMAPHORES * 2; i++) {
        bool is_max = i % 2;
        snprintf(name, sizeof name, "sem%u%s", i / 2, is_max ? "_max" : "");
        snprintf(value, sizeof value, "semaphore.%u.%s", i / 2, is_max ? "max" : "value");
        add_named(gdb, "semaphores", name, value);
    }
    for (unsigned i = 0; i < 3; i++) {
        struct gdb_register *reg = add_register(gdb, tensix, "gate", "uint32", 32);
        reg->kind = GDB_REGISTER_GATE;
        reg->number = i;
        snprintf(reg->name, sizeof reg->name, "%s", gate[i]);
    }
}

static void add_config(struct gdb *gdb)
{
    const struct tensix_field *field;
    for (unsigned i = 0; (field = inside(gdb->chip)->tensix_field_at(i)) != NULL; i++) {
        struct gdb_register *reg = add_register(gdb, tensix, "config", "uint32", 32);
        reg->kind = field->thread ? GDB_REGISTER_NAMED : GDB_REGISTER_CONFIG;
        snprintf(reg->name, sizeof reg->name, "cfg_%s", field->name);
        snprintf(reg->value, sizeof reg->value, field->thread ? "T.%s" : "%s", field->name);
    }
}

bool gdb_registers_make(struct gdb *gdb)
{
    char name[32], value[64];
    gdb->reg = calloc(MOST, sizeof *gdb->reg);
    if (!gdb->reg) {
        return false;
    }
    add_riscv(gdb);
    for (unsigned i = 0; i < LREGS; i++) {
        struct gdb_register *reg = add_register(gdb, tensix, "lreg", "lanes", PENROSE_LANES * 32);
        reg->kind = GDB_REGISTER_LREG;
        reg->number = i;
        snprintf(reg->name, sizeof reg->name, "lreg%u", i);
    }
    add_counters(gdb);
    for (unsigned i = 0; i < GPRS; i++) {
        snprintf(name, sizeof name, "gpr%u", i);
        snprintf(value, sizeof value, "T.gpr.%u", i);
        add_named(gdb, "gpr", name, value);
    }
    add_shared(gdb);
    add_config(gdb);
    return true;
}

bool gdb_has_register(const struct gdb *gdb, const struct gdb_process *process,
                      const struct gdb_register *reg)
{
    unsigned triscs = 1u << PENROSE_TRISC0 | 1u << PENROSE_TRISC1 | 1u << PENROSE_TRISC2;
    struct gdb_thread at = {.chip = process->chip, .x = process->x, .y = process->y};
    if (reg->feature == tensix) {
        return gdb_is_worker(gdb, &at) && process->harts & triscs;
    }
    return reg->feature != vectors || process->harts >> PENROSE_TRISC2 & 1;
}

/* --- Values --- */

static bool read_gate(const struct gdb *gdb, const struct gdb_thread *thread, unsigned which,
                      uint32_t *word)
{
    struct penrose_gate gate;
    bool is_read =
        penrose_gate_read(gdb_chip(gdb, thread->chip), thread->x, thread->y,
                          (unsigned)gdb_tensix_thread(gdb, thread), &gate, NULL) == PENROSE_OK;
    if (is_read) {
        *word = which == 0 ? gate.word : which == 1 ? gate.pc : gate.queued;
    }
    return is_read;
}

static bool read_named(const struct gdb *gdb, const struct gdb_thread *thread, const char *value,
                       uint32_t *word)
{
    char name[128];
    bool is_of_thread = strncmp(value, "T.", 2) == 0;
    if (is_of_thread) {
        snprintf(name, sizeof name, "%d%s", gdb_tensix_thread(gdb, thread), value + 1);
    } else {
        snprintf(name, sizeof name, "%s", value);
    }
    return penrose_tensix_read(gdb_chip(gdb, thread->chip), thread->x, thread->y, name, word,
                               NULL) == PENROSE_OK;
}

static bool read_config(const struct gdb *gdb, const struct gdb_thread *thread, const char *field,
                        uint32_t *word)
{
    char name[112];
    uint32_t state = 0;
    if (!read_named(gdb, thread, "T.CFG_STATE_ID_StateID", &state)) {
        return false;
    }
    snprintf(name, sizeof name, "config.%u.%s", state & 1, field);
    return read_named(gdb, thread, name, word);
}

/* Of a hart that an ebreak has paused the client gets the address of that, so that it names its
 * function and line; the hart goes on behind it. */
static bool stands_at_trap(struct gdb *gdb, const struct gdb_thread *thread, uint32_t *at)
{
    const struct gdb_process *process = gdb_process_of(gdb, thread->pid);
    struct penrose_hart_info info;
    *at = gdb_stands_at(gdb, thread);
    return !(process->placed & 1u << thread->hart) &&
           penrose_hart_info(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart, &info,
                             NULL) == PENROSE_OK &&
           *at != info.pc;
}

bool gdb_register_read(struct gdb *gdb, const struct gdb_thread *thread, uint64_t number,
                       uint32_t *words)
{
    if (number >= gdb->registers || !thread->pid) {
        return false;
    }
    const struct gdb_register *reg = &gdb->reg[number];
    if (reg->kind != GDB_REGISTER_PLAIN && gdb_tensix_thread(gdb, thread) < 0) {
        return false;
    }
    switch (reg->kind) {
    case GDB_REGISTER_PLAIN:
        if (reg->plain.file == PENROSE_PC && stands_at_trap(gdb, thread, words)) {
            return true;
        }
        break;
    case GDB_REGISTER_LREG:
        return penrose_lreg_read(gdb_chip(gdb, thread->chip), thread->x, thread->y, reg->number,
                                 words, NULL) == PENROSE_OK;
    case GDB_REGISTER_NAMED:
        return read_named(gdb, thread, reg->value, words);
    case GDB_REGISTER_CONFIG:
        return read_config(gdb, thread, reg->value, words);
    case GDB_REGISTER_GATE:
        return read_gate(gdb, thread, reg->number, words);
    }
    return penrose_register_read(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart,
                                 reg->plain, words, NULL) == PENROSE_OK;
}

bool gdb_register_write(struct gdb *gdb, const struct gdb_thread *thread, uint64_t number,
                        const uint32_t *words)
{
    uint32_t at;
    if (gdb_is_past(gdb) || number >= gdb->registers || !thread->pid ||
        gdb->reg[number].kind != GDB_REGISTER_PLAIN) {
        return false;
    }
    if (gdb->reg[number].plain.file == PENROSE_PC) {
        if (stands_at_trap(gdb, thread, &at) && *words == at) {
            return true; /* it puts back what it was told */
        }
        gdb_process_of(gdb, thread->pid)->placed |= 1u << thread->hart;
    }
    return penrose_register_write(gdb_chip(gdb, thread->chip), thread->x, thread->y, thread->hart,
                                  gdb->reg[number].plain, words, NULL) == PENROSE_OK;
}

uint32_t gdb_pc(struct gdb *gdb, const struct gdb_thread *thread)
{
    uint32_t words[GDB_REGISTER_WORDS] = {0};
    gdb_register_read(gdb, thread, GDB_PC, words);
    return words[0];
}
