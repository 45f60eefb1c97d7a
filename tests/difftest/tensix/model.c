/* The model of what is accepted: configuration, counters, and the way to the rules of rows. */
#include "model.h"

#include <string.h>

#include "expand.h"
#include "model_internal.h"

enum { X, Y, Z, W };

static const uint32_t adc_mask[XYZW] = {0x3ffff, 0x1fff, 0xff, 0xff};

void model_init(struct model *model)
{
    memset(model, 0, sizeof *model);
    for (unsigned src = 0; src < SRCS; src++) {
        for (unsigned bank = 0; bank < 2; bank++) {
            model->src[src].bank[bank].narrow = UINT64_MAX;
        }
    }
}

unsigned model_src_format(const struct model *m, unsigned thread, unsigned src)
{
    static const enum tensix_field_id disabled[SRCS] = {TENSIX_FIELD_DISABLE_IMPLIED_SRCA_FMT_Base,
                                                        TENSIX_FIELD_DISABLE_IMPLIED_SRCB_FMT_Base};
    static const enum tensix_field_id configured[SRCS] = {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA,
                                                          TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB};
    const struct model_src *at = &m->src[src];
    return thread_field(m, thread, disabled[src]) ? config_field(m, thread, configured[src])
                                                  : at->bank[at->matrix].format;
}

bool model_is_remapped(const struct model *m)
{
    return m->config[0][TENSIX_WORD_DEST_ACCESS_CFG_remap_addrs] & 3;
}

/* --- Configuration --- */

static bool write_config(struct model *m, unsigned state, unsigned word, uint32_t value)
{
    if (word >= CONFIG_WORDS || config_words[word].access == WORD_NONE ||
        config_words[word].access == WORD_RO) {
        return false;
    }
    const struct config_word *row = &config_words[word];
    if (value & ~row->legal) {
        return false;
    }
    bool is_global = row->access == WORD_GLOBAL || word >= 180;
    m->config[state][word] = value;
    if (is_global) {
        m->config[!state][word] = value;
    }
    if (word == TENSIX_WORD_PACK_COUNTERS_SEC0_pack_per_xy_plane && !m->in_tile) {
        m->pack_position = 0;
    }
    return true;
}

static bool setc16(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_SETC16 args = tensix_decode_SETC16(word);
    static const struct {
        uint8_t first, last;
    } known[] = {{0, 3}, {5, 5}, {7, 7}, {12, 19}, {28, 35}, {37, 41}, {47, 54}};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (args.cfg_index >= known[i].first && args.cfg_index <= known[i].last) {
            m->thread_config[thread][args.cfg_index] = (uint16_t)args.new_value;
            return true;
        }
    }
    return false;
}

static bool wrcfg(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_WRCFG args = tensix_decode_WRCFG(word);
    return !args.is_128bit &&
           write_config(m, state_of(m, thread), args.cfg_index, m->gpr[thread][args.input_reg]);
}

/* --- ADCs --- */

static void set_adc(struct model_adc *adc, unsigned i, uint32_t value)
{
    adc->at[i] = adc->cr[i] = value & adc_mask[i];
}

/* The channels that a mask of SETADC... instructions selects, one after the other. */
static struct model_adc *selected(struct model *m, unsigned thread, unsigned mask, unsigned unit,
                                  unsigned channel)
{
    return mask >> unit & 1 ? &m->counters[thread].adc[unit][channel] : NULL;
}

static bool setadc(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_SETADC args = tensix_decode_SETADC(word);
    for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
        struct model_adc *adc = selected(m, thread, args.cnt_set_mask, unit, args.channel);
        if (adc) {
            set_adc(adc, args.xyzw, args.value);
        }
    }
    return args.cnt_set_mask && !args.thread_override;
}

static bool setadcxx(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_SETADCXX args = tensix_decode_SETADCXX(word);
    for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
        struct model_adc *adc = selected(m, thread, args.cnt_set_mask, unit, 0);
        if (adc) {
            set_adc(&adc[0], X, args.x0_val);
            set_adc(&adc[1], X, args.x1_val);
        }
    }
    return args.cnt_set_mask;
}

/* SETADCXY and the others have the same operands: for X and Y, or Z and W, of both channels. */
struct four {
    uint32_t units, bits;
    uint32_t value[4]; /* channel 0: first, second; channel 1: first, second */
};

static struct four four_of(uint32_t word)
{
    struct tensix_args_SETADCXY args = tensix_decode_SETADCXY(word);
    return (struct four){
        args.cnt_set_mask, args.bit_mask, {args.x0_val, args.y0_val, args.x1_val, args.ch1_y & 7}};
}

