/*
 * What a kernel uses and has not set, see pieces.h. SPEC: WormholeB0 MOPExpander, REPLAY, ADCs,
 * RWCs; BlackholeA0 BackendConfiguration, Dst.
 */
#include "observe/check/pieces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "host/array.h"
#include "metal/firmware.h"
#include "observe/check/check.h"
#include "observe/check/races.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "tensix/vector/schedule.h"

/* --- Pieces of which there may be something to say --- */

/* Bits that an earlier launch has left. */
static uint32_t left_bits(const struct config_piece *piece)
{
    return piece->left & ~piece->set & ~piece->told;
}

/* Bits that a kernel has to set, and that nobody has. */
static uint32_t unset_bits(const struct config_piece *piece)
{
    return piece->needs & ~piece->set & ~piece->firmware & ~piece->left & ~piece->told_unset;
}

/* Behind each change of a piece. */
static void reopen_piece(struct check_config *config, unsigned index)
{
    const struct config_piece *piece = &config->piece[index];
    uint64_t *open = &config->open[index / CONFIG_MASK];
    const uint64_t bit = UINT64_C(1) << index % CONFIG_MASK;
    *open = left_bits(piece) | unset_bits(piece) ? *open | bit : *open & ~bit;
}

static bool is_open_piece(const struct check_config *config, unsigned index)
{
    return config->open[index / CONFIG_MASK] >> index % CONFIG_MASK & 1;
}

/* The first such piece from `first` on; `end`: there is none before it. */
static unsigned next_open_piece(const struct check_config *config, unsigned first, unsigned end)
{
    while (first < end) {
        const uint64_t open = config->open[first / CONFIG_MASK] >> first % CONFIG_MASK;
        if (open) {
            first += (unsigned)__builtin_ctzll(open);
            return first < end ? first : end;
        }
        first += CONFIG_MASK - first % CONFIG_MASK;
    }
    return end;
}

/* --- Beginning --- */

/* Checks that begin late do not know what was set before. */
static struct check_config *config_of(const struct check_scene *scene)
{
    struct check_tile *own = scene->own;
    if (!own->config) {
        own->config = calloc(1, sizeof *own->config);
        for (unsigned i = 0; own->config && i < CONFIG_PIECES; i++) {
            own->config->piece[i].is_ever_set = scene->checks->is_late;
            own->config->piece[i].needs = check_config_needs(i);
            reopen_piece(own->config, i);
        }
        if (own->config) {
            own->config->is_late = scene->checks->is_late;
        }
    }
    return own->config;
}

/* --- Pieces --- */

static uint32_t adc_value(const struct tensix *tensix, unsigned index)
{
    const unsigned axis = index % TENSIX_ADC_AXES, channel = index / TENSIX_ADC_AXES % 2;
    const unsigned unit = index / (2 * TENSIX_ADC_AXES);
    const struct tensix_thread *thread = &tensix->thread[unit / TENSIX_ADCS];
    return thread->adc[unit % TENSIX_ADCS].channel[channel].counter[axis];
}

static uint32_t rwc_value(const struct tensix *tensix, unsigned index)
{
    const struct tensix_rwc *rwc = &tensix->thread[index / CONFIG_RWCS].rwc;
    const uint32_t values[CONFIG_RWCS] = {rwc->src_a, rwc->src_b, rwc->dst, rwc->fidelity};
    return values[index % CONFIG_RWCS];
}

static uint32_t value_of(const struct tensix *tensix, unsigned piece)
{
    enum { MOST_SHIFT = 8, FACTOR = 31 };
    if (piece >= CONFIG_AT_RWCS) {
        return rwc_value(tensix, piece - CONFIG_AT_RWCS);
    }
    if (piece >= CONFIG_AT_TEMPLATES) {
        return tensix->vector.macro[0].instruction[piece - CONFIG_AT_TEMPLATES];
    }
    if (piece >= CONFIG_AT_SEQUENCES) {
        return tensix->vector.macro[0].sequence[piece - CONFIG_AT_SEQUENCES];
    }
    if (piece >= CONFIG_AT_LREGS) {
        uint32_t hash = 0;
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            hash = hash * FACTOR + tensix->vector.lreg[piece - CONFIG_AT_LREGS][lane];
        }
        return hash;
    }
    if (piece >= CONFIG_AT_SEMAPHORES) {
        const struct tensix_semaphore *own = &tensix->semaphore[piece - CONFIG_AT_SEMAPHORES];
        return own->value | (uint32_t)own->max << MOST_SHIFT;
    }
    if (piece >= CONFIG_AT_REPLAYS) {
        const unsigned index = piece - CONFIG_AT_REPLAYS;
        return tensix->thread[index / REPLAY_ENTRIES].replay.entry[index % REPLAY_ENTRIES];
    }
    if (piece >= CONFIG_AT_MOPS) {
        const unsigned index = piece - CONFIG_AT_MOPS, word = index % CONFIG_MOP_PIECES;
        const struct mop_expander *mop = &tensix->thread[index / CONFIG_MOP_PIECES].mop;
        return word < MOP_WORDS ? mop->config[word] : mop->mask_high;
    }
    if (piece >= CONFIG_AT_ADCS) {
        return adc_value(tensix, piece - CONFIG_AT_ADCS);
    }
    if (piece >= CONFIG_AT_GPRS) {
        const unsigned index = piece - CONFIG_AT_GPRS;
        return tensix->gpr[index / TENSIX_GPRS][index % TENSIX_GPRS];
    }
    if (piece >= CONFIG_AT_THREAD_WORDS) {
        const unsigned index = piece - CONFIG_AT_THREAD_WORDS;
        return tensix->thread_config[index / TENSIX_THREAD_WORDS][index % TENSIX_THREAD_WORDS];
    }
    return tensix->config[piece / TENSIX_STATE_WORDS][piece % TENSIX_STATE_WORDS];
}

