/* Emitters of silicon_tensix.def that pack and unpack. */
#include <inttypes.h>
#include <stdio.h>

#include "silicon_tensix.h"

#define CONFIG      UINT32_C(0xffef0000)
#define LOCAL       UINT32_C(0xffb00040) /* a word of local RAM: the context of the unpackers */
#define SYNC_POSTED UINT32_C(0xffe80034) /* a store posts semaphore 5, a load reads it */
#define TILES       UINT32_C(0x40000)
#define OUTPUT      UINT32_C(0x80000)
#define GO_ON       UINT32_C(0x16e000)
#define GPRS        UINT32_C(0xffe00000) /* of the hart's own thread */

enum { BF16 = SILICON_BF16, FP32 = SILICON_FP32 };

/* Words of Config. */
enum {
    PACK_STRIDES = 12,
    PACK_READS = 18,
    PACK_ROW_MAPPING = 20,
    PACK_EDGES = 24,
    PACK_COUNTERS = 28,
    PACK_SECTIONS = 68,
    PACK_ADDRESS,
    PACK_FORMATS,
    PACK_OFFSET = 180,
    UNPACK_STRIDES_IN = 44,
    UNPACK_STRIDES_OUT = 56,
    UNPACK_DESCRIPTOR = 64,
    UNPACK_OPTIONS = 72,
    UNPACK_BASE = 76,
    UNPACK_TARGET = 84,
    UNPACK_X_DIM = 86,
    UNPACK_OFFSETS = 92,
    OTHER_UNPACKER = 48, /* so many words further */
};

static void configure(struct guest_code *code, unsigned word, uint32_t value)
{
    silicon_store(code, CONFIG + 4 * word, value);
}

/* --- Branches forward --- */

static unsigned leave_room(struct guest_code *code)
{
    guest_emit(code, "addi zero, zero, 0");
    return code->words - 1;
}

/* Puts there what jumps to here. */
static void fill_room(struct guest_code *code, unsigned room, const char *jump)
{
    const unsigned words = code->words;
    code->words = room;
    guest_emit(code, "%s, %" PRIu32, jump, code->base + 4 * words);
    code->words = words;
}

/* --- Packer --- */

#define PACR      "PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0"
#define LAST_PACR "PACR 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1"

/* Stores of the source's configuration of the packer, in its order. */
static void configure_packer(struct guest_code *code, unsigned format, uint32_t relu)
{
    const unsigned size = format == FP32 ? 4 : 2;
    const uint32_t words[][2] = {
        {PACK_SECTIONS, 4 << 16},
        {PACK_FORMATS, 1 | format << 4 | format << 8},
        {PACK_READS, 1},
        {PACK_STRIDES, 16 * size << 16},
        {PACK_STRIDES + 1, 256 * size | 1024 * size << 16},
        {PACK_COUNTERS, 0x1000},
        {PACK_EDGES, 0xffff},
        {PACK_EDGES + 1, 0},
        {PACK_ROW_MAPPING, 0},
        {PACK_ROW_MAPPING + 1, 0},
    };
    silicon_push(code, "RMWCIB2 128, 0, 71 ; SETC16 0, 0");
    guest_emit(code, ".ttinsn RMWCIB3 30, %u, 1", format << 1);
    silicon_push(code, "RMWCIB0 7, 0, 1");
    guest_emit(code, ".ttinsn RMWCIB0 252, %u, 2", relu & 0xfc);
    guest_emit(code, ".ttinsn RMWCIB1 255, %u, 2", relu >> 8 & 0xff);
    guest_emit(code, ".ttinsn RMWCIB2 63, %u, 2", relu >> 16 & 0x3f);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        configure(code, words[i][0], words[i][1]);
    }
    silicon_store(code, GPRS + 4 * 16, 1024 * size / 16);
    silicon_store(code, GPRS + 4 * 52, 0x40000);
    silicon_push(code, "SETC16 37, 260 ; SETC16 38, 10272 ; SETC16 39, 4384");
    silicon_push(code, "SETADCXY 4, 0, 0, 0, 0, 11 ; SETADCZW 4, 0, 0, 0, 0, 15");
    silicon_mop(code, &(struct silicon_mop){4, 4, .loop = {PACR}, .last = LAST_PACR});
    silicon_sync(code);
}