enum four_kind { FOUR_SET, FOUR_INCREMENT, FOUR_CR };

static bool change_four(struct model *m, unsigned thread, uint32_t word, enum four_kind kind,
                        unsigned first)
{
    struct four four = four_of(word);
    for (unsigned i = 0; i < ADC_UNITS * 4; i++) {
        struct model_adc *adc = selected(m, thread, four.units, i / 4, i / 2 % 2);
        unsigned axis = first + i % 2;
        uint32_t value = four.value[i % 4];
        if (!adc || (kind != FOUR_INCREMENT && !(four.bits >> i % 4 & 1))) {
            continue;
        }
        if (kind == FOUR_SET) {
            set_adc(adc, axis, value);
        } else if (kind == FOUR_CR) {
            set_adc(adc, axis, adc->cr[axis] + value);
        } else {
            adc->at[axis] = (adc->at[axis] + value) & adc_mask[axis];
        }
    }
    return four.units && (kind == FOUR_INCREMENT || four.bits);
}

/* --- RWCs --- */

static bool apply_rwc(struct model_rwc *rwc, uint32_t step, bool clear, bool cr, bool to_cr,
                      uint32_t rows)
{
    if (to_cr && (clear || cr)) {
        return false;
    }
    if (clear) {
        rwc->at = rwc->cr = 0;
    } else if (cr) {
        rwc->at = rwc->cr = (rwc->cr + step) & (rows - 1);
    } else {
        rwc->at = (rwc->at + step) & (rows - 1);
        rwc->cr = to_cr ? rwc->at : rwc->cr;
    }
    return true;
}

bool model_apply_modifier(struct model *m, unsigned thread, unsigned number)
{
    uint32_t ab = m->thread_config[thread][TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + number];
    uint32_t dst = m->thread_config[thread][TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + number];
    uint32_t bias = m->thread_config[thread][TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + number];
    struct model_counters *c = &m->counters[thread];
    for (unsigned src = 0; src < SRCS; src++) {
        uint32_t bits = ab >> 8 * src;
        apply_rwc(&c->src[src], bits & 63, bits >> 7 & 1, bits >> 6 & 1, false, MODEL_SRC_ROWS);
    }
    bool ok = apply_rwc(&c->dst, dst & 0x3ff, dst >> 11 & 1, dst >> 10 & 1, dst >> 12 & 1,
                        MODEL_DST_ROWS);
    c->fidelity = dst >> 15 & 1 ? 0 : (c->fidelity + (dst >> 13)) & 3;
    return ok && !bias;
}

bool model_flip(struct model *m, unsigned thread, bool flip_a, bool flip_b)
{
    static const enum tensix_field_id keeps[SRCS] = {TENSIX_FIELD_CLR_DVALID_SrcA_Disable,
                                                     TENSIX_FIELD_CLR_DVALID_SrcB_Disable};
    bool flips[SRCS] = {flip_a, flip_b};
    for (unsigned src = 0; src < SRCS; src++) {
        struct model_src *at = &m->src[src];
        if (!flips[src]) {
            continue;
        }
        if (!thread_field(m, thread, keeps[src])) {
            if (!at->bank[at->matrix].valid) {
                return false;
            }
            at->bank[at->matrix].valid = false;
        }
        at->matrix ^= 1;
    }
    return true;
}

static bool setrwc(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_SETRWC args = tensix_decode_SETRWC(word);
    struct model_counters *c = &m->counters[thread];
    uint32_t value[SRCS] = {args.src_a_val, args.src_b_val};
    for (unsigned src = 0; src < SRCS; src++) {
        bool set = args.bit_mask >> src & 1, cr = args.rwc_cr >> src & 1;
        if (cr && !set) {
            return false;
        }
        if (set) {
            uint32_t at = (cr ? c->src[src].cr : 0) + value[src];
            c->src[src].at = c->src[src].cr = at & (MODEL_SRC_ROWS - 1);
        }
    }
    if (args.dst) {
        uint32_t at = (args.dst_cr ? c->dst.cr : 0) + args.dst_val;
        c->dst.at = c->dst.cr = at & (MODEL_DST_ROWS - 1);
    }
    c->fidelity = args.fidelity ? 0 : c->fidelity;
    return !args.dst_c_to_cr && model_flip(m, thread, args.flip_src_a, args.flip_src_b);
}