static void name_piece(unsigned piece, uint32_t bits, char *text, size_t size)
{
    static const char *const adcs[] = {"unpacker 0", "unpacker 1", "the packer"};
    static const char *const rwcs[CONFIG_RWCS] = {"SrcA", "SrcB", "Dst", "the fidelity phase"};
    if (piece >= CONFIG_AT_RWCS) {
        snprintf(text, size, "the RWC of %s", rwcs[(piece - CONFIG_AT_RWCS) % CONFIG_RWCS]);
    } else if (piece >= CONFIG_AT_TEMPLATES) {
        snprintf(text, size, "template %u of load macros", piece - CONFIG_AT_TEMPLATES);
    } else if (piece >= CONFIG_AT_SEQUENCES) {
        snprintf(text, size, "load macro %u", piece - CONFIG_AT_SEQUENCES);
    } else if (piece >= CONFIG_AT_LREGS) {
        snprintf(text, size, "LReg %u", piece - CONFIG_AT_LREGS);
    } else if (piece >= CONFIG_AT_SEMAPHORES) {
        snprintf(text, size, "semaphore %u", piece - CONFIG_AT_SEMAPHORES);
    } else if (piece >= CONFIG_AT_REPLAYS) {
        snprintf(text, size, "slot %u of the replay buffer",
                 (piece - CONFIG_AT_REPLAYS) % REPLAY_ENTRIES);
    } else if (piece >= CONFIG_AT_MOPS) {
        const unsigned word = (piece - CONFIG_AT_MOPS) % CONFIG_MOP_PIECES;
        if (word < MOP_WORDS) {
            snprintf(text, size, "word %u of the MOP configuration", word);
        } else {
            snprintf(text, size, "the mask of MOP_CFG");
        }
    } else if (piece >= CONFIG_AT_ADCS) {
        const unsigned index = piece - CONFIG_AT_ADCS;
        snprintf(text, size, "counter %c of channel %u of %s", "XYZW"[index % TENSIX_ADC_AXES],
                 index / TENSIX_ADC_AXES % 2, adcs[index / (2 * TENSIX_ADC_AXES) % TENSIX_ADCS]);
    } else if (piece >= CONFIG_AT_GPRS) {
        snprintf(text, size, "GPR %u", (piece - CONFIG_AT_GPRS) % TENSIX_GPRS);
    } else if (piece >= CONFIG_AT_THREAD_WORDS) {
        tensix_field_names(true, (piece - CONFIG_AT_THREAD_WORDS) % TENSIX_THREAD_WORDS, bits, text,
                           size);
    } else {
        tensix_field_names(false, piece % TENSIX_STATE_WORDS, bits, text, size);
    }
}

/* The pieces of a touch, from the first one to before `end`; what has none is of no interest. */
struct piece_run {
    unsigned first, end;
};

static struct piece_run pieces_of(const struct observed_touch *touch)
{
    static const struct {
        unsigned first, count;
    } pieces[OBSERVED_STATES] = {
        [OBSERVED_STATE_CONFIG] = {CONFIG_AT_WORDS, TENSIX_STATES * TENSIX_STATE_WORDS},
        [OBSERVED_STATE_THREAD_CONFIG] = {CONFIG_AT_THREAD_WORDS,
                                          TENSIX_THREADS * TENSIX_THREAD_WORDS},
        [OBSERVED_STATE_GPR] = {CONFIG_AT_GPRS, TENSIX_THREADS * TENSIX_GPRS},
        [OBSERVED_STATE_ADC] = {CONFIG_AT_ADCS, CONFIG_ADC_PIECES},
        [OBSERVED_STATE_SEMAPHORE] = {CONFIG_AT_SEMAPHORES, TENSIX_SEMAPHORES},
        [OBSERVED_STATE_LREG] = {CONFIG_AT_LREGS, TENSIX_LREGS},
        [OBSERVED_STATE_RWC] = {CONFIG_AT_RWCS, TENSIX_THREADS * CONFIG_RWCS},
    };
    const unsigned all = pieces[touch->state].count, first = pieces[touch->state].first;
    const unsigned from = touch->first < all ? touch->first : all;
    const unsigned count = touch->count < all - from ? touch->count : all - from;
    return (struct piece_run){first + from, first + from + count};
}

/* --- Launches --- */

/* What has changed between launches is what reset, the firmware and hosts leave. */
void check_config_begin(const struct check_scene *scene)
{
    struct check_config *config = config_of(scene);
    for (unsigned i = 0; config && i < CONFIG_PIECES; i++) {
        struct config_piece *piece = &config->piece[i];
        const uint32_t value = value_of(&scene->tile->tensix, i);
        const uint32_t changed = config->is_after_some ? value ^ piece->last : UINT32_MAX;
        piece->before = (piece->before & ~changed) | (value & changed);
        piece->left &= ~changed;
        piece->set = 0;
        piece->told_unset = 0;
        reopen_piece(config, i);
    }
    if (config) {
        config->sections = (struct config_sections){.is_known = false};
        memset(config->gpr_set, 0, sizeof config->gpr_set);
    }
}

