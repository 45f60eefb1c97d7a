/*
 * The Matrix Unit, second part: instructions that compute. Each takes a block of rows of SrcA and
 * of SrcB from the unit's current banks, works on rows of Dst in place, and may give the banks
 * back.
 *
 * SPEC: WormholeB0 MVMUL, DOTPV, GAPOOL, ELWMUL, ELWADD, ELWSUB, GMPOOL, MatrixUnit (legacy
 * instructions). The arithmetic is in num/matrix.h, a row at a time in num/kernels.h.
 *
 * SrcB is taken in the format of its own bank, as ttsim has it; the pages take it in SrcA's. That
 * shows only where TF32 meets BF16.
 */
#include "tensix/matrix/common.h"

enum { BLOCK_ROWS = 8, POOL_ROWS = 4, COLUMNS = TENSIX_DST_COLUMNS };

/* What is done around the arithmetic counts in nanoseconds: numbers of rows are to be constants. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What an instruction takes from the configuration. */
struct setup {
    struct num_matrix_mode mode;
    struct tensix_dst_map map;
    unsigned state;
};

/* --- Beginnings --- */

/* The styles of SrcA and SrcB outside INT8 math and FP16A_FORCE; false where they do not go
 * together. */
static ALWAYS_INLINE bool take_formats(const struct tensix *tensix, unsigned thread, unsigned state,
                                       struct num_matrix_mode *mode)
{
    unsigned a = tensix_matrix_format_a(tensix, thread, state, TENSIX_SRC_A);
    unsigned b = tensix_matrix_format_b(tensix, thread, state);
    mode->a = num_matrix_style_of(a);
    mode->b = num_matrix_style_of(b);
    return tensix_matrix_is_format(a) && tensix_matrix_is_format(b) &&
           (mode->a == NUM_MATRIX_FP16) == (mode->b == NUM_MATRIX_FP16);
}

/* False where the instruction cannot start: refuse() finds out why. */
static ALWAYS_INLINE bool prepare(struct tensix *tensix, unsigned thread, struct setup *setup)
{
    unsigned state = tensix_state_id(tensix, thread);
    unsigned fidelity =
        tensix->thread[thread].rwc.fidelity + tensix_get_FIDELITY_BASE_Phase(tensix, thread);
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_A) ||
        !tensix_src_matrix_may(tensix, TENSIX_SRC_B)) {
        return false;
    }
    *setup = (struct setup){
        .mode = {.a = NUM_MATRIX_FP16,
                 .b = NUM_MATRIX_FP16,
                 .keeps_denormals = tensix_get_ALU_ACC_CTRL_Zero_Flag_disabled_src(tensix, state),
                 .fidelity = fidelity & 3},
        .map = tensix_dst_map_now(tensix),
        .state = state,
    };
    if (tensix_get_ALU_ROUNDING_MODE_Fpu_srnd_en(tensix, state) && !tensix->rounds_to_nearest) {
        setup->mode.generator = &tensix->matrix.generator;
    }
    if (tensix_get_FP16A_FORCE_Enable(tensix, thread)) {
        return true;
    }
    if (tensix_get_ALU_ACC_CTRL_INT8_math_enabled(tensix, state)) {
        setup->mode.a = setup->mode.b = NUM_MATRIX_INT8;
        setup->mode.is_dst_32bit = true;
        setup->mode.generator = NULL; /* there is nothing to round */
        return true;
    }
    setup->mode.is_dst_32bit = tensix_get_ALU_ACC_CTRL_Fp32_enabled(tensix, state);
    return take_formats(tensix, thread, state, &setup->mode);
}

/* An instruction that cannot start waits for a bank or breaks a rule. */
static enum tensix_exec refuse(struct tensix *tensix, unsigned thread, const char *name)
{
    unsigned state = tensix_state_id(tensix, thread);
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        if (!tensix_src_matrix_may(tensix, (enum tensix_src)src)) {
            return tensix_matrix_stall(tensix, thread, (enum tensix_src)src);
        }
    }
    unsigned a = tensix_matrix_format_a(tensix, thread, state, TENSIX_SRC_A);
    unsigned b = tensix_matrix_format_b(tensix, thread, state);
    const struct num_format_info *info_a = num_format_info(a), *info_b = num_format_info(b);
    if (!info_a || !info_b) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "%s: format %u of Src%c is none; configure or unpack one that is", name,
                            info_a ? b : a, info_a ? 'B' : 'A');
    }
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                        "%s: SrcA is %s, SrcB is %s: exponents of 5 bits and of 8 bits do not mix; "
                        "both come from unpackers or ALU_FORMAT_SPEC",
                        name, info_a->name, info_b->name);
}

