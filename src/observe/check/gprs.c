/*
 * Undefined data that go through GPRs: instructions of the Scalar Unit load them from L1, compute
 * with them, and store them; the Configuration Unit and harts take them from there. SPEC:
 * BlackholeA0 ScalarUnit.
 *
 * GPRs that nothing has written are another thing, of which config.c tells.
 */
#include "observe/check/undefined.h"

#include "addresses.h"
#include "tensix/table.h"

enum { WORD_BYTES = 4, GROUP = 4 /* GPRs that 128 bits take */ };

static struct uninit_gpr *gpr_of(const struct check_scene *scene, struct uninit_gprs *gprs,
                                 unsigned gpr)
{
    return &gprs->gpr[scene->event->thread * TENSIX_GPRS + gpr % TENSIX_GPRS];
}

/* The first GPR that the instruction reads undefined bits of; NULL: there is none. */
static struct uninit_gpr *find_undefined(const struct check_scene *scene, struct uninit_gprs *gprs)
{
    const struct observed *event = scene->event;
    for (unsigned i = 0; i < TENSIX_GPRS; i++) {
        struct uninit_gpr *gpr = gpr_of(scene, gprs, i);
        if (gpr->undefined & tensix_gpr_bits_read(event->work->row, event->word, i)) {
            return gpr;
        }
    }
    return NULL;
}

static const struct observed_touch *find_touch(const struct observed_work *work,
                                               enum observed_state state, bool writes)
{
    for (unsigned i = 0; i < work->touches; i++) {
        if (work->touch[i].state == state && work->touch[i].is_write == writes) {
            return &work->touch[i];
        }
    }
    return NULL;
}

static uint32_t bits_of_bytes(uint32_t bytes)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        bits |= bytes >> i & 1 ? UINT32_C(0xff) << 8 * i : 0;
    }
    return bits;
}

static uint32_t bytes_of_bits(uint32_t bits)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        bytes |= bits >> 8 * i & 0xff ? UINT32_C(1) << i : 0;
    }
    return bytes;
}

static void load_gprs(const struct check_scene *scene, struct uninit_gprs *gprs)
{
    const struct tensix_args_LOADIND args = tensix_decode_LOADIND(scene->event->word);
    const struct observed_touch *l1 = find_touch(scene->event->work, OBSERVED_STATE_L1, false);
    const unsigned count = args.size ? 1 : GROUP;
    const unsigned first = args.result_reg / count * count;
    struct uninit_origin origin;
    uint32_t bytes = l1 ? uninit_find(scene, gprs->l1, l1->first, l1->count, &origin) : 0;
    for (unsigned i = 0; l1 && i < count; i++, bytes >>= WORD_BYTES) {
        struct uninit_gpr *gpr = gpr_of(scene, gprs, first + i);
        const uint32_t kept =
            l1->count < WORD_BYTES ? gpr->undefined & UINT32_MAX << 8 * l1->count : 0;
        const uint32_t loaded = bits_of_bytes(bytes);
        gpr->origin = loaded ? origin : gpr->origin;
        gpr->undefined = kept | loaded;
    }
}

static void store_gprs(const struct check_scene *scene, struct uninit_gprs *gprs)
{
    const struct tensix_args_STOREIND_L1 args = tensix_decode_STOREIND_L1(scene->event->word);
    const struct observed_touch *l1 = find_touch(scene->event->work, OBSERVED_STATE_L1, true);
    const unsigned count = args.size ? 1 : GROUP;
    const unsigned first = args.data_reg / count * count;
    const struct uninit_origin *origin = NULL;
    uint32_t bytes = 0;
    for (unsigned i = 0; l1 && i < count; i++) {
        const struct uninit_gpr *gpr = gpr_of(scene, gprs, first + i);
        bytes |= bytes_of_bits(gpr->undefined) << WORD_BYTES * i;
        origin = gpr->undefined && !origin ? &gpr->origin : origin;
    }
    bytes &= l1 ? (UINT32_C(1) << l1->count) - 1 : 0;
    if (bytes) {
        uninit_store(scene, gprs->l1, l1->first, bytes, origin);
    }
}

/* Reports what decides by an undefined GPR: what follows from that is no further mistake. */
static void judge_taken(const struct check_scene *scene, struct uninit_gpr *gpr, const char *what)
{
    if (gpr && gpr->undefined && scene->hart < RV32_CORES &&
        check_is_of_kernel(scene, scene->event->pc)) {
        uninit_report(scene, scene->hart, scene->event->pc, &gpr->origin, what);
        gpr->undefined = 0;
    }
}

static void compute_gprs(const struct check_scene *scene, struct uninit_gprs *gprs)
{
    const struct observed_work *work = scene->event->work;
    const struct uninit_gpr *source = find_undefined(scene, gprs);
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        const bool writes = touch->state == OBSERVED_STATE_GPR && touch->is_write;
        const uint32_t end = touch->first + touch->count;
        for (uint32_t j = touch->first; writes && j < end; j++) {
            struct uninit_gpr *gpr = &gprs->gpr[j % (TENSIX_THREADS * TENSIX_GPRS)];
            gpr->origin = source ? source->origin : gpr->origin;
            gpr->origin.is_computed |= source != NULL;
            gpr->undefined = source ? UINT32_MAX : 0;
        }
    }
}

void uninit_gpr_unit(const struct check_scene *scene, struct uninit_gprs *gprs)
{
    const struct observed_work *work = scene->event->work;
    const uint32_t word = scene->event->word;
    if (!((work->reads | work->writes) >> OBSERVED_STATE_GPR & 1) ||
        scene->event->thread >= TENSIX_THREADS ||
        (work->unit != TENSIX_UNIT_SCALAR && work->unit != TENSIX_UNIT_CONFIG)) {
        return;
    }
    const bool loads = work->reads >> OBSERVED_STATE_L1 & 1;
    const bool stores = work->writes >> OBSERVED_STATE_L1 & 1;
    const uint32_t half = tensix_gpr_half_set(work->row, word);
    if (loads && !stores) {
        const struct tensix_args_LOADIND args = tensix_decode_LOADIND(word);
        judge_taken(scene, gpr_of(scene, gprs, args.addr_reg), "a load has an address from");
        load_gprs(scene, gprs);
    } else if (stores && !loads) {
        const struct tensix_args_STOREIND_L1 args = tensix_decode_STOREIND_L1(word);
        judge_taken(scene, gpr_of(scene, gprs, args.addr_reg), "a store has an address from");
        store_gprs(scene, gprs);
    } else if (work->writes >> OBSERVED_STATE_CONFIG & 1) {
        judge_taken(scene, find_undefined(scene, gprs), "a word of Config gets a value from");
    } else if (half != UINT32_MAX) {
        const unsigned gpr = tensix_decode_SETDMAREG_IMM(word).result_half_reg / 2;
        gpr_of(scene, gprs, gpr)->undefined &= ~half;
    } else {
        compute_gprs(scene, gprs);
    }
}

/* --- Harts --- */

uint32_t uninit_gpr_loaded(const struct check_scene *scene, const struct uninit_gprs *gprs,
                           unsigned index, struct uninit_origin *origin)
{
    const struct uninit_gpr *gpr = &gprs->gpr[index];
    if (gpr->undefined) {
        *origin = gpr->origin;
        return gpr->undefined;
    }
    const uint32_t unset = check_config_unset_gpr(scene, index);
    if (unset) {
        *origin = (struct uninit_origin){.kind = ORIGIN_GPR, .address = index % TENSIX_GPRS};
    }
    return unset;
}