/* The place in words, for reports when its program is gone. */
static void describe_place(const struct check_scene *scene, unsigned hart, uint32_t pc, char *text,
                           size_t size)
{
    const struct tile *tile = scene->tile;
    char function[64], source[256], place[CHECK_PLACE];
    check_place(scene, hart, pc, place);
    chip_locate(scene->checks->chip, tile->x, tile->y, pc, function, sizeof function, source,
                sizeof source);
    function[strcspn(function, "+")] = '\0';
    snprintf(text, size, "%s%s, %s", *function ? " in " : "", function, place);
}

static unsigned keep_place(struct config_places *places, const char *text)
{
    unsigned *slot = &places->slot[finding_hash(0, text) % CONFIG_SLOTS];
    for (unsigned i = *slot; i > 0; i = places->place[i - 1].next) {
        if (strcmp(places->place[i - 1].text, text) == 0) {
            return i - 1;
        }
    }
    if (!array_grow(&places->place, places->count, &places->room, sizeof *places->place)) {
        return UINT32_MAX;
    }
    struct config_place *kept = &places->place[places->count];
    *kept = (struct config_place){.next = *slot};
    snprintf(kept->text, sizeof kept->text, "%s", text);
    *slot = ++places->count;
    return *slot - 1;
}

/* An instruction sets many pieces, and a program has many instructions that do. It takes long to find the
 * program at an address, and longer to find a line. */
struct ended_launch {
    struct {
        uint32_t pc;
        unsigned hart, place;
    } known[256];              /* the latest */
    const struct image *image; /* of the latest; NULL: there is none */
    uint64_t program;
};

static unsigned place_of_piece(const struct check_scene *scene, const struct config_piece *piece,
                               struct ended_launch *ended)
{
    struct config_places *places = &scene->checks->places;
    const struct tile *tile = scene->tile;
    const struct images *images = chip_images(scene->checks->chip);
    check_know_programs(scene);
    if (!ended->image || piece->pc - ended->image->base >= ended->image->size) {
        ended->image = images_find(images, tile->x, tile->y, piece->pc);
        ended->program = ended->image ? check_program_at(scene, piece->pc) : 0;
    }
    const uint32_t at = ended->image ? piece->pc - ended->image->base : piece->pc;
    struct config_known *known = &places->known[(at / 4 * RV32_CORES + piece->hart) % CONFIG_KNOWN];
    if (known->program != ended->program || known->forgettings != images->forgettings ||
        known->at != at || known->hart != piece->hart) {
        char text[sizeof((struct config_place *)0)->text];
        describe_place(scene, piece->hart, piece->pc, text, sizeof text);
        *known = (struct config_known){ended->program, images->forgettings, at, piece->hart,
                                       keep_place(places, text)};
    }
    return known->place;
}

static unsigned place_that_ends(const struct check_scene *scene, const struct config_piece *piece,
                                struct ended_launch *ended)
{
    enum { KNOWN = sizeof ended->known / sizeof ended->known[0] };
    const unsigned slot = (piece->pc / 4 * RV32_CORES + piece->hart) % KNOWN;
    if (ended->known[slot].pc != piece->pc || ended->known[slot].hart != piece->hart) {
        ended->known[slot].place = place_of_piece(scene, piece, ended);
        ended->known[slot].pc = piece->pc;
        ended->known[slot].hart = piece->hart;
    }
    return ended->known[slot].place;
}

static void end_launch(const struct check_scene *scene, struct check_config *config)
{
    struct ended_launch ended = {.image = NULL};
    for (unsigned i = 0; i < CONFIG_PIECES; i++) {
        struct config_piece *piece = &config->piece[i];
        piece->last = value_of(&scene->tile->tensix, i);
        const uint32_t left = (piece->last ^ piece->before) & piece->set;
        piece->left = (piece->left & ~piece->set & (piece->last ^ piece->before)) | left;
        if (left) {
            piece->place = place_that_ends(scene, piece, &ended);
            piece->launch = scene->own->launched.id;
            piece->told = 0;
        }
        reopen_piece(config, i);
    }
    config->is_after_some = true;
}

void check_config_ended(const struct check_scene *scene)
{
    struct check_config *config = scene->own->config;
    if (!config || !scene->checks->does[CHECK_CONFIG]) {
        return; /* what was ever set is all that the check uninit asks for */
    }
    config->is_late = false;
    if (scene->own->is_known) {
        end_launch(scene, config);
    }
}

void check_config_free(struct checks *checks)
{
    free(checks->places.place);
}

/* --- Setting --- */

static bool is_gpr(unsigned index)
{
    return index - CONFIG_AT_GPRS < TENSIX_THREADS * TENSIX_GPRS;
}

static void set_piece_by(const struct check_scene *scene, bool is_kernel, unsigned index,
                         uint32_t bits)
{
    struct config_piece *piece = &scene->own->config->piece[index];
    piece->set |= bits;
    piece->is_ever_set = true;
    if (is_kernel) {
        piece->hart = scene->hart;
        piece->pc = scene->event->pc;
    } else {                                         /* the firmware: kernels find what it sets */
        piece->firmware |= is_gpr(index) ? 0 : bits; /* it clears GPRs when it boots, not later */
        piece->left &= ~bits;
        piece->before = (piece->before & ~bits) | (value_of(&scene->tile->tensix, index) & bits);
    }
    if (is_open_piece(scene->own->config, index)) { /* nothing of this opens one */
        reopen_piece(scene->own->config, index);
    }
}

static void set_piece(const struct check_scene *scene, unsigned index, uint32_t bits)
{
    set_piece_by(scene, check_is_of_kernel(scene, scene->event->pc), index, bits);
}

/* --- Using --- */

/* Pieces that a report names. */
struct config_list {
    unsigned count, named, first;
    char names[160];
};

