/*
 * The Matrix Unit, third part: instructions that move data between Dst, SrcA and SrcB.
 *
 * SPEC: WormholeB0 MOVA2D, MOVB2D, MOVD2A, MOVD2B, MOVB2A, MOVDBGA2D, TRNSPSRCB, SHIFTXA, SHIFTXB;
 * their newest editions tell Blackhole from Wormhole, and ttsim is older than these. LLK's
 * sequences for halves of 32 bits.
 *
 * MOVA2D, MOVB2D, MOVD2A and MOVD2B do not write columns that the Vector Unit's BLOCK_DEST_MOV
 * names. GUESS: MOVDBGA2D does not either, because it is MOVA2D. MOVB2A writes them, because only
 * the older of its pages forbids it, and SFPCONFIG's page does not name it.
 */
#include "tensix/matrix/common.h"

enum { COLUMNS = TENSIX_DST_COLUMNS, ALL_COLUMNS = 0xffff, FOUR_ROWS = 4, EIGHT_ROWS = 8 };

/* The move has no such mode, or else its source no format. instr_mod of all but MOVB2D: bit 1 says
 * several rows, nobody says what bit 0 does. */
static enum tensix_exec no_move(struct tensix *tensix, unsigned thread, const char *name,
                                unsigned mode, unsigned format)
{
    if (mode & 1) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "%s: no instr_mod %u: 0 moves one row, 2 moves a block", name, mode);
    }
    return tensix_fault(
        tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
        "%s: the format of its source, %u, is none; configure or unpack one that is", name, format);
}

/* --- To Dst --- */

/* How rows of Src get to Dst. */
struct to_dst {
    struct tensix_dst_map map;
    bool is_32bit;     /* TF32 to the top of FP32 */
    bool is_low;       /* 16 bits to the lower half */
    bool is_wide;      /* exponents of 8 bits */
    bool flushes;      /* data with an exponent of 0 become 0 */
    const char *doubt; /* what nobody can rely on; NULL: nothing */
};

/* Loops without decisions inside, which compilers turn into vector instructions. */
static void flush_row(const uint32_t from[COLUMNS], uint32_t to[COLUMNS])
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        to[i] = from[i] & 0xff ? from[i] : 0;
    }
}

static void narrow_row(const uint32_t src[COLUMNS], bool is_wide, uint16_t half[COLUMNS])
{
    if (is_wide) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            half[i] = num_dst_bf16_from_src(src[i]);
        }
    } else {
        for (unsigned i = 0; i < COLUMNS; i++) {
            half[i] = num_dst_fp16_from_src(src[i]);
        }
    }
}

static void put_dst_row(struct tensix *tensix, const struct to_dst *how, unsigned row,
                        const uint32_t source[COLUMNS])
{
    uint32_t src[COLUMNS], wide[COLUMNS];
    uint16_t half[COLUMNS];
    tensix_touch_dst(tensix, TENSIX_CHANGES, how->is_32bit || how->is_low, row, 1);
    if (how->flushes) {
        flush_row(source, src);
        source = src;
    }
    if (how->is_32bit) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            wide[i] = num_dst_fp32_from_src(source[i]);
        }
        tensix_dst_write_row32(&tensix->dst, how->map, row, wide);
        return;
    }
    narrow_row(source, how->is_wide, half);
    if (!how->is_low) {
        tensix_dst_write_row16(&tensix->dst, how->map, row, half);
        return;
    }
    tensix_dst_read_row32(&tensix->dst, how->map, row, TENSIX_DST_READS_ZERO, wide);
    for (unsigned i = 0; i < COLUMNS; i++) {
        wide[i] = (wide[i] & 0xffff0000) | half[i];
    }
    tensix_dst_write_row32(&tensix->dst, how->map, row, wide);
}

/* Writes a row of which columns may be blocked. SPEC: blocked columns are skipped, so they keep
 * their data, even if the other columns make an undefined row valid. */
