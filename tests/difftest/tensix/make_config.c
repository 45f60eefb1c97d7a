/* Makers of single instructions whose operands depend on who owns what. */
#include "generate.h"

enum { STATE_ID = 0, CLR_DVALID = 7, THREAD_WORD_BITS = 16 };

/* --- ThreadConfig --- */

/*
 * Words of ThreadConfig that the reference knows, and the bits that do no harm there: an address
 * modifier that the reference applies must not ask for a copy and a clear of the same counter, nor
 * for bias, and SRCA_SET_Base would shift where data goes.
 */
struct thread_word {
    uint8_t first, last;
    uint16_t legal;
};

static const struct thread_word thread_words[] = {
    {0, 0, 0xffff},   /* CFG_STATE_ID */
    {1, 1, 0x01ff},   /* DEST_TARGET_REG_CFG_MATH: within Dst */
    {2, 3, 0xffff},   /* DISABLE_IMPLIED_SRC*_FMT */
    {5, 5, 0x0004},   /* SRCA_SET */
    {7, 7, 0xffff},   /* CLR_DVALID */
    {12, 19, 0xffff}, /* ADDR_MOD_AB */
    {28, 35, 0xffff}, /* ADDR_MOD_DST; see below */
    {37, 41, 0xffff}, /* ADDR_MOD_PACK */
    {47, 54, 0x0000}, /* ADDR_MOD_BIAS */
};

enum {
    WORD_KINDS = sizeof thread_words / sizeof thread_words[0],
    FIRST_DST_MODIFIER = 28,
    LAST_DST_MODIFIER = 35,
    DST_CR = 1 << 10, /* bits of ADDR_MOD_DST */
    DST_CLEAR = 1 << 11,
    DST_C_TO_CR = 1 << 12,
};

static uint32_t thread_word_value(struct generator *g, unsigned index, uint32_t legal)
{
    uint32_t value = random_bits(&g->random, THREAD_WORD_BITS);
    if (g->options->free) {
        return value;
    }
    if (index >= FIRST_DST_MODIFIER && index <= LAST_DST_MODIFIER && value & DST_C_TO_CR) {
        value &= ~(uint32_t)(DST_CR | DST_CLEAR);
    }
    return value & legal;
}

static uint32_t setc16_word(struct generator *g, unsigned thread)
{
    const struct thread_word *kind = &thread_words[below(g, WORD_KINDS)];
    unsigned index = kind->first + below(g, kind->last - kind->first + 1u);
    if (g->options->free && once_in(g, 4)) {
        index = below(g, 256);
    }
    while (g->in_loop && index == CLR_DVALID) { /* SETRWC in the same loop depends on it */
        index = STATE_ID;
    }
    uint32_t value = thread_word_value(g, index, kind->legal);
    if (index == CLR_DVALID) {
        g->thread[thread].keeps_valid = value & 3;
    }
    return instruction(TENSIX_ROW_SETC16, "cfg_index", (uint32_t)index, "new_value", value, NULL);
}

bool make_setc16(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)rule;
    add_push(g, thread, setc16_word(g, thread));
    return true;
}

/* --- Words of Config --- */

uint32_t legal_bits(const struct generator *g, unsigned word)
{
    return config_words[word].legal | (g->options->unnamed ? config_words[word].unnamed : 0);
}

enum { CAN_READ = 1, CAN_WRITE = 2, ANY_VALUE = 4 };

static unsigned abilities(const struct generator *g, unsigned word)
{
    static const unsigned of_access[] = {
        [WORD_NONE] = 0,
        [WORD_RW] = CAN_READ | CAN_WRITE,
        [WORD_GLOBAL] = CAN_READ | CAN_WRITE,
        [WORD_WO] = CAN_WRITE,
        [WORD_RO] = CAN_READ,
        [WORD_SCRATCH] = CAN_WRITE,
        [WORD_SEED] = 0,
    };
    const struct config_word *row = &config_words[word];
    return of_access[row->access] | (legal_bits(g, word) == UINT32_MAX ? ANY_VALUE : 0);
}

/* A word of the thread that has all the abilities; -1: none was found. */
static int owned_word(struct generator *g, unsigned thread, unsigned wanted)
{
    if (g->options->free && once_in(g, 4)) {
        return (int)below(g, CONFIG_WORDS);
    }
    for (unsigned tries = 0; tries < 400; tries++) {
        unsigned word = below(g, CONFIG_WORDS);
        unsigned group = word / 4;
        if ((abilities(g, word) & wanted) == wanted && g->owner[group] == thread &&
            !(g->in_loop && g->owner_group[group])) {
            g->needs = g->owner_group[group];
            return (int)word;
        }
    }
    return -1;
}

enum { FIRST_SCRATCH = 209, OWN_SCRATCH = 3 };