/* What an instruction uses of what an earlier launch has left, and of what this one had to set. */
struct config_leaks {
    struct config_list left, unset;
};

/* Names are of interest when there are any. */
static void begin_leaks(struct config_leaks *leaks)
{
    leaks->left.count = leaks->unset.count = 0;
}

/* One place that leaves something is one mistake, whatever uses it. */
static bool is_told_of_place(struct config_places *places, unsigned index, unsigned piece)
{
    struct config_place *place = index < places->count ? &places->place[index] : NULL;
    for (unsigned i = 0; place && i < place->tolds && i < CONFIG_TOLD; i++) {
        if (place->told[i] == piece) {
            return true;
        }
    }
    if (place) {
        place->told[place->tolds++ % CONFIG_TOLD] = piece;
    }
    return false;
}

static void add_to_list(struct config_list *list, unsigned piece, uint32_t bits)
{
    const size_t length = list->count ? strlen(list->names) : 0;
    char name[130];
    name_piece(piece, bits, name, sizeof name);
    if (list->count == 0) {
        list->first = piece;
        snprintf(list->names, sizeof list->names, "%s", name);
        list->named = 1;
    } else if (length + strlen(", ") + strlen(name) < sizeof list->names) {
        snprintf(list->names + length, sizeof list->names - length, ", %s", name);
        list->named++;
    }
    list->count++;
}

/* Does the instruction move data of a program without firmware from L1 or to L1? */
static bool moves_bare(const struct check_scene *scene)
{
    const struct observed_work *work = scene->event->work;
    return work && ((work->reads | work->writes) >> OBSERVED_STATE_L1 & 1 || work->is_held) &&
           !metal_layout(scene->checks->chip, scene->tile);
}

static void judge_piece(const struct check_scene *scene, struct config_leaks *leaks, unsigned index,
                        uint32_t used)
{
    struct config_piece *piece = &scene->own->config->piece[index];
    if (!is_open_piece(scene->own->config, index)) {
        return;
    }
    const uint32_t left = used & left_bits(piece);
    uint32_t unset = used & unset_bits(piece);
    if (!(left | unset)) {
        return;
    }
    piece->told |= left;
    bool is_wanted = findings_want(&scene->checks->findings, scene->tile->x, scene->tile->y,
                                   scene->own->launched.id);
    if (left && is_wanted && !is_told_of_place(&scene->checks->places, piece->place, index)) {
        add_to_list(&leaks->left, index, left);
    }
    if (!scene->own->is_known) {
        unset &= moves_bare(scene) ? check_config_needs_bare(index) : 0;
    }
    if (unset && !scene->own->config->is_late) {
        piece->told_unset |= unset;
        add_to_list(&leaks->unset, index, unset);
    }
    reopen_piece(scene->own->config, index);
}

enum { MORE = 24 };

static const char *more_than_named(const struct config_list *list, char text[MORE])
{
    text[0] = '\0';
    if (list->count > list->named) {
        snprintf(text, MORE, " and %u more", list->count - list->named);
    }
    return text;
}

static void report_leaks(const struct check_scene *scene, const char *user,
                         const struct config_leaks *leaks)
{
    const struct config_places *places = &scene->checks->places;
    const struct config_list *left = &leaks->left, *unset = &leaks->unset;
    char more[MORE];
    if (left->count) {
        const struct config_piece *piece = &scene->own->config->piece[left->first];
        check_report(scene, PENROSE_FAULT_CONFIG_LEAK, scene->hart, scene->event->pc, 0,
                     "%s uses %s%s, which this kernel has not set: as left by launch %u%s", user,
                     left->names, more_than_named(left, more), piece->launch,
                     piece->place < places->count ? places->place[piece->place].text : "");
    }
    if (unset->count) {
        check_report(scene, PENROSE_FAULT_CONFIG_UNSET, scene->hart, scene->event->pc, 0,
                     "%s uses %s%s, which %s", user, unset->names, more_than_named(unset, more),
                     scene->own->is_known ? "this kernel has not set: it holds whatever an earlier "
                                            "operation, or reset, has left there"
                                          : "nobody has set since reset");
    }
}

/* What of the configuration of formats the Matrix Unit and the Vector Unit use. */
static void judge_computing(const struct check_scene *scene, struct config_leaks *leaks,
                            enum order_unit unit)
{
    static const unsigned words[] = {TENSIX_WORD_ALU_FORMAT_SPEC_REG_SrcA_val,
                                     TENSIX_WORD_ALU_ROUNDING_MODE_Fpu_srnd_en};
    const unsigned thread = scene->event->thread;
    const unsigned state = tensix_state_id(&scene->tile->tensix, thread);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        const unsigned piece =
            (words[i] < TENSIX_GLOBAL_WORD ? state : 0) * TENSIX_STATE_WORDS + words[i];
        if (is_open_piece(scene->own->config, piece)) {
            judge_piece(scene, leaks, piece, races_bits_of_unit(words[i], unit));
        }
    }
    judge_piece(scene, leaks,
                CONFIG_AT_THREAD_WORDS + thread * TENSIX_THREAD_WORDS +
                    TENSIX_WORD_DEST_TARGET_REG_CFG_MATH_Offset,
                UINT32_MAX);
}

static bool touches_dst(const struct observed_work *work)
{
    return (work->reads | work->writes) >> OBSERVED_STATE_DST & 1;
}

/* Does the packer use this mask for edges? SPEC: BlackholeA0 PACR: mappings choose a mask for each
 * row. */
