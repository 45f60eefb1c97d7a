/* The start of a program of the Vector Unit: data, modifiers, LRegs; and changes on its way. */
#include "data.h"
#include "model_internal.h"
#include "scene.h"
#include "vector.h"

enum {
    DATA_BYTES_IN_ALL = VECTOR_DATA_SLOTS * VECTOR_LANES * 4,
    CHUNKS = 8,
    CHUNK_BYTES = DATA_BYTES_IN_ALL / CHUNKS,
    COMPACT_BYTES = 4 * VECTOR_LANES * 4,
    MODIFIERS = 8,
    GENERATOR_SEED = 186, /* PRNG_SEED */
};

#define PICK(g, table) ((table)[below((g), sizeof(table) / sizeof((table)[0]))])

static uint32_t bits32(struct generator *g)
{
    return (uint32_t)(random_next(&g->random) >> 32);
}

static void add_steps(struct generator *g, enum step_kind kind, unsigned number, uint32_t word)
{
    struct scene *s = g->scene;
    struct step step = {
        .kind = kind, .thread = (uint8_t)s->thread, .number = (uint16_t)number, .word = word};
    add_step(g, s->thread, kind, number, word);
    model_step(&s->model, &step);
}

/* --- Data --- */

static void fill(struct generator *g)
{
    uint32_t pool = bits32(g) << 8; /* the same values in several chunks */
    uint32_t bytes = g->scene->compact ? COMPACT_BYTES : CHUNK_BYTES;
    unsigned chunks = g->scene->compact ? 1 : CHUNKS;
    for (unsigned i = 0; i < chunks; i++) {
        struct data_place place = {SCENE_INPUT + i * bytes, bytes};
        unsigned style = below(g, DATA_STYLES);
        program_add(g->program,
                    (struct step){.kind = STEP_FILL,
                                  .number = (uint16_t)(DATA_WORDS * DATA_STYLES + style),
                                  .word = data_pack_place(place),
                                  .seed = pool | i});
    }
}

/* The data go to Dst by UNPACR, as they are. */
static void unpack(struct generator *g)
{
    enum { PLAIN = 0x10, HEAD = 64, DST_BASE = 64 };
    struct scene *s = g->scene;
    uint32_t data = (s->compact ? COMPACT_BYTES : DATA_BYTES_IN_ALL) / 4;
    s->want[64] = FORMAT_INT32 | PLAIN | data << 16;
    s->want[65] = 1;
    s->want[84] = HEAD;
    s->want[220] = (s->strided ? 3u : 0) | (uint32_t)once_in(g, 4) << 3;
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx0, data);
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Out_data_format, FORMAT_INT32);
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1);
    scene_plan(s, TENSIX_FIELD_THCON_SEC0_REG3_Base_address, SCENE_INPUT / 16 - 1);
    scene_flush(g);
    struct batch batch = {.words = 0};
    batch_add(&batch, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", UINT32_C(1), "x1_val",
                                  data - 1, NULL));
    batch_add(&batch, instruction(TENSIX_ROW_UNPACR, "multi_context_mode", UINT32_C(1), "last",
                                  UINT32_C(1), NULL));
    for (unsigned i = 0; i < batch.words; i++) { /* one by one, never replayed */
        if (!scene_try_word(g, batch.word[i])) {
            g->program->ok = false;
        }
    }
    add_steps(g, STEP_SYNC, 0, 0);
}

/* --- Configuration --- */

static void set_modifier(struct generator *g, unsigned number)
{
    static const uint16_t steps[] = {0, 2, 2, 4, 8, 16, 64, 1022, 1020, 512};
    enum { CR = 1 << 10, CLEAR = 1 << 11, TO_CR = 1 << 12 };
    uint32_t kind = below(g, 8), dst = PICK(g, steps), ab = bits32(g) & 0xffff;
    dst |= kind == 0 ? CLEAR : kind == 1 ? CR : kind == 2 ? TO_CR : 0;
    scene_set16(g, TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + number, dst | below(g, 8) << 13);
    scene_set16(g, TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + number, ab);
}