/* Rows of Dst of 32 bits, one for each instruction, to L1 in one format. */
void silicon_set_up_packer(struct guest_code *code, unsigned format, uint32_t relu)
{
    configure_packer(code, format, relu);
    silicon_push(code, "SETC16 37, 1 ; SETC16 38, 32 ; SETC16 39, 0");
    configure(code, PACK_COUNTERS, 1 << 8);
}

void silicon_set_row(struct guest_code *code, unsigned row)
{
    guest_emit(code, ".ttinsn SETADC 4, 0, 1, %u", row % 16);
    guest_emit(code, ".ttinsn SETADC 4, 0, 2, %u", row / 16 % 4);
    guest_emit(code, ".ttinsn SETADC 4, 0, 3, %u", row / 64);
}

void silicon_row_mop(struct guest_code *code, unsigned rows)
{
    silicon_mop(code, &(struct silicon_mop){1, rows, .loop = {PACR}, .last = LAST_PACR});
}

void silicon_pack_rows(struct guest_code *code, unsigned row, uint32_t to)
{
    silicon_set_row(code, row);
    configure(code, PACK_ADDRESS, (to / 16 - 1) | UINT32_C(1) << 31);
    configure(code, PACK_OFFSET, 0);
    silicon_push(code, "SETADCXX 4, 15, 0 ; MOP 1, 0, 0 ; STALLWAIT 2, 8");
    silicon_sync(code);
}

/* `group` passes of `count` rows. */
void silicon_packs(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[PACKING];
    (void)turns;
    silicon_set_up_packer(code, row->format, 0);
    silicon_row_mop(code, row->count);
    silicon_push(code, "STALLWAIT 128, 8");
    silicon_sync(code);
    silicon_mark(program, PACKING);
    for (unsigned i = 0; i < row->group; i++) {
        silicon_pack_rows(code, 0, OUTPUT);
    }
    silicon_mark(program, PACKING);
}

/* What the math thread has published goes to L1, `count` tiles; the packer has waited for it. */
void silicon_published(struct silicon_program *program, const struct tensix_row *row,
                       unsigned turns)
{
    struct guest_code *math = &program->code[MATH], *code = &program->code[PACKING];
    (void)turns;
    silicon_push(math, "SEMINIT 1, 0, 2");
    silicon_sync(math);
    silicon_store(math, GO_ON, 1);
    silicon_li(math, "s0", 1000);
    uint32_t again = guest_emit(math, "addi s0, s0, -1");
    guest_emit(math, "bne s0, zero, %" PRIu32, again);
    silicon_mark(program, MATH);
    silicon_push(math, "STALLWAIT 2, 2064 ; SEMPOST 2");
    silicon_await(code, GO_ON);
    silicon_push(code, "SEMWAIT 1, 2, 1");
    silicon_set_up_packer(code, BF16, 0);
    silicon_row_mop(code, 64);
    for (unsigned i = 0; i < row->count; i++) {
        silicon_sync(code);
        silicon_pack_rows(code, 0, OUTPUT + i * 2048);
    }
    silicon_push(code, "SEMGET 2");
    silicon_mark(program, PACKING);
}

/* Half of a GPR, by an instruction that the hart makes of a value in `reg`. */
static void set_half(struct guest_code *code, const char *reg, unsigned half)
{
    char text[40];
    snprintf(text, sizeof text, "SETDMAREG 0, 0, 0, %u", half);
    guest_emit(code, "slli t0, %s, 8", reg);
    silicon_li(code, "t1", 0xffff00);
    guest_emit(code, "and t0, t0, t1");
    silicon_li(code, "t1", guest_tensix_word(text));
    guest_emit(code, "or t0, t0, t1");
    silicon_li(code, "t1", UINT32_C(0xffe40000));
    guest_emit(code, "sw t0, 0(t1)");
}

void silicon_set_output(struct guest_code *code, uint32_t to)
{
    silicon_push(code, "SETADC 4, 0, 3, 0");
    silicon_li(code, "t3", to / 16 - 1);
    set_half(code, "t3", 24);
    silicon_li(code, "t3", to / 16 - 1);
    guest_emit(code, "srli t3, t3, 16");
    silicon_li(code, "t4", 0x8000);
    guest_emit(code, "or t4, t4, t3");
    set_half(code, "t4", 25);
    silicon_push(code, "STALLWAIT 128, 9 ; WRCFG 12, 0, 69");
    set_half(code, "t3", 25);
    silicon_push(code, "DMANOP");
}