static bool chooses_mask(const uint32_t config[TENSIX_STATE_WORDS], unsigned mask)
{
    enum { MAPPINGS = 4, ROW_BITS = 2, ROW_MASK = 3 };
    for (unsigned i = 0; i < MAPPINGS; i++) {
        uint32_t rows = config[TENSIX_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + i];
        for (unsigned row = 0; row < CHAR_BIT * sizeof rows / ROW_BITS; row++) {
            if ((rows >> ROW_BITS * row & ROW_MASK) == mask) {
                return true;
            }
        }
    }
    return false;
}

/* Bits of a word of Config at which a unit does not look in its present mode: the packer's threshold
 * while that is off. SPEC: BlackholeA0 PACR. */
static uint32_t bits_off(const uint32_t config[TENSIX_STATE_WORDS], unsigned word)
{
    const struct tensix_field *on = &tensix_fields[TENSIX_FIELD_THCON_SEC0_REG1_Exp_threshold_en];
    const bool is_off = word == on->word && !(config[word] & tensix_field_mask(on));
    return is_off ? tensix_field_mask(&tensix_fields[TENSIX_FIELD_THCON_SEC0_REG1_Exp_threshold])
                  : 0;
}

/* Bits of a piece that the instruction uses. */
static uint32_t bits_used(const struct check_scene *scene, const struct observed_touch *touch,
                          enum order_unit unit, uint32_t index)
{
    enum { VALUE = 0xff, MASKS = 4 };
    static const unsigned users[ORDER_UNITS] = {
        [ORDER_UNPACKER0] = TENSIX_USED_BY_UNPACKER0,
        [ORDER_UNPACKER1] = TENSIX_USED_BY_UNPACKER1,
        [ORDER_PACKER] = TENSIX_USED_BY_PACKER,
    };
    if (touch->state == OBSERVED_STATE_CONFIG) {
        const unsigned thread = scene->event->thread;
        const uint32_t insn = scene->event->word;
        if (races_is_base(index % TENSIX_STATE_WORDS) &&
            races_base_word(&scene->tile->tensix, thread, insn) != index % TENSIX_STATE_WORDS) {
            return 0; /* of another context */
        }
        if (index % TENSIX_STATE_WORDS == TENSIX_WORD_DEST_ACCESS_CFG_remap_addrs &&
            !touches_dst(scene->event->work)) {
            return 0;
        }
        const uint32_t *config = scene->tile->tensix.config[index / TENSIX_STATE_WORDS];
        const unsigned mask = index % TENSIX_STATE_WORDS - TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask;
        if (mask - 1 < MASKS - 1 && !chooses_mask(config, mask)) {
            return 0;
        }
        return users[unit] ? tensix_race_bits(index % TENSIX_STATE_WORDS, users[unit]) &
                                 ~bits_off(config, index % TENSIX_STATE_WORDS)
                           : 0;
    }
    if (touch->state == OBSERVED_STATE_SEMAPHORE) { /* its maximum matters to SEMWAIT alone */
        enum { AT_MOST = 2 };
        const struct observed_work *work = scene->event->work; /* SEMWAIT only reads */
        bool is_most = work->touches == 1 &&
                       tensix_decode_SEMWAIT(scene->event->word).condition_mask & AT_MOST;
        return is_most ? UINT32_MAX : VALUE;
    }
    return UINT32_MAX;
}

static void judge_touched(const struct check_scene *scene, struct config_leaks *leaks,
                          const struct observed_touch *touch, enum order_unit unit)
{
    const struct check_config *config = scene->own->config;
    const struct piece_run run = pieces_of(touch);
    for (unsigned piece = next_open_piece(config, run.first, run.end); piece < run.end;
         piece = next_open_piece(config, piece + 1, run.end)) {
        judge_piece(scene, leaks, piece,
                    bits_used(scene, touch, unit, touch->first + (piece - run.first)));
    }
}

/* --- LRegs --- */

enum { TEMPLATES = 12 /* values of VD from here on */ };

/* Does it do nothing with what it reads? What becomes a template of a load macro is kept and not
 * executed. */
static bool takes_any_lregs(unsigned row, unsigned thread, uint32_t word)
{
    return tensix_has(row, TENSIX_TRAIT_CARRIES) ||
           (!tensix_has(row, TENSIX_TRAIT_OWN_VD) &&
            tensix_vector_decode(row, thread, word).vd >= TEMPLATES);
}

/* SPEC: LRegs from 8 on are constants, or get values by SFPCONFIG alone. */
static void judge_lreg(const struct check_scene *scene, struct config_leaks *leaks,
                       const char *user, unsigned index, unsigned row)
{
    enum { WRITABLE = 8 };
    const struct config_piece *piece = &scene->own->config->piece[CONFIG_AT_LREGS + index];
    const bool is_lost = index < WRITABLE && scene->own->config->has_macros;
    const bool is_fine = (index >= WRITABLE || piece->is_ever_set) &&
                         !is_open_piece(scene->own->config, CONFIG_AT_LREGS + index);
    if (is_fine || is_lost || takes_any_lregs(row, scene->event->thread, scene->event->word)) {
        return;
    }
    if (index < WRITABLE && !piece->is_ever_set) {
        check_report(scene, PENROSE_FAULT_UNDEFINED_DATA, scene->hart, scene->event->pc, 0,
                     "%s reads LReg %u, which no instruction has written", user, index);
    }
    judge_piece(scene, leaks, CONFIG_AT_LREGS + index, UINT32_MAX);
}

/* --- GPRs --- */

/* Bits of a GPR that the instruction writes. Kernels of LLK set one half where they know what the other
 * one is. */