/* Tells of the rows of both operands. */
static ALWAYS_INLINE void touch_operands(struct tensix *tensix, unsigned row_a, unsigned rows_a,
                                         unsigned row_b, unsigned rows_b)
{
    if (tensix_wants_work(tensix)) {
        tensix_matrix_touch_src(tensix, TENSIX_READS, TENSIX_SRC_A, row_a, rows_a);
        tensix_matrix_touch_src(tensix, TENSIX_READS, TENSIX_SRC_B, row_b, rows_b);
    }
}

/* --- Products of matrices --- */

/* 16 rows of SrcA. GUESS: what begins at row 56, which is no multiple of 16, goes on at row 0. */
static ALWAYS_INLINE const uint32_t *matrix_a(const struct tensix *tensix, unsigned row,
                                              uint32_t scratch[NUM_MATRIX_TERMS][COLUMNS])
{
    const uint32_t *rows = tensix_matrix_src(tensix, TENSIX_SRC_A, row);
    if (row <= TENSIX_SRC_FILE_ROWS - NUM_MATRIX_TERMS) {
        return rows;
    }
    size_t half = BLOCK_ROWS * sizeof scratch[0];
    memcpy(scratch[0], rows, half);
    memcpy(scratch[BLOCK_ROWS], tensix_matrix_src(tensix, TENSIX_SRC_A, 0), half);
    return scratch[0];
}

/* `rows` that lie together. */
static ALWAYS_INLINE void dot_block(struct tensix *tensix, const struct setup *setup,
                                    const uint32_t *a, const uint32_t *b, unsigned row,
                                    unsigned rows)
{
    struct num_dst_rows dst = tensix_matrix_dst(tensix, setup->map, setup->mode.is_dst_32bit, row,
                                                rows, TENSIX_MATRIX_ZERO);
    tensix->kernels->dot(&setup->mode, a, b, rows, dst);
}

static ALWAYS_INLINE void dot(struct tensix *tensix, const struct setup *setup, const uint32_t *a,
                              const uint32_t *b, unsigned row, unsigned rows)
{
    if (rows < BLOCK_ROWS || tensix_matrix_rows_together(setup->map, setup->mode.is_dst_32bit)) {
        dot_block(tensix, setup, a, b, row, rows);
    } else {
        dot_block(tensix, setup, a, b, row, BLOCK_ROWS / 2);
        dot_block(tensix, setup, a, b + BLOCK_ROWS / 2 * COLUMNS, row + BLOCK_ROWS / 2,
                  BLOCK_ROWS / 2);
    }
}

/* Dst += SrcB @ SrcA, with 4 or 8 rows of SrcB. */
static ALWAYS_INLINE enum tensix_exec multiply_matrices(struct tensix *tensix, unsigned thread,
                                                        const char *name, unsigned rows,
                                                        unsigned flips, unsigned addr_mod,
                                                        unsigned dst_row)
{
    uint32_t scratch[NUM_MATRIX_TERMS][COLUMNS];
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    struct setup setup;
    if (!prepare(tensix, thread, &setup)) {
        return refuse(tensix, thread, name);
    }
    unsigned row_a = rwc->src_a & 0x38, row_b = rwc->src_b & 0x38;
    unsigned row =
        tensix_matrix_dst_row(tensix, thread, setup.state, dst_row) & (TENSIX_DST_ROWS - rows);
    touch_operands(tensix, row_a, NUM_MATRIX_TERMS, row_b, rows);
    dot(tensix, &setup, matrix_a(tensix, row_a, scratch),
        tensix_matrix_src(tensix, TENSIX_SRC_B, row_b), row, rows);
    tensix->matrix.src_a_row = (uint8_t)row_a;
    return tensix_matrix_done(tensix, thread, flips, addr_mod);
}