/*
 * 512 data from four places in Dst that are `count` blocks apart, or from one with 0. `group` interfaces
 * read. `op` is what stands between places. With `also`, the address of the output is set each time.
 */
void silicon_scatters(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[PACKING];
    const unsigned interfaces = row->group, pacrs = 32 / interfaces, part = pacrs / 4;
    silicon_set_up_packer(code, BF16, 0);
    guest_emit(code, ".ttinsn SETC16 37, %u", interfaces);
    configure(code, PACK_OFFSET, 0);
    silicon_push(code, "SETADCXX 4, 15, 0");
    guest_emit(code, ".ttinsn REPLAY 0, %u, 0, 1", pacrs);
    for (unsigned i = 0; i < pacrs; i++) {
        bool is_last = i + 1 == pacrs;
        guest_emit(code, ".ttinsn PACR 0, 0, 0, %u, 0, 0, %u, 0, 0, 0, 0, %u", is_last,
                   (1u << interfaces) - 1, is_last);
    }
    configure(code, PACK_ADDRESS, (OUTPUT / 16 - 1) | UINT32_C(1) << 31);
    silicon_sync(code);
    silicon_mark(program, PACKING);
    silicon_li(code, "s0", 0);
    silicon_li(code, "s1", turns);
    unsigned loop = leave_room(code);
    if (row->also) {
        silicon_set_output(code, OUTPUT);
    }
    if (row->count == 0) {
        silicon_set_row(code, 0);
        guest_emit(code, ".ttinsn REPLAY 0, %u, 0, 0", pacrs);
    } else if (!row->also) {
        silicon_push(code, "SETADCZW 4, 0, 0, 0, 0, 5");
    }
    for (unsigned i = 0; i < 4 && row->count; i++) {
        if (i > 0 && row->op) {
            silicon_push(code, row->op);
        }
        if (row->also) {
            silicon_set_row(code, 8 * i * row->count);
        } else {
            guest_emit(code, ".ttinsn SETADC 4, 0, 1, %u", 8 * i * row->count);
        }
        guest_emit(code, ".ttinsn REPLAY %u, %u, 0, 0", i * part, part);
    }
    silicon_push(code, "STALLWAIT 2, 8");
    silicon_sync(code);
    guest_emit(code, "addi s0, s0, 1");
    guest_emit(code, "jal zero, %" PRIu32, code->base + 4 * loop);
    fill_room(code, loop, "bgeu s0, s1");
    silicon_mark(program, PACKING);
}

/* --- Unpackers --- */

/* Waits until fewer than two tiles are waiting to be unpacked; the register has the address where that is
 * read. */
static void await_unpacker(struct guest_code *code, const char *posted)
{
    uint32_t again = guest_emit(code, "lw t1, 0(%s)", posted);
    guest_emit(code, "andi t1, t1, 0xfe");
    unsigned room = leave_room(code);
    guest_emit(code, "fence 15, 15");
    guest_emit(code, "jal zero, %" PRIu32, again);
    fill_room(code, room, "beq t1, zero");
}

/* Stores of the source's configuration of an unpacker without tiles, in its order: faces follow each
 * other, in L1 as where they go. */