static void put_dst_columns(struct tensix *tensix, const struct to_dst *how, unsigned row,
                            const uint32_t source[COLUMNS])
{
    const uint16_t blocked = tensix->vector.sets.blocked_moves;
    if (!blocked) {
        put_dst_row(tensix, how, row, source);
        return;
    }
    bool is_double = how->is_32bit || how->is_low || how->map.high_half;
    unsigned physical =
        is_double ? tensix_dst_physical32(how->map, row) : tensix_dst_physical16(how->map, row);
    uint16_t *high = tensix->dst.bits[physical], old_high[COLUMNS];
    uint16_t *low = is_double ? tensix->dst.bits[physical + TENSIX_DST_LOWER_HALF] : high;
    uint16_t old_low[COLUMNS];
    if (blocked == ALL_COLUMNS) {
        return;
    }
    memcpy(old_high, high, sizeof old_high);
    memcpy(old_low, low, sizeof old_low);
    put_dst_row(tensix, how, row, source);
    for (unsigned i = 0; i < COLUMNS; i++) {
        high[i] = blocked >> i & 1 ? old_high[i] : high[i];
        low[i] = blocked >> i & 1 ? old_low[i] : low[i];
    }
}

/*
 * SPEC: on Blackhole, moves take SrcA as TF32 while Fp32_enabled is set, and in INT8 math exponents
 * have 8 bits; `format` is what they would take it as. HW: to lower halves 16 bits go as they are,
 * Fp32_enabled or not: LLK moves UInt16 so, which ttsim takes too.
 *
 * Rows of Dst are marked as valid by the address that Fp32_enabled and INT8_math_enabled ask for,
 * so the width of what is written should agree with them. GUESS: where it does not the row that is
 * written is marked, as ttsim does; LLK's perf tests leave TF32 with a 16-bit Dst. HW: no doubt about
 * lower halves, for which LLK clears Fp32_enabled (issue 449 of tt-llk). Its older versions also set bit 11 of
 * DBG_FEATURE_DISABLE (`high_half`), with which there is only one address; its newer ones
 * (broadcast of 32-bit tiles, transpose of Dst) do not, and have written the upper halves before,
 * so that the row is valid already.
 */
static bool choose_to_dst(const struct tensix *tensix, unsigned thread, unsigned format, bool low,
                          struct to_dst *how, const char **rule)
{
    unsigned state = tensix_state_id(tensix, thread);
    bool has_dst32 = tensix_matrix_has_dst32(tensix, state);
    *how = (struct to_dst){
        .map = tensix_dst_map_now(tensix),
        .is_low = low,
        .flushes = !tensix_get_ALU_ACC_CTRL_Zero_Flag_disabled_src(tensix, state),
    };
    if (!tensix_get_FP16A_FORCE_Enable(tensix, thread)) {
        bool is_fp32 = tensix_get_ALU_ACC_CTRL_Fp32_enabled(tensix, state);
        how->is_32bit = format == NUM_FORMAT_TF32 || (is_fp32 && !low);
        how->is_wide = has_dst32 || num_matrix_style_of(format) != NUM_MATRIX_FP16;
    }
    if (how->is_32bit && low) {
        *rule = "TF32 with dest_32b_lo corrupts what is written (TEN-4245); configure another "
                "format of SrcA";
        return false;
    }
    if (!how->map.high_half && !low && how->is_32bit != has_dst32) {
        how->doubt = has_dst32
                         ? "16 bits to Dst while INT8_math_enabled or Fp32_enabled makes it 32 "
                           "bits may mark the wrong row valid; set DBG_FEATURE_DISABLE bit 11"
                         : "TF32 to a 16-bit Dst, which gets 32 bits, and perhaps the wrong row "
                           "marked valid; set Fp32_enabled";
    }
    return true;
}

static enum tensix_exec broken_rule(struct tensix *tensix, unsigned thread, const char *name,
                                    const char *rule)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED, "%s: %s", name, rule);
}

/* Tells of what is in doubt; TENSIX_STOP: nothing is to happen. */
static enum tensix_exec tell_doubt(struct tensix *tensix, unsigned thread, const char *name,
                                   const struct to_dst *how)
{
    return how->doubt ? tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_DOUBTFUL, "%s: %s", name,
                                     how->doubt)
                      : TENSIX_DONE;
}