static bool shiftmask_word(struct generator *g, unsigned thread, const struct rule *rule,
                           uint32_t *word)
{
    int index = owned_word(g, thread, CAN_READ | CAN_WRITE | ANY_VALUE);
    *word = rule_word(g->rules, rule, &g->random);
    struct tensix_args_CFGSHIFTMASK args = tensix_decode_CFGSHIFTMASK(*word);
    unsigned scratch = args.scratch_index == OWN_SCRATCH ? thread : args.scratch_index;
    if (index < 0 || index > 255) {
        return false;
    }
    /* The scratch words are of one group: only its owner can use them. */
    if (g->owner[(FIRST_SCRATCH + scratch) / 4] != thread ||
        g->owner_group[(FIRST_SCRATCH + scratch) / 4]) {
        return false;
    }
    isa_field_put(row_operand(rule->row, "cfg_index"), word, index);
    return true;
}

static bool rmwcib_word(struct generator *g, unsigned thread, const struct rule *rule,
                        uint32_t *word)
{
    unsigned byte = (unsigned)(rule->row - TENSIX_ROW_RMWCIB0);
    uint32_t mask = random_bits(&g->random, 8);
    int index = owned_word(g, thread, CAN_READ | CAN_WRITE);
    if (once_in(g, 8) && !g->in_loop && g->actives > 1) {
        index = g->shared_word;
        g->needs = 0;
        mask &= UINT32_C(0x49) << thread; /* the bits 0, 3, 6 of T0 and so on */
    }
    if (index < 0 || index > 255) {
        return false;
    }
    if (!g->options->free) {
        mask &= legal_bits(g, (unsigned)index) >> 8 * byte;
    }
    *word = instruction(rule->row, "mask", mask & 0xff, "new_value", random_bits(&g->random, 8),
                        "index4", (uint32_t)index, NULL);
    return true;
}

bool config_word_of(struct generator *g, unsigned thread, const struct rule *rule, uint32_t *word)
{
    int index;
    switch (rule->maker) {
    case MAKE_SETC16:
        *word = setc16_word(g, thread);
        return true;
    case MAKE_WRCFG:
        index = owned_word(g, thread, CAN_WRITE | ANY_VALUE);
        *word = instruction(rule->row, "input_reg", random_gpr(g), "cfg_index",
                            (uint32_t)(index < 0 ? 0 : index), NULL);
        return index >= 0;
    case MAKE_RDCFG:
        index = owned_word(g, thread, CAN_READ);
        *word = instruction(rule->row, "result_reg", random_gpr(g), "cfg_index",
                            (uint32_t)(index < 0 ? 0 : index), NULL);
        return index >= 0;
    case MAKE_RMWCIB:
        return rmwcib_word(g, thread, rule, word);
    case MAKE_SHIFTMASK:
        return shiftmask_word(g, thread, rule, word);
    default:
        return false;
    }
}

static bool push_config_word(struct generator *g, unsigned thread, const struct rule *rule)
{
    uint32_t word;
    if (!config_word_of(g, thread, rule, &word)) {
        return false;
    }
    add_push(g, thread, word);
    return true;
}

bool make_rdcfg(struct generator *g, unsigned thread, const struct rule *rule)
{
    return push_config_word(g, thread, rule);
}

bool make_rmwcib(struct generator *g, unsigned thread, const struct rule *rule)
{
    return push_config_word(g, thread, rule);
}

/* The scratch word is 0 until somebody writes it. */
bool make_shiftmask(struct generator *g, unsigned thread, const struct rule *rule)
{
    uint32_t word;
    if (!shiftmask_word(g, thread, rule, &word)) {
        return false;
    }
    if (once_in(g, 2)) {
        uint32_t scratch = tensix_decode_CFGSHIFTMASK(word).scratch_index, needs = g->needs;
        scratch = FIRST_SCRATCH + (scratch == OWN_SCRATCH ? thread : scratch);
        g->needs = 0;
        add_push(
            g, thread,
            instruction(TENSIX_ROW_WRCFG, "input_reg", random_gpr(g), "cfg_index", scratch, NULL));
        g->needs = needs;
    }
    add_push(g, thread, word);
    return true;
}

/* Words that can be written by fours: all four are known. */
static bool make_wide(struct generator *g, unsigned thread, const struct rule *rule)
{
    static const uint16_t bases[] = {0, 12, 28, 68, 180};
    uint32_t base = bases[below(g, sizeof bases / sizeof bases[0])];
    uint32_t reg = 4 * below(g, GPRS / 4);
    if (g->owner[base / 4] != thread) {
        return false;
    }
    open_group(g);
    g->needs = g->owner_group[base / 4];
    for (uint32_t i = 0; i < 4; i++) {
        if (legal_bits(g, base + i) != UINT32_MAX) {
            add_gpr_value(g, thread, reg + i,
                          random_bits(&g->random, 32) & legal_bits(g, base + i));
        }
    }
    add_push(g, thread,
             instruction(rule->row, "input_reg", reg, "is_128bit", UINT32_C(1), "cfg_index", base,
                         NULL));
    return true;
}

