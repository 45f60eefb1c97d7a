#include "epilogue.h"

#include <stdarg.h>
#include <stdlib.h>

#include "generate.h"
#include "model_internal.h"

enum { X_STRIDE16 = 2, X_STRIDE32 = 4, ROW_SIZE = 16, PACKED_ROWS = 4, PACKER = 4 };
enum { SRC_BANK_ROWS = 64, BOTH_KEPT = 3, HEAD = 64 };

static void add(struct program *to, enum step_kind kind, unsigned number, uint32_t word)
{
    program_add(to, (struct step){.kind = kind, .number = (uint16_t)number, .word = word});
}

static void push(struct program *to, uint32_t word)
{
    add(to, STEP_PUSH, 0, word);
}

static void set16(struct program *to, unsigned index, uint32_t value)
{
    push(to,
         instruction(TENSIX_ROW_SETC16, "cfg_index", (uint32_t)index, "new_value", value, NULL));
}

static void clear_counters(struct program *to)
{
    push(to, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", UINT32_C(3), NULL));
    push(to, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", (uint32_t)PACKER, "x1_val",
                         (uint32_t)(ROW_SIZE - 1), NULL));
    push(to, instruction(TENSIX_ROW_SETADCXY, "cnt_set_mask", UINT32_C(7), "bit_mask", UINT32_C(10),
                         NULL));
    push(to, instruction(TENSIX_ROW_SETADCZW, "cnt_set_mask", UINT32_C(7), "bit_mask", UINT32_C(15),
                         NULL));
}

/* --- Dst --- */

static void pack(struct program *to, unsigned format, bool wide, uint32_t address, unsigned rows)
{
    uint32_t stride = wide ? X_STRIDE32 : X_STRIDE16;
    enum { FP32_ENABLED = 29, WITHOUT_COMPRESSION = 1, NO_EDGES = 0xffff, READS = 16 << 8 };
    const uint32_t words[][2] = {
        {1, format << 25 | (uint32_t)FORMAT_TF32 << 17 | (uint32_t)FORMAT_TF32 << 21 |
                (uint32_t)wide << FP32_ENABLED},
        {0, 0}, /* no formats that override others */
        {2, 1}, /* SrcA and SrcB keep denormals; no ReLU */
        {12, stride | ROW_SIZE * stride << 16},
        {13, 0},
        {14, 0},
        {17, 0},
        {18, wide},
        {20, 0},
        {21, 0},
        {24, NO_EDGES},
        {25, NO_EDGES},
        {28, READS},
        {68, 0},
        {69, address / 16 - 1},
        {70, WITHOUT_COMPRESSION | format << 4 | format << 8},
        {71, 0},
        {180, 0},
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        add(to, STEP_CONFIG, words[i][0], words[i][1]);
    }
    clear_counters(to);
    for (unsigned row = 0; row < rows; row += PACKED_ROWS) {
        uint32_t last = row + PACKED_ROWS >= rows;
        push(to, instruction(TENSIX_ROW_PACR, "last", last, NULL));
    }
}

/* --- Src --- */

static void prepare_unpackers(struct program *to)
{
    enum { PLAIN = 0x10, ONE_ROW = 16 << 16 };
    const uint32_t words[][2] = {
        {64, FORMAT_BF16 | PLAIN | ONE_ROW},
        {112, FORMAT_BF16 | PLAIN | ONE_ROW},
        {65, 1},
        {113, 1},
        {50, 0},
        {56, 0},
        {57, 0},
        {59, 0},
        {72, FORMAT_BF16},
        {120, FORMAT_BF16},
        {73, 1},
        {121, 1},
        {76, SCENE_ZERO / 16 - 1},
        {124, SCENE_ZERO / 16 - 1},
        {84, HEAD},
        {86, ROW_SIZE},
        {92, 0},
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        add(to, STEP_CONFIG, words[i][0], words[i][1]);
    }
    set16(to, TENSIX_WORD_SRCA_SET_SetOvrdWithAddr, 4);
    set16(to, TENSIX_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, 0);
}

static void fill_bank(struct program *to, struct model_src *src, unsigned which)
{
    push(to, instruction(TENSIX_ROW_UNPACR, "which_unpacker", (uint32_t)which, "multi_context_mode",
                         UINT32_C(1), "flip_src", UINT32_C(1), "last", UINT32_C(1), NULL));
    src->bank[src->unpack].valid = true;
    src->unpack ^= 1;
}

/* Goes to the other bank without giving this one back. */
static void flip(struct program *to, struct model_src *src, unsigned which)
{
    push(to, instruction(TENSIX_ROW_SETRWC, "clear_ab_vld", UINT32_C(1) << which, NULL));
    src->matrix ^= 1;
}

/* Both banks become the Matrix Unit's, whatever the scene left. */
static void take_banks(struct program *to, struct model_src *src, unsigned which)
{
    if (src->bank[src->unpack].valid && !src->bank[!src->unpack].valid) {
        /* The unpacker waits for a bank that is full, while the other is empty. */
        if (src->matrix != src->unpack) {
            flip(to, src, which);
        }
        push(to, instruction(TENSIX_ROW_CLEARDVALID, "clear_dvalid", UINT32_C(1) << which, NULL));
        src->bank[src->matrix].valid = false;
        src->matrix ^= 1;
    }
    for (unsigned i = 0; i < 2 && !src->bank[src->unpack].valid; i++) {
        fill_bank(to, src, which);
    }
    if (src->matrix != 0) {
        flip(to, src, which);
    }
}