static enum tensix_exec move_a_to_dst(struct tensix *tensix, unsigned thread, const char *name,
                                      const struct tensix_args_MOVA2D *args)
{
    unsigned state = tensix_state_id(tensix, thread);
    unsigned format = tensix_matrix_format_a(tensix, thread, state, TENSIX_SRC_A);
    unsigned rows = args->move_8_rows ? EIGHT_ROWS : 1;
    struct to_dst how;
    const char *rule;
    if (args->instr_mod & 1 || !tensix_matrix_is_format(format)) {
        return no_move(tensix, thread, name, args->instr_mod, format);
    }
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    if (!choose_to_dst(tensix, thread, format, args->use_dst32b_lo, &how, &rule)) {
        return broken_rule(tensix, thread, name, rule);
    }
    if (tell_doubt(tensix, thread, name, &how) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    unsigned row = tensix_matrix_dst_row(tensix, thread, state, args->dst_row);
    unsigned row_a = args->src_row + tensix->thread[thread].rwc.src_a;
    row &= TENSIX_DST_ROWS - rows;
    row_a &= TENSIX_SRC_FILE_ROWS - rows;
    tensix_matrix_touch_src(tensix, TENSIX_READS, TENSIX_SRC_A, row_a, rows);
    for (unsigned i = 0; i < rows; i++) {
        put_dst_columns(tensix, &how, row + i, tensix_matrix_src(tensix, TENSIX_SRC_A, row_a + i));
    }
    tensix->matrix.src_a_row = (uint8_t)row_a;
    return tensix_matrix_done(tensix, thread, 0, args->addr_mod);
}

TENSIX_EXEC(MOVA2D)
{
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_A)) {
        return tensix_matrix_stall(tensix, thread, TENSIX_SRC_A);
    }
    return move_a_to_dst(tensix, thread, "MOVA2D", args);
}

/* MOVA2D that waits for no bank. GUESS, as for MOVD2A and MOVD2B: a bank that the unpackers have
 * implies the format that it had, as in ttsim; the page says of silicon that it is
 * SFPU_DEST_FMT_Base, which nobody should rely on. */
TENSIX_EXEC(MOVDBGA2D)
{
    const struct tensix_args_MOVA2D same = tensix_decode_MOVA2D(args->word);
    const uint32_t row = tensix->matrix.src_a_row;
    enum tensix_exec result = move_a_to_dst(tensix, thread, "MOVDBGA2D", &same);
    tensix->matrix.src_a_row = row; /* SPEC: it is not among those that SHIFTXA follows */
    return result;
}

/* SPEC: the format is that of SrcA, which SrcB implies. */
static enum tensix_exec move_b_to_dst(struct tensix *tensix, unsigned thread, const char *name,
                                      const struct tensix_args_MOVB2D *args)
{
    unsigned state = tensix_state_id(tensix, thread);
    unsigned format = tensix_matrix_format_a(tensix, thread, state, TENSIX_SRC_B);
    bool one_row = args->broadcast_1_row_to_8;
    unsigned rows = one_row ? EIGHT_ROWS : args->move_4_rows ? FOUR_ROWS : 1;
    uint32_t spread[COLUMNS];
    struct to_dst how;
    const char *rule;
    if (!tensix_matrix_is_format(format)) {
        return no_move(tensix, thread, name, 0, format);
    }
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    if (!choose_to_dst(tensix, thread, format, args->use_dst32b_lo, &how, &rule)) {
        return broken_rule(tensix, thread, name, rule);
    }
    if (tell_doubt(tensix, thread, name, &how) == TENSIX_STOP) {
        return TENSIX_STOP;
    }
    unsigned row = tensix_matrix_dst_row(tensix, thread, state, args->dst_row);
    unsigned row_b = args->src_row + tensix->thread[thread].rwc.src_b;
    row &= TENSIX_DST_ROWS - rows;
    row_b &= TENSIX_SRC_FILE_ROWS - (one_row ? 1 : rows);
    tensix_matrix_touch_src(tensix, TENSIX_READS, TENSIX_SRC_B, row_b, one_row ? 1 : rows);
    for (unsigned i = 0; i < rows; i++) {
        const uint32_t *data = tensix_matrix_src(tensix, TENSIX_SRC_B, row_b + (one_row ? 0 : i));
        for (unsigned column = 0; args->broadcast_col0 && column < COLUMNS; column++) {
            spread[column] = data[0];
        }
        put_dst_columns(tensix, &how, row + i, args->broadcast_col0 ? spread : data);
    }
    tensix->matrix.src_a_row = tensix->thread[thread].rwc.src_a & 0x3f; /* GUESS: see SHIFTXA */
    return tensix_matrix_done(tensix, thread, 0, args->addr_mod);
}