bool make_wrcfg(struct generator *g, unsigned thread, const struct rule *rule)
{
    if (once_in(g, 4)) {
        return make_wide(g, thread, rule);
    }
    if (!once_in(g, 6)) {
        return push_config_word(g, thread, rule);
    }
    int word = owned_word(g, thread, CAN_WRITE); /* with a value that is legal */
    if (word < 0) {
        return false;
    }
    uint32_t reg = random_gpr(g), needs = g->needs;
    open_group(g);
    g->needs = needs;
    add_gpr_value(g, thread, reg, random_bits(&g->random, 32) & legal_bits(g, (unsigned)word));
    add_push(g, thread,
             instruction(rule->row, "input_reg", reg, "cfg_index", (uint32_t)word, NULL));
    return true;
}

/* --- Streams --- */

bool make_storereg(struct generator *g, unsigned thread, const struct rule *rule)
{
    static const struct target {
        uint16_t offset;
        bool any; /* or only: */
        uint32_t legal;
    } targets[] = {
        {0x10, false, 0x00ffffff},  /* remote_src */
        {0x20, true, 0xffffffff},   /* remote_dest_buf_start */
        {0x28, true, 0xffffffff},   /* remote_dest_buf_size */
        {0x438, false, 0xffffffc0}, /* remote_dest_buf_space_available_update */
    };
    const struct target *target = &targets[below(g, sizeof targets / sizeof targets[0])];
    uint32_t stream = once_in(g, 2) ? thread : 61 + thread;
    uint32_t offset = 0x40000 + 0x1000 * stream + target->offset; /* from 0xffb00000 */
    uint32_t reg = random_gpr(g);
    open_group(g);
    if (!target->any || once_in(g, 2)) {
        add_gpr_value(g, thread, reg, random_bits(&g->random, 32) & target->legal);
    }
    add_push(g, thread, instruction(rule->row, "data_reg", reg, "addr_lo", offset / 4, NULL));
    return true;
}

/* --- Counters and banks --- */

uint32_t setrwc_word(struct generator *g, unsigned thread, const struct rule *rule)
{
    enum { CR_SRC = 3, FLIP_SHIFT = 22, BIT_MASK_SHIFT = 0, CR_SHIFT = 18 };
    uint32_t word = rule_word(g->rules, rule, &g->random);
    if (g->options->free) {
        return word;
    }
    word |= (word >> CR_SHIFT & CR_SRC) << BIT_MASK_SHIFT; /* what goes by the copy is also set */
    uint32_t flips = g->thread[thread].keeps_valid << FLIP_SHIFT;
    word &= ~(UINT32_C(3) << FLIP_SHIFT & ~flips);
    g->banks_unknown = g->banks_unknown || (g->in_loop && word >> FLIP_SHIFT & 3);
    return word;
}

bool make_setrwc(struct generator *g, unsigned thread, const struct rule *rule)
{
    uint32_t word = setrwc_word(g, thread, rule);
    struct tensix_args_SETRWC args = tensix_decode_SETRWC(word);
    g->bank[0].matrix ^= (uint8_t)args.flip_src_a;
    g->bank[1].matrix ^= (uint8_t)args.flip_src_b;
    add_push(g, thread, word);
    return true;
}

/* UNPACR_NOP waits for the bank that the Matrix unit is at, or for its own, to be free; CLEARDVALID
 * wants a valid one. With several threads nobody knows the order of flips. */
bool make_bank(struct generator *g, unsigned thread, const struct rule *rule)
{
    uint32_t word = rule_word(g->rules, rule, &g->random);
    if (g->options->free) {
        add_push(g, thread, word);
        return true;
    }
    if (g->actives > 1 || g->banks_unknown) {
        return false;
    }
    if (rule->row == TENSIX_ROW_CLEARDVALID) {
        struct tensix_args_CLEARDVALID args = tensix_decode_CLEARDVALID(word);
        bool wanted[2] = {args.flip_src_a, args.flip_src_b};
        for (unsigned i = 0; i < 2; i++) {
            if (wanted[i] && !g->bank[i].valid[g->bank[i].matrix]) {
                return false;
            }
        }
        for (unsigned i = 0; i < 2; i++) {
            g->bank[i].valid[g->bank[i].matrix] &= !wanted[i];
            g->bank[i].matrix ^= wanted[i];
        }
    } else {
        struct tensix_args_UNPACR_NOP_ZEROSRC args = tensix_decode_UNPACR_NOP_ZEROSRC(word);
        struct bank_plan *bank = &g->bank[args.which_unpacker];
        if (bank->valid[args.wait_like_unpacr ? bank->unpack : bank->matrix] ||
            (args.flip_src && bank->valid[bank->unpack])) {
            return false;
        }
        bank->valid[bank->unpack] |= args.flip_src;
        bank->unpack ^= (uint8_t)args.flip_src;
    }
    add_push(g, thread, word);
    return true;
}