void silicon_set_up_unpacker(struct guest_code *code, const struct silicon_unpacker *unpacker)
{
    const unsigned which = unpacker->which, more = which * OTHER_UNPACKER;
    const unsigned size = unpacker->to == BF16 ? 2 : 4,
                   target = which ? 0 : 64 + unpacker->row * 16;
    const uint32_t base = unpacker->address / 16 - 1;
    const uint32_t words[][2] = {
        {UNPACK_DESCRIPTOR + more, unpacker->from | 0x10 | (which ? 256 << 16 : 0)},
        {UNPACK_DESCRIPTOR + 1 + more, 1 | 4 << 16},
        {UNPACK_DESCRIPTOR + 2 + more, 0},
        {UNPACK_DESCRIPTOR + 3 + more, 0},
        {UNPACK_OPTIONS + more, 0x20 | unpacker->to},
        {UNPACK_OPTIONS + 1 + more, unpacker->to_dst ? 0x33 : 3},
        {UNPACK_OPTIONS + 2 + more, 0},
        {UNPACK_OPTIONS + 3 + more, 0},
        {UNPACK_STRIDES_IN + 2 * which, 0},
        {UNPACK_STRIDES_IN + 1 + 2 * which, 0},
        {UNPACK_STRIDES_OUT + 2 * which, size | 16 * size << 16},
        {UNPACK_STRIDES_OUT + 1 + 2 * which, 256 * size},
        {which ? 60 : 48, 0},
        {which ? 61 : 49, 0},
        {which ? 62 : 50, which ? 0 : 0x100},
        {which ? 63 : 53, 0},
        {UNPACK_TARGET + more, target | target << 16},
        {UNPACK_X_DIM + more, 256 | 256 << 16},
        {UNPACK_OFFSETS + more, 0},
        {UNPACK_OFFSETS + 1 + more, 0},
        {UNPACK_BASE + more, base},
        {UNPACK_BASE + 1 + more, base},
    };
    silicon_li(code, "t0", SYNC_POSTED);
    await_unpacker(code, "t0");
    silicon_push(code, "SETC16 0, 0");
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i][0] == UNPACK_STRIDES_IN + 2 * which) {
            silicon_push(code, which ? "RMWCIB2 64, 0, 119" : "RMWCIB2 64, 0, 71");
        }
        configure(code, words[i][0], words[i][1]);
    }
    silicon_push(code, "SETC16 41, 0");
    if (which == 0) {
        silicon_push(code, unpacker->to_dst ? "SETC16 5, 0" : "SETC16 5, 4");
    }
}

/* Both addresses of an unpacker. */
void silicon_set_base(struct guest_code *code, unsigned which, uint32_t address)
{
    configure(code, UNPACK_BASE + which * OTHER_UNPACKER, address / 16 - 1);
    configure(code, UNPACK_BASE + 1 + which * OTHER_UNPACKER, address / 16 - 1);
}

/* Posts the semaphore that tells of a configuration, once it has arrived. */
void silicon_commit(struct guest_code *code, unsigned which)
{
    silicon_li(code, "t0", CONFIG + 4 * (UNPACK_BASE + which * OTHER_UNPACKER));
    guest_emit(code, "lw t1, 0(t0)");
    silicon_store(code, SYNC_POSTED, 0);
}

void silicon_seminit(struct guest_code *code)
{
    silicon_push(code, "SEMINIT 1, 0, 128 ; SEMINIT 1, 0, 4 ; SEMINIT 2, 0, 32 ; SEMINIT 1, 0, 2");
    silicon_sync(code);
}

/*
 * `count` data of FP32 in L1 to Dst: by unpacker 0, or through the source that `group` is, which moves
 * copy `op` with a MOP of `format`. Until the math thread has told that they are there.
 */
void silicon_paths(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[UNPACKING], *math = &program->code[MATH];
    const bool is_direct = row->op == NULL;
    const unsigned which = row->group;
    (void)turns;
    silicon_seminit(code);
    silicon_store(code, GO_ON, 1);
    silicon_set_up_unpacker(code, &(struct silicon_unpacker){.which = which,
                                                             .from = FP32,
                                                             .to = is_direct ? FP32 : BF16,
                                                             .address = TILES,
                                                             .to_dst = is_direct});
    guest_emit(code, ".ttinsn SETADCXX %u, %u, 0", which + 1, row->count - 1);
    silicon_push(code, "SETADCZW 3, 0, 0, 0, 0, 15");
    if (is_direct) {
        silicon_play(code, 0, "UNPACR 0, 17, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 ; STALLWAIT 8, 2", 1);
    } else {
        char unpacr[] = "UNPACR 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1";
        unpacr[7] = (char)('0' + which);
        silicon_mop(code, &(struct silicon_mop){1, 1, .start = unpacr});
    }
    silicon_push(code, "SEMPOST 32");
    silicon_sync(code);

    silicon_await(math, GO_ON);
    silicon_push(math, "ZEROACC 3, 1, 0, 1, 0 ; SETC16 0, 0 ; SETC16 1, 0 ; RMWCIB3 32, 32, 1");
    if (!is_direct) {
        guest_emit(math, ".ttinsn SETC16 14, %u", which ? 4 << 8 : 8);
        guest_emit(math, ".ttinsn SETC16 30, %u", which ? 4 : 8);
        silicon_push(math, "SETC16 49, 0 ; SETRWC 0, 0, 0, 0, 0, 15");
        silicon_mop(math,
                    &(struct silicon_mop){1, row->format, .loop = {row->op}, .last = row->op});
    }
    silicon_push(math, "STALLWAIT 2, 16");
    silicon_sync(math);
    silicon_push(math, "SEMPOST 128 ; SEMWAIT 2, 4, 1 ; SEMGET 4");
    if (!is_direct) {
        silicon_push(math, which ? "STALLWAIT 64, 256" : "STALLWAIT 64, 128");
        silicon_push(math, "MOP 1, 0, 0");
        guest_emit(math, ".ttinsn SETRWC %u, 0, 0, 0, 0, 15", which + 1);
    }
    silicon_push(math, "STALLWAIT 2, 16");
    silicon_sync(math);
    silicon_push(math, "SEMPOST 128");

    silicon_push(code, "SEMWAIT 8, 128, 1 ; SEMGET 128");
    silicon_sync(code);
    silicon_mark(program, UNPACKING);
    silicon_push(code, "MOP 1, 0, 0");
    silicon_push(code, which ? "STALLWAIT 8, 4" : "STALLWAIT 8, 2");
    silicon_push(code, "SEMGET 32 ; SEMPOST 4 ; SEMWAIT 8, 128, 1 ; SEMGET 128");
    silicon_sync(code);
    silicon_mark(program, UNPACKING);
}