/* SPEC: one row of SrcB becomes seven of which every second one is zeros, which are not added. The
 * mask of the row of Dst really has a gap. */
static enum tensix_exec multiply_row(struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct tensix_args_MVMUL args = tensix_decode_MVMUL(word);
    uint32_t scratch[NUM_MATRIX_TERMS][COLUMNS];
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    struct setup setup;
    if (!prepare(tensix, thread, &setup)) {
        return refuse(tensix, thread, "MVMUL");
    }
    unsigned row_a = rwc->src_a & 0x38;
    unsigned row = tensix_matrix_dst_row(tensix, thread, setup.state, args.dst_row) & 0x3f9;
    const uint32_t *a = matrix_a(tensix, row_a, scratch);
    const uint32_t *b = tensix_matrix_src(tensix, TENSIX_SRC_B, rwc->src_b);
    touch_operands(tensix, row_a, NUM_MATRIX_TERMS, rwc->src_b, 1);
    for (unsigned i = 0; i < BLOCK_ROWS; i += 2) {
        dot(tensix, &setup, a, b, row + i, 1);
    }
    tensix->matrix.src_a_row = (uint8_t)row_a;
    return tensix_matrix_done(tensix, thread, args.clear_dvalid, args.addr_mod);
}

TENSIX_EXEC(MVMUL)
{
    if (args->broadcast_src_b_row) {
        return multiply_row(tensix, thread, args->word);
    }
    return multiply_matrices(tensix, thread, "MVMUL", BLOCK_ROWS, args->clear_dvalid,
                             args->addr_mod, args->dst_row);
}

/* SPEC: MVMUL without broadcast, whatever the fields that ELWADD has say. */
TENSIX_EXEC(DOTPV)
{
    return multiply_matrices(tensix, thread, "DOTPV", BLOCK_ROWS, args->clear_dvalid,
                             args->addr_mod, args->dst_row);
}

/* LLK sets dim_16x16, the page's syntax does not: it makes no difference. */
TENSIX_EXEC(GAPOOL)
{
    if (args->index_en) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "GAPOOL: max_pool_index_en is 1: only GMPOOL has an index; leave it 0");
    }
    return multiply_matrices(tensix, thread, "GAPOOL", POOL_ROWS, args->clear_dvalid,
                             args->pool_addr_mod, args->dst_row);
}

/* --- Element by element --- */

enum elementwise { MULTIPLY, ADD, SUBTRACT };

/* Bits of `broadcast`. */
enum { BROADCAST_COLUMN = 1, BROADCAST_ROW = 2 };

/* Eight rows of SrcB of which one row, one column or one datum counts. */
static void spread_b(const uint32_t *b, unsigned broadcast, uint32_t block[BLOCK_ROWS][COLUMNS])
{
    for (unsigned i = 0; i < BLOCK_ROWS; i++) {
        if (broadcast & BROADCAST_COLUMN) {
            for (unsigned column = 0; column < COLUMNS; column++) {
                block[i][column] = b[0];
            }
        } else {
            memcpy(block[i], b, sizeof block[i]);
        }
        b += broadcast & BROADCAST_ROW ? 0 : COLUMNS;
    }
}

/* `rows` that lie together. */
static ALWAYS_INLINE void compute_block(struct tensix *tensix, const struct setup *setup,
                                        enum elementwise op, const uint32_t *a, const uint32_t *b,
                                        unsigned row, unsigned rows, bool accumulates)
{
    const struct num_kernels *kernels = tensix->kernels;
    const struct num_matrix_mode *mode = &setup->mode;
    struct num_dst_rows dst =
        tensix_matrix_dst(tensix, setup->map, mode->is_dst_32bit, row, rows,
                          accumulates ? TENSIX_MATRIX_ZERO : TENSIX_MATRIX_ANYTHING);
    switch (op) {
    case MULTIPLY:
        kernels->multiply(mode, a, b, rows, dst);
        break;
    case ADD:
        kernels->add(mode, a, b, rows, dst, accumulates);
        break;
    case SUBTRACT:
        kernels->subtract(mode, a, b, rows, dst, accumulates);
        break;
    }
}