static void move_banks(struct program *to, struct model_src *src, unsigned which)
{
    for (unsigned bank = 0; bank < 2; bank++) {
        uint32_t base = (2 * which + bank) * SRC_BANK_ROWS, rows = which == SRC_A ? 8 : 4;
        for (uint32_t row = 0; row < SRC_BANK_ROWS; row += rows) {
            push(to, which == SRC_A ? instruction(TENSIX_ROW_MOVA2D, "src_row", row, "instr_mod",
                                                  UINT32_C(2), "dst_row", base + row, NULL)
                                    : instruction(TENSIX_ROW_MOVB2D, "src_row", row, "instr_mod",
                                                  UINT32_C(4), "dst_row", base + row, NULL));
        }
        flip(to, src, which);
    }
}

static void prepare_matrix(struct program *to)
{
    static const uint8_t zero[] = {
        TENSIX_WORD_DEST_TARGET_REG_CFG_MATH_Offset, TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr,
        TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr, TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr};
    for (unsigned i = 0; i < sizeof zero; i++) {
        set16(to, zero[i], 0);
    }
    set16(to, TENSIX_WORD_DISABLE_IMPLIED_SRCA_FMT_Base, 1);
    set16(to, TENSIX_WORD_DISABLE_IMPLIED_SRCB_FMT_Base, 1);
    set16(to, TENSIX_WORD_CLR_DVALID_SrcA_Disable, BOTH_KEPT);
    push(to, instruction(TENSIX_ROW_SETRWC, "bit_mask", UINT32_C(15), NULL));
    add(to, STEP_CONFIG, 1,
        (uint32_t)FORMAT_TF32 << 17 | (uint32_t)FORMAT_TF32 << 21 | UINT32_C(1) << 29);
}

void epilogue_build(struct program *to, const struct program *scene)
{
    struct model *model = malloc(sizeof *model);
    program_init(to);
    if (!model) {
        to->ok = false;
        return;
    }
    model_accepts(model, scene);
    set16(to, TENSIX_WORD_CFG_STATE_ID_StateID, 0);
    set16(to, TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr, PACKED_ROWS);
    if (scene->vector) {
        prepare_matrix(to);
        epilogue_vector(to, model);
        pack(to, FORMAT_INT32, true, SCENE_DST, MODEL_DST32_ROWS);
        free(model);
        return;
    }
    if (model_is_remapped(model)) {
        pack(to, FORMAT_INT32, true, SCENE_DST, MODEL_DST32_ROWS);
    } else {
        pack(to, FORMAT_INT16, false, SCENE_DST, MODEL_DST_ROWS);
    }
    prepare_unpackers(to);
    prepare_matrix(to);
    for (unsigned which = 0; which < SRCS; which++) {
        take_banks(to, &model->src[which], which);
        move_banks(to, &model->src[which], which);
    }
    pack(to, FORMAT_INT32, true, SCENE_SRC, 2 * SRCS * SRC_BANK_ROWS);
    free(model);
}

bool epilogue_is_wide(const struct program *scene)
{
    struct model *model = malloc(sizeof *model);
    bool wide = model && (model_accepts(model, scene), model_is_remapped(model));
    free(model);
    return wide;
}

struct epilogue_region epilogue_region(const struct program *program)
{
    return program->vector  ? (struct epilogue_region){SCENE_DST, SCENE_DST_BYTES}
           : program->scene ? (struct epilogue_region){SCENE_OUT, SCENE_BYTES}
                            : (struct epilogue_region){0, 0};
}

void epilogue_name(uint32_t word, bool wide, char *name, size_t size)
{
    enum { DST_AT = SCENE_OUT_BYTES / 4, SRC_AT = DST_AT + SCENE_DST_BYTES / 4 };
    if (word < DST_AT) {
        snprintf(name, size, "l1[0x%x]", (unsigned)(SCENE_OUT + 4 * word));
    } else if (word < SRC_AT && wide) {
        snprintf(name, size, "dst32[%u][%u]", (unsigned)((word - DST_AT) / ROW_SIZE),
                 (unsigned)((word - DST_AT) % ROW_SIZE));
    } else if (word < SRC_AT) {
        uint32_t datum = 2 * (word - DST_AT);
        snprintf(name, size, "dst[%u][%u,%u]", (unsigned)(datum / ROW_SIZE),
                 (unsigned)(datum % ROW_SIZE + 1), (unsigned)(datum % ROW_SIZE));
    } else {
        uint32_t datum = word - SRC_AT, row = datum / ROW_SIZE;
        snprintf(name, size, "src_%c[%u][%u][%u]", row / SRC_BANK_ROWS / 2 ? 'b' : 'a',
                 (unsigned)(row / SRC_BANK_ROWS % 2), (unsigned)(row % SRC_BANK_ROWS),
                 (unsigned)(datum % ROW_SIZE));
    }
}