/* --- Rows of a matrix product, as tt-metal's kernels unpack them --- */

/* t3 = the base address of the context in t2, then `value` goes there. */
static void store_base(struct guest_code *code, const char *base, const char *value)
{
    guest_emit(code, "addi t3, %s, 0", base);
    unsigned room = leave_room(code);
    guest_emit(code, "addi t3, t3, 4");
    fill_room(code, room, "beq t2, zero");
    guest_emit(code, "sw %s, 0(t3)", value);
}

/* Pushes one instruction where the branch is taken, and the other one where it is not. */
static void push_either(struct guest_code *code, const char *branch, const char *taken,
                        const char *other)
{
    unsigned first = leave_room(code);
    silicon_push(code, other);
    unsigned second = leave_room(code);
    fill_room(code, first, branch);
    silicon_push(code, taken);
    fill_room(code, second, "jal zero");
}

/* The other context, whose number is kept in local RAM. */
static void flip_context(struct guest_code *code, bool loads)
{
    if (loads) {
        guest_emit(code, "lw t2, 0(s11)");
    }
    silicon_li(code, "t3", 1);
    guest_emit(code, "sub t3, t3, t2");
    guest_emit(code, "sw t3, 0(s11)");
    push_either(code, "beq t2, zero", "SETC16 41, 257", "SETC16 41, 0");
}