static uint32_t gpr_bits_written(const struct check_scene *scene)
{
    return scene->own->is_known ? UINT32_MAX
                                : tensix_gpr_half_set(scene->event->work->row, scene->event->word);
}

static void note_gpr_set(struct check_config *config, unsigned index, uint32_t bits)
{
    if (index < TENSIX_THREADS * TENSIX_GPRS) {
        config->gpr_set[index] |= bits;
    }
}

/* Bits of a word of Config that the instruction sets. Where it takes them from a GPR, it hands on
 * whatever is in a half of that which the kernel has not set. It takes one GPR or an aligned group. */
static uint32_t config_bits_written(const struct check_scene *scene, uint32_t index)
{
    const struct observed_work *work = scene->event->work;
    const struct observed_touch *gprs = NULL;
    for (unsigned i = 0; i < work->touches; i++) {
        gprs = work->touch[i].state == OBSERVED_STATE_GPR ? &work->touch[i] : gprs;
    }
    if (!gprs || tensix_row_infos[work->row].unit != TENSIX_UNIT_CONFIG || !scene->own->is_known ||
        scene->own->config->is_late || !check_is_of_kernel(scene, scene->event->pc)) {
        return races_reach(scene->event->word);
    }
    const unsigned gpr = gprs->first + index % gprs->count;
    return ~check_config_needs(CONFIG_AT_GPRS + gpr) | scene->own->config->gpr_set[gpr];
}

/* A bare program has no launch that tells what is its own: what nobody has ever written is not. Who reads
 * a group of four may want some of them. */
static void judge_gprs(const struct check_scene *scene, const char *user,
                       const struct observed_touch *touch)
{
    enum { GROUP = 4 };
    const struct observed *event = scene->event;
    const uint32_t end = touch->first + touch->count;
    uint32_t count = 0, which = 0, unset = 0;
    for (uint32_t i = touch->first; i < end && end <= TENSIX_THREADS * TENSIX_GPRS; i++) {
        const uint32_t bits = check_config_unset_gpr(scene, i) &
                              tensix_gpr_bits_read(event->work->row, event->word, i % TENSIX_GPRS);
        count += bits != 0;
        which = bits ? i : which;
        unset = bits ? bits : unset;
    }
    if (count > 0 && (touch->count < GROUP || count == touch->count)) {
        check_report(scene, PENROSE_FAULT_UNDEFINED_DATA, scene->hart, event->pc, which,
                     "%s reads %sGPR %u, which nothing has written", user,
                     unset == ~(uint32_t)UINT16_MAX ? "the upper half of "
                     : unset == (uint16_t)unset     ? "the lower half of "
                                                    : "",
                     which % TENSIX_GPRS);
    }
}

uint32_t check_config_unset_gpr(const struct check_scene *scene, unsigned index)
{
    const struct check_config *config = scene->own->config;
    if (scene->own->is_known || scene->checks->is_late ||
        metal_layout(scene->checks->chip, scene->tile)) {
        return 0;
    }
    return config ? ~config->piece[CONFIG_AT_GPRS + index].set : UINT32_MAX;
}

/* --- RWCs --- */

/* What reads rows of Src, and what works on rows of Dst, finds them by counters. */
static void judge_rwcs(const struct check_scene *scene, struct config_leaks *leaks)
{
    const struct observed_work *work = scene->event->work;
    const unsigned thread = scene->event->thread, first = CONFIG_AT_RWCS + thread * CONFIG_RWCS;
    enum { SRC_ROWS = TENSIX_SRC_FILE_BANKS * TENSIX_SRC_FILE_ROWS };
    if (next_open_piece(scene->own->config, first, first + CONFIG_RWCS) == first + CONFIG_RWCS) {
        return;
    }
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (touch->state == OBSERVED_STATE_SRC && !touch->is_write) {
            judge_piece(scene, leaks, first + touch->first / SRC_ROWS, UINT32_MAX);
        } else if (touch->state == OBSERVED_STATE_DST) {
            judge_piece(scene, leaks, first + CONFIG_RWC_DST, UINT32_MAX);
        }
    }
}

/* --- Load macros --- */

/* SPEC: BlackholeA0 SFPLOADMACRO: a byte of a macro's sequence for each sub-unit, whose source from
 * 4 on is a template. */
static void judge_macro(const struct check_scene *scene, struct config_leaks *leaks)
{
    enum { INDEX_SHIFT = 22, SOURCE = 7, FIRST_TEMPLATE = 4 };
    const unsigned macro = scene->event->word >> INDEX_SHIFT & (CONFIG_MACROS - 1);
    uint32_t sequence = scene->tile->tensix.vector.macro[0].sequence[macro];
    judge_piece(scene, leaks, CONFIG_AT_SEQUENCES + macro, UINT32_MAX);
    for (; sequence; sequence >>= CHAR_BIT) {
        if ((sequence & SOURCE) >= FIRST_TEMPLATE) {
            judge_piece(scene, leaks, CONFIG_AT_TEMPLATES + (sequence & SOURCE) - FIRST_TEMPLATE,
                        UINT32_MAX);
        }
    }
}

/* SFPCONFIG sets templates and sequences, and an instruction whose VD is from 12 on becomes a
 * template. */
static void note_macro(const struct check_scene *scene, unsigned row)
{
    const unsigned vd = tensix_vector_decode(row, scene->event->thread, scene->event->word).vd;
    if (tensix_has(row, TENSIX_TRAIT_CONFIGURES) && vd < 2 * CONFIG_MACROS) {
        set_piece(scene,
                  vd < CONFIG_MACROS ? CONFIG_AT_TEMPLATES + vd
                                     : CONFIG_AT_SEQUENCES + vd - CONFIG_MACROS,
                  UINT32_MAX);
    } else if (!tensix_has(row, TENSIX_TRAIT_OWN_VD) && vd >= TEMPLATES) {
        set_piece(scene, CONFIG_AT_TEMPLATES + (vd - TEMPLATES) % CONFIG_MACROS, UINT32_MAX);
    }
}