TENSIX_EXEC(MOVB2D)
{
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_B)) {
        return tensix_matrix_stall(tensix, thread, TENSIX_SRC_B);
    }
    return move_b_to_dst(tensix, thread, "MOVB2D", args);
}

/* MOVB2D that waits for no bank, by assembly.yaml. GUESS: in all else it is to MOVB2D what MOVDBGA2D
 * is to MOVA2D. */
TENSIX_EXEC(MOVDBGB2D)
{
    const struct tensix_args_MOVB2D same = tensix_decode_MOVB2D(args->word);
    const uint32_t row = tensix->matrix.src_a_row;
    enum tensix_exec result = move_b_to_dst(tensix, thread, "MOVDBGB2D", &same);
    tensix->matrix.src_a_row = row;
    return result;
}

/* --- From Dst --- */

enum half { WHOLE, UPPER, LOWER };

/* How rows of Dst get to Src. */
struct from_dst {
    struct tensix_dst_map map;
    enum num_matrix_style style;
    enum half half; /* WHOLE: of Dst16b */
};

static void widen_row(enum num_matrix_style style, const uint16_t half[COLUMNS],
                      uint32_t src[COLUMNS])
{
    if (style == NUM_MATRIX_FP16) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            src[i] = num_src_from_dst_fp16(half[i]);
        }
    } else {
        for (unsigned i = 0; i < COLUMNS; i++) {
            src[i] = num_src_from_dst_bf16(half[i]);
        }
    }
}

/* Undefined rows are zeros. SPEC: of the lower half TF32 takes what it has no place for. */
static void get_src_row(const struct tensix *tensix, const struct from_dst *how, unsigned row,
                        uint32_t src[COLUMNS])
{
    uint32_t wide[COLUMNS];
    uint16_t half[COLUMNS];
    unsigned shift = how->half == LOWER ? 0 : 16;
    if (how->half == WHOLE) {
        tensix_dst_read_row16(&tensix->dst, how->map, row, TENSIX_DST_READS_ZERO, half);
        widen_row(how->style, half, src);
        return;
    }
    tensix_dst_read_row32(&tensix->dst, how->map, row, TENSIX_DST_READS_ZERO, wide);
    if (how->style != NUM_MATRIX_TF32) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            half[i] = (uint16_t)(wide[i] >> shift);
        }
        widen_row(how->style, half, src);
        return;
    }
    for (unsigned i = 0; i < COLUMNS; i++) {
        src[i] = how->half == LOWER ? wide[i] & 0x1fff : num_src_from_dst_fp32(wide[i]);
    }
}

/*
 * SPEC: what Fp32_enabled and INT8_math_enabled make 32 bits is read as 32 bits; lower halves and
 * TF32 of 16 bits are undefined. HW: with DBG_FEATURE_DISABLE bit 11 (`high_half`) lower halves are
 * there all the same; LLK moves them so, with Fp32_enabled clear (issue 449 of tt-llk says that it
 * must be, where the page and ttsim have no such rule).
 */