static bool incrwc(struct model *m, unsigned thread, uint32_t word)
{
    struct tensix_args_INCRWC args = tensix_decode_INCRWC(word);
    struct model_counters *c = &m->counters[thread];
    uint32_t value[SRCS] = {args.src_a_inc, args.src_b_inc};
    for (unsigned src = 0; src < SRCS; src++) {
        c->src[src].at = (c->src[src].at + value[src]) & (MODEL_SRC_ROWS - 1);
    }
    apply_rwc(&c->dst, args.dst_inc, false, args.dst_cr, false, MODEL_DST_ROWS);
    return args.rwc_cr == 0 || args.rwc_cr == 4;
}

/* --- All rows --- */

bool model_execute(struct model *m, unsigned thread, uint32_t word)
{
    int row = tensix_find(word);
    switch (row) {
    case TENSIX_ROW_SETC16:
        return setc16(m, thread, word);
    case TENSIX_ROW_WRCFG:
        return wrcfg(m, thread, word);
    case TENSIX_ROW_SETADC:
        return setadc(m, thread, word);
    case TENSIX_ROW_SETADCXX:
        return setadcxx(m, thread, word);
    case TENSIX_ROW_SETADCXY:
        return change_four(m, thread, word, FOUR_SET, X);
    case TENSIX_ROW_SETADCZW:
        return change_four(m, thread, word, FOUR_SET, Z);
    case TENSIX_ROW_INCADCXY:
        return change_four(m, thread, word, FOUR_INCREMENT, X);
    case TENSIX_ROW_INCADCZW:
        return change_four(m, thread, word, FOUR_INCREMENT, Z);
    case TENSIX_ROW_ADDRCRXY:
        return change_four(m, thread, word, FOUR_CR, X);
    case TENSIX_ROW_ADDRCRZW:
        return change_four(m, thread, word, FOUR_CR, Z);
    case TENSIX_ROW_SETRWC:
        return setrwc(m, thread, word);
    case TENSIX_ROW_INCRWC:
        return incrwc(m, thread, word);
    case TENSIX_ROW_UNPACR:
        return model_unpacr(m, thread, word);
    case TENSIX_ROW_UNPACR_NOP_ZEROSRC:
        return model_unpacr_nop(m, thread, word);
    case TENSIX_ROW_PACR:
        return model_pacr(m, thread, word);
    case TENSIX_ROW_SEMINIT:
        return true;
    case TENSIX_ROW_SEMPOST:
        m->vector.posted = true;
        return true;
    case TENSIX_ROW_SEMWAIT:
        m->vector.ready[thread] = m->vector.posted;
        return true;
    case TENSIX_ROW_REPLAY: /* what they play comes by itself */
    case TENSIX_ROW_MOP:
    case TENSIX_ROW_DMANOP:
        return true;
    default:
        return row >= 0 && tensix_row_infos[row].unit == TENSIX_UNIT_VECTOR
                   ? model_vector(m, thread, (unsigned)row, word)
                   : model_matrix(m, thread, row, word);
    }
}

bool model_step(struct model *m, const struct step *step)
{
    switch (step->kind) {
    case STEP_PUSH:
    case STEP_STORE:
        return model_execute(m, step->thread, step->word);
    case STEP_GPR:
        m->gpr[step->thread][step->number % GPRS] = step->word;
        return true;
    case STEP_CONFIG:
        return write_config(m, 0, step->number, step->word);
    case STEP_FILL:
    case STEP_SYNC:
    case STEP_MOP:
        return true;
    case STEP_SEMAPHORE:
    case STEP_SAMPLE:
    case STEP_KINDS:
        break;
    }
    return false;
}

struct follower {
    struct model *model;
    const struct program *program;
    uint32_t next; /* steps up to here are done */
    bool ok;
};

/* What harts do between the instructions. */
static void follow_harts(struct follower *f, uint32_t behind)
{
    for (; f->next < behind; f->next++) {
        const struct step *step = &f->program->step[f->next];
        f->ok = f->ok && (step_is_push(step) || model_step(f->model, step));
    }
}

static void follow(void *context, uint32_t number, uint8_t thread, uint32_t word)
{
    struct follower *f = context;
    follow_harts(f, number);
    f->ok = f->ok && model_execute(f->model, thread, word);
}

bool model_accepts(struct model *model, const struct program *program)
{
    struct follower f = {.model = model, .program = program, .ok = true};
    model_init(model);
    bool sound = program_expand(program, follow, &f);
    follow_harts(&f, program->steps);
    return sound && f.ok && !model->in_tile;
}