/* --- Halves of Dst --- */

enum { HALF_ROWS = TENSIX_DST_ROWS / 2, HALVES = 2, MATH = 1, PACK = 2 };

/* SEMWAIT, which only reads, while a semaphore is at its maximum of 2 says that there are two
 * sections. How many there were before is not known of a launch that began before the checks. */
static void note_section(const struct check_scene *scene, const struct observed_touch *touch)
{
    enum { WHILE_AT_MOST = 2 };
    struct config_sections *sections = &scene->own->config->sections;
    const struct observed_work *work = scene->event->work;
    const unsigned thread = scene->event->thread;
    const bool waits = !touch->is_write && work->touches == 1;
    if (waits && thread == MATH && !sections->is_known && !scene->own->config->is_late &&
        tensix_decode_SEMWAIT(scene->event->word).condition_mask & WHILE_AT_MOST &&
        scene->tile->tensix.semaphore[touch->first % TENSIX_SEMAPHORES].max == HALVES) {
        *sections = (struct config_sections){.is_known = true, .semaphore = touch->first};
    } else if (touch->is_write && touch->first == sections->semaphore) {
        sections->is_known &= order_reads_too(work, touch); /* not behind SEMINIT */
        sections->done[thread]++;
    }
}

/* Sections alternate, and the first one begins at row 0. Rows that an instruction uses one behind
 * the other are aligned, so none begins in a half and ends beyond it. */
static void judge_section(const struct check_scene *scene, const char *user)
{
    struct config_sections *sections = &scene->own->config->sections;
    const struct observed_work *work = scene->event->work;
    const unsigned thread = scene->event->thread;
    const uint32_t first = sections->done[thread] % HALVES * HALF_ROWS;
    if (!sections->is_known || !touches_dst(work) || thread == 0 || sections->is_told[thread] ||
        tensix_traits(work->row) & TENSIX_TRAIT_SCHEDULES) { /* which load whatever is there */
        return;
    }
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (touch->state == OBSERVED_STATE_DST && touch->first - first >= HALF_ROWS) {
            sections->is_told[thread] = true;
            check_report(scene, PENROSE_FAULT_DST_SECTION, scene->hart, scene->event->pc,
                         touch->first,
                         "%s uses Dst row %u, and its thread has the half of Dst with rows %u to "
                         "%u, as semaphore %u counts to two",
                         user, touch->first, first, first + HALF_ROWS - 1, sections->semaphore);
            return;
        }
    }
}

void check_config_unit(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct observed_work *work = event->work;
    struct check_config *config = config_of(scene);
    if (!config || event->thread >= TENSIX_THREADS) {
        return;
    }
    const char *user = tensix_rows[work->row].mnemonic;
    const enum order_unit unit = order_unit_of(work->row, event->word);
    struct config_leaks leaks;
    begin_leaks(&leaks);
    bool schedules = tensix_traits(work->row) & TENSIX_TRAIT_SCHEDULES;
    const bool is_by_kernel = check_is_of_kernel(scene, event->pc);
    const bool is_of_kernel = is_by_kernel && scene->hart < RV32_CORES;
    for (unsigned i = 0; i < work->touches && is_of_kernel; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (!touch->is_write && touch->state == OBSERVED_STATE_LREG) {
            for (uint32_t j = 0; j < touch->count && !schedules; j++) {
                judge_lreg(scene, &leaks, user, touch->first + j, work->row);
            }
        } else if (!touch->is_write) {
            judge_touched(scene, &leaks, touch, unit);
            if (touch->state == OBSERVED_STATE_GPR) {
                judge_gprs(scene, user, touch);
            }
        }
    }
    if (is_of_kernel && schedules) {
        judge_macro(scene, &leaks);
    }
    config->has_macros |= schedules;
    if (unit == ORDER_VECTOR) {
        note_macro(scene, work->row);
    }
    if (is_of_kernel && (unit == ORDER_MATRIX || unit == ORDER_VECTOR)) {
        judge_rwcs(scene, &leaks);
        if (touches_dst(work)) {
            judge_computing(scene, &leaks, unit);
        }
    }
    if (is_of_kernel) {
        report_leaks(scene, user, &leaks);
        judge_section(scene, user);
    }
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        const bool adds = touch->state == OBSERVED_STATE_SEMAPHORE && order_reads_too(work, touch);
        if (touch->state == OBSERVED_STATE_SEMAPHORE) {
            note_section(scene, touch);
        }
        if (!touch->is_write) {
            continue;
        }
        const bool is_gpr = touch->state == OBSERVED_STATE_GPR;
        const bool is_config = touch->state == OBSERVED_STATE_CONFIG;
        const uint32_t bits = is_gpr ? gpr_bits_written(scene) : adds ? 0 : UINT32_MAX;
        const struct piece_run run = pieces_of(touch);
        for (unsigned piece = run.first; piece < run.end; piece++) {
            set_piece_by(scene, is_by_kernel, piece,
                         is_config ? config_bits_written(scene, piece) : bits);
            if (is_gpr) {
                note_gpr_set(config, piece - CONFIG_AT_GPRS,
                             tensix_gpr_half_set(work->row, event->word));
            }
        }
    }
}

/* --- Harts --- */