static bool choose_from_dst(const struct tensix *tensix, unsigned thread, unsigned format, bool low,
                            struct from_dst *how, const char **rule)
{
    unsigned state = tensix_state_id(tensix, thread);
    bool is_forced = tensix_get_FP16A_FORCE_Enable(tensix, thread);
    bool is_32bit = !is_forced && tensix_matrix_has_dst32(tensix, state);
    *how = (struct from_dst){
        .map = tensix_dst_map_now(tensix),
        .style = is_forced ? NUM_MATRIX_FP16 : num_matrix_style_of(format),
        .half = low        ? LOWER
                : is_32bit ? UPPER
                           : WHOLE,
    };
    if (!is_32bit && how->style == NUM_MATRIX_TF32) {
        *rule = "TF32 from a 16-bit Dst, which has none; configure BF16, or Fp32_enabled";
        return false;
    }
    if (!is_32bit && low && !how->map.high_half) {
        *rule = "dest_32b_lo of a 16-bit Dst, which has no lower half; set Fp32_enabled, or "
                "DBG_FEATURE_DISABLE bit 11";
        return false;
    }
    return true;
}

/* What blocked columns hold takes the place of what they would get. */
static void keep_src_row(const struct tensix *tensix, enum tensix_src src, unsigned row,
                         uint32_t data[COLUMNS])
{
    const uint16_t blocked = tensix->vector.sets.blocked_moves;
    const uint32_t *old = tensix_matrix_src(tensix, src, row);
    for (unsigned i = 0; i < COLUMNS; i++) {
        data[i] = blocked >> i & 1 ? old[i] : data[i];
    }
}

/* SPEC: neither waits for its bank. */
static enum tensix_exec move_from_dst(struct tensix *tensix, unsigned thread, const char *name,
                                      enum tensix_src src, const struct tensix_args_MOVD2A *args)
{
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    unsigned state = tensix_state_id(tensix, thread);
    unsigned format = tensix_matrix_format_a(tensix, thread, state, src);
    unsigned rows = args->move_4_rows ? FOUR_ROWS : 1;
    struct from_dst how;
    const char *rule;
    if (args->instr_mod & 1 || !tensix_matrix_is_format(format)) {
        return no_move(tensix, thread, name, args->instr_mod, format);
    }
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    if (!choose_from_dst(tensix, thread, format, args->use_dst32b_lo, &how, &rule)) {
        return broken_rule(tensix, thread, name, rule);
    }
    unsigned row = tensix_matrix_dst_row(tensix, thread, state, args->dst_row);
    unsigned row_src = args->src_row + (src == TENSIX_SRC_A ? rwc->src_a : rwc->src_b);
    row &= TENSIX_DST_ROWS - rows;
    row_src &= TENSIX_SRC_FILE_ROWS - rows;
    for (unsigned i = 0; i < rows; i++) {
        uint32_t data[COLUMNS];
        get_src_row(tensix, &how, row + i, data);
        tensix_touch_dst(tensix, TENSIX_READS, how.half != WHOLE, row + i, 1);
        if (tensix->vector.sets.blocked_moves) {
            keep_src_row(tensix, src, row_src + i, data);
        }
        tensix_matrix_put_src(tensix, src, row_src + i, data);
    }
    tensix->matrix.src_a_row = (uint8_t)(src == TENSIX_SRC_A ? row_src : rwc->src_a & 0x3f);
    return tensix_matrix_done(tensix, thread, 0, args->addr_mod);
}

TENSIX_EXEC(MOVD2A)
{
    return move_from_dst(tensix, thread, "MOVD2A", TENSIX_SRC_A, args);
}

/* SPEC: as MOVB2D, by the format of SrcA, which SrcB implies. */
TENSIX_EXEC(MOVD2B)
{
    const struct tensix_args_MOVD2A same = tensix_decode_MOVD2A(args->word);
    return move_from_dst(tensix, thread, "MOVD2B", TENSIX_SRC_B, &same);
}

/* --- Within Src --- */