/* Eight rows. */
static ALWAYS_INLINE void compute(struct tensix *tensix, const struct setup *setup,
                                  enum elementwise op, const uint32_t *a, const uint32_t *b,
                                  unsigned row, bool accumulates)
{
    enum { HALF = BLOCK_ROWS / 2 };
    if (tensix_matrix_rows_together(setup->map, setup->mode.is_dst_32bit)) {
        compute_block(tensix, setup, op, a, b, row, BLOCK_ROWS, accumulates);
    } else {
        compute_block(tensix, setup, op, a, b, row, HALF, accumulates);
        compute_block(tensix, setup, op, a + HALF * COLUMNS, b + HALF * COLUMNS, row + HALF, HALF,
                      accumulates);
    }
}

static bool mixes_exponents(const struct setup *setup)
{
    return (setup->mode.a == NUM_MATRIX_FP16) != (setup->mode.b == NUM_MATRIX_FP16);
}

/* Is nothing wrong but that exponents of 5 bits meet such of 8 bits? */
static bool is_only_mixed(const struct tensix *tensix, unsigned thread)
{
    unsigned state = tensix_state_id(tensix, thread);
    return tensix_src_matrix_may(tensix, TENSIX_SRC_A) &&
           tensix_src_matrix_may(tensix, TENSIX_SRC_B) &&
           tensix_matrix_is_format(tensix_matrix_format_a(tensix, thread, state, TENSIX_SRC_A)) &&
           tensix_matrix_is_format(tensix_matrix_format_b(tensix, thread, state));
}

static bool are_zeros(const uint32_t *block)
{
    enum { MAGNITUDE = 0x3ffff };
    uint32_t any = 0;
    for (unsigned i = 0; i < BLOCK_ROWS * COLUMNS; i++) {
        any |= block[i] & MAGNITUDE;
    }
    return !any;
}

/*
 * The pages leave undefined what becomes of SrcA and SrcB whose exponents have 5 and 8 bits. HW: LLK
 * copies FP8 and FP16 to a 32-bit Dst by ELWADD of zeros, whose format is that of the data which were
 * there before. Zeros are zeros in every format: they get the other side's.
 */
static bool settle_formats(struct setup *setup, const uint32_t *a, const uint32_t *b)
{
    if (are_zeros(b)) {
        setup->mode.b = setup->mode.a;
    } else if (are_zeros(a)) {
        setup->mode.a = setup->mode.b;
    }
    return !mixes_exponents(setup);
}

static ALWAYS_INLINE enum tensix_exec elementwise(struct tensix *tensix, unsigned thread,
                                                  const char *name, enum elementwise op,
                                                  const struct tensix_args_ELWADD *args)
{
    uint32_t block[BLOCK_ROWS][COLUMNS];
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    struct setup setup;
    if (!prepare(tensix, thread, &setup) && !is_only_mixed(tensix, thread)) {
        return refuse(tensix, thread, name);
    }
    unsigned row_a = rwc->src_a & 0x38;
    unsigned row_b = args->broadcast_src_b_row ? rwc->src_b : rwc->src_b & 0x38;
    unsigned row = tensix_matrix_dst_row(tensix, thread, setup.state, args->dst_row) & 0x3f8;
    const uint32_t *a = tensix_matrix_src(tensix, TENSIX_SRC_A, row_a);
    const uint32_t *b = tensix_matrix_src(tensix, TENSIX_SRC_B, row_b);
    touch_operands(tensix, row_a, BLOCK_ROWS, row_b,
                   args->broadcast & BROADCAST_ROW ? 1 : BLOCK_ROWS);
    if (args->broadcast) {
        spread_b(b, args->broadcast, block);
        b = block[0];
    }
    if (mixes_exponents(&setup) && !settle_formats(&setup, a, b)) {
        return refuse(tensix, thread, name);
    }
    compute(tensix, &setup, op, a, b, row, op == MULTIPLY || args->add_dst);
    tensix->matrix.src_a_row = (uint8_t)row_a;
    return tensix_matrix_done(tensix, thread, args->clear_dvalid, args->addr_mod);
}

/* ELWADD, ELWSUB and ELWMUL have the same fields. SPEC: ELWMUL adds to Dst whatever AddDst says. */
TENSIX_EXEC(ELWMUL)
{
    const struct tensix_args_ELWADD same = tensix_decode_ELWADD(args->word);
    return elementwise(tensix, thread, "ELWMUL", MULTIPLY, &same);
}