static void set_formats(struct generator *g)
{
    static const uint8_t formats[] = {FORMAT_FP32,  FORMAT_BF16, FORMAT_BFP8, FORMAT_BFP4,
                                      FORMAT_INT16, FORMAT_FP16, FORMAT_FP16, FORMAT_BFP2};
    unsigned format = PICK(g, formats);
    scene_plan(g->scene, TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB, format);
    scene_plan(g->scene, TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled, once_in(g, 3));
    scene_flush(g);
}

static void seed_generator(struct generator *g)
{
    uint32_t seed = random_bits(&g->random, 32);
    if (once_in(g, 2)) {
        add_steps(g, STEP_CONFIG, GENERATOR_SEED, seed);
        return;
    }
    uint32_t gpr = below(g, GPRS);
    add_steps(g, STEP_GPR, gpr, seed);
    scene_try_word(g, instruction(TENSIX_ROW_WRCFG, "input_reg", gpr, "cfg_index",
                                  (uint32_t)GENERATOR_SEED, NULL));
    add_steps(g, STEP_SYNC, 0, 0);
}

static void set_counters(struct generator *g)
{
    uint32_t bits = below(g, 16), row = 2 * below(g, 8);
    scene_try_word(g, instruction(TENSIX_ROW_SETRWC, "bit_mask", bits, "dst_val", row, NULL));
}

void vector_change_config(struct generator *g)
{
    static const uint16_t offsets[] = {0, 0, 2, 64, 512, 1022};
    switch (below(g, 6)) {
    case 0:
        seed_generator(g);
        break;
    case 1:
        scene_set16(g, TENSIX_WORD_DEST_TARGET_REG_CFG_MATH_Offset,
                    once_in(g, 2) ? PICK(g, offsets) : below(g, MODEL_DST_ROWS / 2) * 2);
        break;
    case 2:
        set_modifier(g, below(g, MODIFIERS));
        break;
    case 3:
        set_counters(g);
        break;
    default:
        set_formats(g);
    }
}

/* --- The start --- */

static void load_lregs(struct generator *g)
{
    unsigned count = g->scene->compact ? VECTOR_COMPACT_LREGS : 8;
    unsigned slots = g->scene->compact ? 4 : VECTOR_DATA_SLOTS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t address = vector_slot_row(below(g, slots));
        vector_try_word(g, instruction(TENSIX_ROW_SFPLOAD, "vd", i, "mod0", UINT32_C(4), "imm10",
                                       address, NULL));
    }
}

/* The unpacker's counters are T0's; any thread can go on from there. */
static void choose_thread(struct generator *g)
{
    struct scene *s = g->scene;
    s->thread = s->compact ? 0 : below(g, THREADS);
    if (s->thread) {
        const uint32_t first = UINT32_C(1);
        const struct {
            unsigned thread;
            uint32_t word;
        } steps[] = {
            {0, instruction(TENSIX_ROW_SEMINIT, "new_max", first, "semaphore_mask", first, NULL)},
            {0, instruction(TENSIX_ROW_SEMPOST, "semaphore_mask", first, NULL)},
            {s->thread, instruction(TENSIX_ROW_SEMWAIT, "block_mask", (uint32_t)ALL_BLOCKS,
                                    "semaphore_mask", first, "condition_mask", first, NULL)},
        };
        open_group(g);
        for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            add_step(g, steps[i].thread, STEP_PUSH, 0, steps[i].word);
            model_execute(&s->model, steps[i].thread, steps[i].word);
        }
        close_group(g);
    }
    s->state = once_in(g, 8);
    if (s->state) {
        scene_set16(g, TENSIX_WORD_CFG_STATE_ID_StateID, 1);
    }
}

void vector_plan_start(struct generator *g)
{
    struct scene *s = g->scene;
    fill(g);
    unpack(g);
    choose_thread(g);
    vector_try_word(g, instruction(TENSIX_ROW_SFPENCC, "mod1", UINT32_C(10), "imm2",
                                   once_in(g, 8) ? UINT32_C(2) : UINT32_C(3), NULL));
    load_lregs(g);
    if (!s->compact || once_in(g, 3)) {
        seed_generator(g);
        set_formats(g);
    }
    for (unsigned i = 0; i < MODIFIERS; i++) {
        if (once_in(g, s->compact ? 8 : 2)) {
            set_modifier(g, i);
        }
    }
}