/* Nothing is cut on Blackhole, whatever the format. It does not wait for the bank of SrcA. */
TENSIX_EXEC(MOVB2A)
{
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    bool flushes =
        !tensix_get_ALU_ACC_CTRL_Zero_Flag_disabled_src(tensix, tensix_state_id(tensix, thread));
    unsigned rows = args->move_4_rows ? FOUR_ROWS : 1;
    unsigned row_a = (args->src_a_row + rwc->src_a) & (TENSIX_SRC_FILE_ROWS - rows);
    unsigned row_b = (args->src_b_row + rwc->src_b) & (TENSIX_SRC_FILE_ROWS - rows);
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_B)) {
        return tensix_matrix_stall(tensix, thread, TENSIX_SRC_B);
    }
    if (args->instr_mod & 1) {
        return no_move(tensix, thread, "MOVB2A", args->instr_mod, 0);
    }
    for (unsigned i = 0; i < rows; i++) {
        const uint32_t *data = tensix_matrix_src(tensix, TENSIX_SRC_B, row_b + i);
        uint32_t flushed[COLUMNS];
        flush_row(data, flushed);
        tensix_matrix_put_src(tensix, TENSIX_SRC_A, row_a + i, flushes ? flushed : data);
    }
    tensix->matrix.src_a_row = (uint8_t)row_a;
    return tensix_matrix_done(tensix, thread, 0, args->addr_mod);
}

/* Rows 16 to 31. A soft reset holds all columns of SrcB or none, so it has nothing to say here. */
TENSIX_EXEC(TRNSPSRCB)
{
    enum { FIRST = 16 };
    (void)args;
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_B)) {
        return tensix_matrix_stall(tensix, thread, TENSIX_SRC_B);
    }
    unsigned bank = tensix->src[TENSIX_SRC_B].matrix_bank;
    uint32_t(*matrix)[COLUMNS] = &tensix->src_file[TENSIX_SRC_B].bank[bank][FIRST];
    tensix_matrix_touch_src(tensix, TENSIX_WRITES, TENSIX_SRC_B, FIRST, COLUMNS);
    for (unsigned i = 0; i < COLUMNS; i++) {
        for (unsigned j = 0; j < i; j++) {
            uint32_t below = matrix[i][j];
            matrix[i][j] = matrix[j][i];
            matrix[j][i] = below;
        }
    }
    return TENSIX_DONE;
}

/* One column to the right (away from column 0) or to the left, a zero following. */
static void shift_columns(const uint32_t from[COLUMNS], bool right, uint32_t to[COLUMNS])
{
    memcpy(to + right, from + !right, (COLUMNS - 1) * sizeof *to);
    to[right ? 0 : COLUMNS - 1] = 0;
}

/* HW: it cannot say which 16 rows it reads: it takes those of the last instruction that had a row
 * of SrcA. GUESS: for MOVB2D and MOVD2B, which name none, that is the counter's. */
TENSIX_EXEC(SHIFTXA)
{
    enum { ROWS = 16, RIGHT = 2 };
    unsigned first = tensix->matrix.src_a_row & 0x30;
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_A)) {
        return tensix_matrix_stall(tensix, thread, TENSIX_SRC_A);
    }
    if (args->direction < RIGHT) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "SHIFTXA: shift mode %u is reserved: 2 shifts right, 3 left",
                            args->direction);
    }
    for (unsigned i = 0; i < ROWS; i++) {
        uint32_t data[COLUMNS];
        shift_columns(tensix_matrix_src(tensix, TENSIX_SRC_A, first + i), args->direction == RIGHT,
                      data);
        tensix_matrix_put_src(tensix, TENSIX_SRC_A, i, data);
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(SHIFTXB)
{
    unsigned row = (args->src_row + tensix->thread[thread].rwc.src_b) & (TENSIX_SRC_FILE_ROWS - 1);
    uint32_t data[COLUMNS];
    if (!tensix_src_matrix_may(tensix, TENSIX_SRC_B)) {
        return tensix_matrix_stall(tensix, thread, TENSIX_SRC_B);
    }
    const uint32_t *source = tensix_matrix_src(tensix, TENSIX_SRC_B, row);
    shift_columns(source, false, data);
    if (!args->shift_in_zero) {
        data[COLUMNS - 1] = source[0];
    }
    tensix_matrix_put_src(tensix, TENSIX_SRC_B, row, data);
    return tensix_matrix_done(tensix, thread, 0, args->addr_mod);
}