TENSIX_EXEC(ELWADD)
{
    return elementwise(tensix, thread, "ELWADD", ADD, args);
}

TENSIX_EXEC(ELWSUB)
{
    const struct tensix_args_ELWADD same = tensix_decode_ELWADD(args->word);
    return elementwise(tensix, thread, "ELWSUB", SUBTRACT, &same);
}

/* --- Maxima --- */

static void max_of_columns(const struct setup *setup, const uint32_t *a, const uint32_t *scale,
                           bool has_index, uint32_t dst[COLUMNS])
{
    for (unsigned column = 0; column < COLUMNS; column++) {
        uint32_t terms[NUM_MATRIX_TERMS];
        for (unsigned i = 0; i < NUM_MATRIX_TERMS; i++) {
            terms[i] = a[i * COLUMNS + column];
        }
        dst[column] = num_matrix_max(&setup->mode, terms, scale, dst[column], has_index);
    }
}

static void pool16(struct tensix *tensix, const struct setup *setup, const uint32_t *a,
                   const uint32_t *scale, unsigned row, bool has_index)
{
    static const uint16_t zeros[COLUMNS];
    uint16_t half[COLUMNS];
    uint32_t data[COLUMNS];
    tensix_dst_read_row16(&tensix->dst, setup->map, row, TENSIX_DST_READS_MINUS_INFINITY, half);
    for (unsigned column = 0; column < COLUMNS; column++) {
        data[column] = half[column];
    }
    max_of_columns(setup, a, scale, has_index, data);
    for (unsigned column = 0; column < COLUMNS; column++) {
        half[column] = (uint16_t)data[column];
    }
    tensix_dst_write_row16(&tensix->dst, setup->map, row, half);
    for (unsigned i = 1; i < POOL_ROWS; i++) {
        tensix_dst_write_row16(&tensix->dst, setup->map, row + i, zeros);
    }
}

/* SPEC: with an index the other three rows keep their count of it, and nothing else. */
static void pool32(struct tensix *tensix, const struct setup *setup, const uint32_t *a,
                   const uint32_t *scale, unsigned row, bool has_index)
{
    enum { INDEX_PHASE = 0xf00, NEXT_PHASE = 0x100 };
    uint32_t data[COLUMNS];
    tensix_dst_read_row32(&tensix->dst, setup->map, row, TENSIX_DST_READS_MINUS_INFINITY, data);
    max_of_columns(setup, a, scale, has_index, data);
    tensix_dst_write_row32(&tensix->dst, setup->map, row, data);
    for (unsigned i = 1; i < POOL_ROWS; i++) {
        tensix_dst_read_row32(&tensix->dst, setup->map, row + i, TENSIX_DST_READS_MINUS_INFINITY,
                              data);
        for (unsigned column = 0; column < COLUMNS; column++) {
            data[column] = has_index ? (data[column] + NEXT_PHASE) & INDEX_PHASE : 0;
        }
        tensix_dst_write_row32(&tensix->dst, setup->map, row + i, data);
    }
}

/* Of 16 rows of SrcA or, instead of these, of `a`, under the scale of SrcB or, for a row alone,
 * `scale`. */
static enum tensix_exec pool(struct tensix *tensix, unsigned thread, const char *name,
                             const uint32_t *a, const uint32_t *scale,
                             const struct tensix_args_GMPOOL *args)
{
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    struct setup setup;
    if (!prepare(tensix, thread, &setup)) {
        return refuse(tensix, thread, name);
    }
    if (scale && tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_DOUBTFUL,
                              "%s: instr_mod19 is 0, which is taken as the one row at SrcA's RWC; "
                              "no page has it; 1 is 16 rows",
                              name) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    unsigned row_a = rwc->src_a & 0x30, row_b = rwc->src_b & 0x38;
    unsigned row = tensix_matrix_dst_row(tensix, thread, setup.state, args->dst_row) & 0x3fc;
    const unsigned touched_a = scale ? rwc->src_a & 0x3f : row_a;
    const unsigned touched_rows = scale ? 1 : a ? 0 : NUM_MATRIX_TERMS; /* of zeros none */
    a = a ? a : tensix_matrix_src(tensix, TENSIX_SRC_A, row_a);
    scale = scale ? scale : tensix_matrix_src(tensix, TENSIX_SRC_B, row_b);
    (setup.mode.is_dst_32bit ? pool32 : pool16)(tensix, &setup, a, scale, row, args->index_en);
    touch_operands(tensix, touched_a, touched_rows, row_b, touched_rows > 0);
    tensix_touch_dst(tensix, TENSIX_CHANGES, setup.mode.is_dst_32bit, row, POOL_ROWS);
    tensix->matrix.src_a_row = (uint8_t)row_a;
    return tensix_matrix_done(tensix, thread, args->clear_dvalid, args->pool_addr_mod);
}