static void unpack_row(struct guest_code *code)
{
    await_unpacker(code, "s7");
    guest_emit(code, "mul a0, s9, a4");
    guest_emit(code, "add a0, a0, s2");
    guest_emit(code, "addi a0, a0, -1");
    guest_emit(code, "mul a1, s10, a5");
    guest_emit(code, "add a1, a1, s1");
    guest_emit(code, "addi a1, a1, -1");
    guest_emit(code, "lw t2, 0(s11)");
    store_base(code, "s4", "a1");
    store_base(code, "s5", "a0");
    guest_emit(code, "sw zero, 0(s7)");
    silicon_push(code, "STALLWAIT 8, 1024 ; UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    push_either(code, "bne t2, zero", "MOP 0, 1, 255", "MOP 0, 1, 0");
    silicon_push(code, "SEMGET 32");
    flip_context(code, false);
}

static void set_up_rows(struct guest_code *code)
{
    static const char *const bases[] = {"76", "77"};
    silicon_seminit(code);
    silicon_set_up_unpacker(
        code, &(struct silicon_unpacker){.which = 0, .from = BF16, .to = BF16, .address = TILES});
    silicon_set_up_unpacker(
        code, &(struct silicon_unpacker){.which = 1, .from = BF16, .to = BF16, .address = TILES});
    silicon_push(code, "SETADCXX 3, 1023, 0 ; SETADCZW 3, 0, 0, 0, 0, 15");
    for (unsigned i = 0; i < 2; i++) {
        guest_emit(code, ".ttinsn REPLAY %u, 6, 0, 1", 6 * i);
        silicon_push(code, "UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
        guest_emit(code, ".ttinsn RDCFG 12, %s", bases[i]);
        silicon_push(code, "ADDDMAREG 0, 12, 12, 36 ; STALLWAIT 128, 1");
        guest_emit(code, ".ttinsn WRCFG 12, 0, %s", bases[i]);
        silicon_push(code, "NOP");
    }
    silicon_mop(
        code,
        &(struct silicon_mop){
            0, 0, "NOP", {"REPLAY 0, 6, 0, 0", NULL}, {NULL, NULL}, "REPLAY 6, 6, 0, 0", NULL});
    silicon_sync(code);
    silicon_li(code, "a4", 128);
    silicon_li(code, "a5", 128);
    silicon_li(code, "s1", TILES / 16);
    silicon_li(code, "s2", TILES / 16);
    silicon_li(code, "s4", CONFIG + 4 * UNPACK_BASE);
    silicon_li(code, "s5", CONFIG + 4 * (UNPACK_BASE + OTHER_UNPACKER));
    silicon_li(code, "s7", SYNC_POSTED);
    silicon_li(code, "s11", LOCAL);
    guest_emit(code, "sw zero, 0(s11)");
}

/* The math thread takes what is unpacked: `given` is how it gives banks back. */
static void take_sources(struct guest_code *code, const char *given)
{
    uint32_t loop = code->base + 4 * code->words;
    silicon_li(code, "s0", GO_ON);
    guest_emit(code, "lw t0, 0(s0)");
    unsigned room = leave_room(code);
    silicon_push(code, given);
    guest_emit(code, "jal zero, %" PRIu32, loop + 4);
    fill_room(code, room, "bne t0, zero");
    silicon_store(code, 0x16fff4, 1); /* its last instruction may wait for ever */
    guest_emit(code, "jal zero, %" PRIu32, code->base + 4 * code->words);
}

/* `count` pairs of rows in a turn; one row with 0. */
void silicon_rows(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[UNPACKING];
    set_up_rows(code);
    take_sources(&program->code[MATH], "SETRWC 3, 0, 0, 0, 0, 3");
    uint32_t loop = silicon_begin_loop(code, turns);
    if (row->count) {
        silicon_push(code, "SETADCZW 3, 0, 0, 0, 0, 15");
    }
    for (unsigned i = 0; i < row->count; i++) {
        silicon_li(code, "s9", i);
        silicon_li(code, "s10", 2 * i);
        unpack_row(code);
        silicon_li(code, "s9", row->count + i);
        unpack_row(code);
    }
    if (row->count == 0) {
        silicon_li(code, "s9", 0);
        silicon_li(code, "s10", 0);
        unpack_row(code);
    }
    silicon_end_loop(program, UNPACKING, loop);
    silicon_store(code, GO_ON, 1);
}

/* A poll, or with `count` a change of the context. */
void silicon_contexts(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[UNPACKING];
    set_up_rows(code);
    uint32_t loop = silicon_begin_loop(code, turns);
    if (row->count) {
        flip_context(code, true);
    } else {
        await_unpacker(code, "s7");
    }
    silicon_end_loop(program, UNPACKING, loop);
}

/* `turns` tiles of a format to SrcA, each with a change of its address by GPRs. */
void silicon_tiles(struct silicon_program *program, const struct tensix_row *row, unsigned turns)
{
    struct guest_code *code = &program->code[UNPACKING];
    silicon_seminit(code);
    silicon_set_up_unpacker(
        code, &(struct silicon_unpacker){
                  .which = 0, .from = row->format, .to = row->format, .address = TILES});
    guest_emit(code, ".ttinsn RMWCIB2 64, %u, 71", row->format == SILICON_FP8 ? 64 : 0);
    silicon_push(code, "SETADCXX 1, 1023, 0 ; SETADCZW 3, 0, 0, 0, 0, 15");
    silicon_play(code, 0,
                 "UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1 ; RDCFG 12, 76 ; "
                 "ADDDMAREG 0, 12, 12, 36 ; STALLWAIT 128, 1 ; WRCFG 12, 0, 76 ; NOP",
                 turns);
    silicon_sync(code);
    take_sources(&program->code[MATH], "SETRWC 1, 0, 0, 0, 0, 3");
    silicon_mark(program, UNPACKING);
    silicon_push(code, "MOP 1, 0, 0");
    silicon_sync(code);
    silicon_mark(program, UNPACKING);
    silicon_store(code, GO_ON, 1);
}