void check_config_stored(const struct check_scene *scene)
{
    const uint32_t address = (uint32_t)scene->event->address;
    const unsigned thread = scene->hart - RV32_T0;
    struct check_config *config = config_of(scene);
    unsigned owner, gpr;
    if (!config) {
        return;
    }
    if (address - AT_MOP_CFG < 4 * MOP_WORDS && thread < TENSIX_THREADS) {
        set_piece(scene, CONFIG_AT_MOPS + thread * CONFIG_MOP_PIECES + (address - AT_MOP_CFG) / 4,
                  UINT32_MAX);
    } else if (check_is_gpr(scene, &owner, &gpr)) {
        set_piece(scene, CONFIG_AT_GPRS + owner * TENSIX_GPRS + gpr, UINT32_MAX);
        note_gpr_set(config, owner * TENSIX_GPRS + gpr, UINT32_MAX);
    } else if (address - AT_CONFIG < 4 * TENSIX_CONFIG_THREAD) {
        const unsigned index = (address - AT_CONFIG) / 4, word = index % TENSIX_STATE_WORDS;
        const bool is_dual = index >= TENSIX_CONFIG_DUAL || word >= TENSIX_GLOBAL_WORD;
        for (unsigned state = 0; state < TENSIX_STATES; state++) {
            if (is_dual || state == index / TENSIX_STATE_WORDS) {
                set_piece(scene, state * TENSIX_STATE_WORDS + word, UINT32_MAX);
            }
        }
    }
}

/* --- MOPs and replays --- */

/* What somebody expands is set by this launch, or else by an earlier one, or not at all: the first
 * that is not is `unset`. */
static void judge_expanded(const struct check_scene *scene, struct config_leaks *leaks,
                           unsigned *unset, unsigned index)
{
    const struct config_piece *piece = &scene->own->config->piece[index];
    if (piece->is_ever_set) {
        judge_piece(scene, leaks, index, UINT32_MAX);
    } else if (*unset == CONFIG_PIECES) {
        *unset = index;
    }
}

static void report_expanded(const struct check_scene *scene, const char *user,
                            const struct config_leaks *leaks, unsigned unset)
{
    char name[130];
    report_leaks(scene, user, leaks);
    if (unset < CONFIG_PIECES) {
        name_piece(unset, UINT32_MAX, name, sizeof name);
        check_report(scene, PENROSE_FAULT_CONFIG_UNSET, scene->hart, scene->event->pc, 0,
                     "%s uses %s, which nobody has %s", user, name,
                     unset >= CONFIG_AT_REPLAYS ? "recorded" : "set");
    }
}

/* Words of the configuration that a MOP uses, a bit each. */
static unsigned mop_words(const struct mop_expander *mop, uint32_t word)
{
    enum {
        LOOP = 1 << MOP_START | 1 << MOP_END0 | 1 << MOP_END1 | 1 << MOP_LOOP0 | 1 << MOP_LOOP1 |
               1 << MOP_LAST_OF_ALL | 1 << MOP_LAST_OF_INNER,
        MASKED = 1 << MOP_FLAGS | 1 << MOP_A0,
        OF_B = 1 << MOP_B,
        OF_A123 = 7 << (MOP_A0 + 1),
        SKIPS = 1 << MOP_SKIP_A0,
    };
    const struct tensix_args_MOP args = tensix_decode_MOP(word);
    if (args.template_number == 1) {
        return LOOP | (args.outer_count ? 0 : 1 << MOP_OUTER_COUNT) |
               (args.inner_count ? 0 : 1 << MOP_INNER_COUNT);
    }
    const uint32_t flags = mop->config[MOP_FLAGS];
    bool skips = args.mask_lo || mop->mask_high;
    return MASKED | (flags & MOP_HAS_B ? OF_B : 0) | (flags & MOP_HAS_A123 ? OF_A123 : 0) |
           (skips ? SKIPS | (flags & MOP_HAS_B ? 1u << MOP_SKIP_B : 0) : 0);
}

void check_config_expands(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    if (!config_of(scene) || event->thread >= TENSIX_THREADS || scene->hart >= RV32_CORES) {
        return;
    }
    const unsigned thread = event->thread;
    const unsigned mops = CONFIG_AT_MOPS + thread * CONFIG_MOP_PIECES;
    const unsigned slots = CONFIG_AT_REPLAYS + thread * REPLAY_ENTRIES;
    const struct tensix_args_REPLAY replay = tensix_decode_REPLAY(event->word);
    struct config_leaks leaks = {.left.count = 0};
    unsigned unset = CONFIG_PIECES;
    switch (event->word >> 24) {
    case TENSIX_OPCODE_MOP_CFG:
        set_piece(scene, mops + MOP_WORDS, UINT32_MAX);
        break;
    case TENSIX_OPCODE_MOP: {
        unsigned words = mop_words(&scene->tile->tensix.thread[event->thread].mop, event->word);
        for (; words; words &= words - 1) {
            judge_expanded(scene, &leaks, &unset, mops + (unsigned)__builtin_ctz(words));
        }
        report_expanded(scene, "MOP", &leaks, unset);
    } break;
    case TENSIX_OPCODE_REPLAY:
        for (unsigned i = 0; i < (replay.count ? replay.count : REPLAY_ENTRIES); i++) {
            const unsigned slot = slots + (replay.index + i) % REPLAY_ENTRIES;
            if (replay.load) {
                set_piece(scene, slot, UINT32_MAX);
            } else {
                judge_expanded(scene, &leaks, &unset, slot);
            }
        }
        report_expanded(scene, "REPLAY", &leaks, unset);
        break;
    }
}