/* GUESS: the founding notes have "a 1x16 row (no SrcA column reduction)", not which one. The scale of
 * a row is the datum of SrcB in its column; under 0 the rows that are not there are minus infinity. */
static enum tensix_exec pool_one_row(struct tensix *tensix, unsigned thread,
                                     const struct tensix_args_GMPOOL *args)
{
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    uint32_t a[NUM_MATRIX_TERMS][COLUMNS] = {0}, scale[NUM_MATRIX_TERMS] = {0};
    memcpy(a[0], tensix_matrix_src(tensix, TENSIX_SRC_A, rwc->src_a & 0x3f), sizeof a[0]);
    scale[0] = *tensix_matrix_src(tensix, TENSIX_SRC_B, rwc->src_b & 0x38);
    return pool(tensix, thread, "GMPOOL", a[0], scale, args);
}

TENSIX_EXEC(GMPOOL)
{
    return args->dim_16x16 ? pool(tensix, thread, "GMPOOL", NULL, NULL, args)
                           : pool_one_row(tensix, thread, args);
}

/* --- Legacy instructions --- */

/* SPEC: similar to GMPOOL where SrcA is zeros; RWCs has them apply the address modifier. GUESS: not
 * only similar. */
static enum tensix_exec pool_zeros(struct tensix *tensix, unsigned thread, const char *name,
                                   uint32_t word)
{
    static const uint32_t zeros[NUM_MATRIX_TERMS][COLUMNS];
    const struct tensix_args_GMPOOL same = tensix_decode_GMPOOL(word);
    return pool(tensix, thread, name, zeros[0], NULL, &same);
}

TENSIX_EXEC(MPOOL3S1)
{
    return pool_zeros(tensix, thread, "MPOOL3S1", args->word);
}

TENSIX_EXEC(MPOOL3S2)
{
    return pool_zeros(tensix, thread, "MPOOL3S2", args->word);
}

/* SPEC: Dst += 0. GUESS: on the eight rows that they once computed, by way of the multipliers, and
 * with what else instructions that compute do. */
static enum tensix_exec add_zero(struct tensix *tensix, unsigned thread, const char *name,
                                 unsigned flips, unsigned addr_mod, unsigned dst_row)
{
    static const uint32_t zeros[BLOCK_ROWS][COLUMNS];
    struct setup setup;
    if (!prepare(tensix, thread, &setup)) {
        return refuse(tensix, thread, name);
    }
    unsigned row = tensix_matrix_dst_row(tensix, thread, setup.state, dst_row) & 0x3f8;
    compute(tensix, &setup, MULTIPLY, zeros[0], zeros[0], row, true);
    tensix->matrix.src_a_row = tensix->thread[thread].rwc.src_a & 0x38;
    return tensix_matrix_done(tensix, thread, flips, addr_mod);
}

#define ADDS_ZERO(token, addr_mod)                                                                 \
    TENSIX_EXEC(token)                                                                             \
    {                                                                                              \
        return add_zero(tensix, thread, #token, args->clear_dvalid, args->addr_mod,                \
                        args->dst_row);                                                            \
    }

ADDS_ZERO(CONV3S1, addr_mod)
ADDS_ZERO(CONV3S2, addr_mod)
ADDS_ZERO(MFCONV3S1, addr_mod)
ADDS_ZERO(APOOL3S1, pool_addr_mod)
ADDS_ZERO(APOOL3S2, pool_addr_mod)
