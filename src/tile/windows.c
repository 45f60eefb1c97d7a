/*
 * The windows through which harts reach the coprocessor: MOP configuration, GPRs, instruction
 * buffers and backend configuration (SPEC: BlackholeA0 BabyRISCV README, PushTensixInstruction,
 * BackendConfiguration; WormholeB0 MOPExpander, ScalarUnit).
 */
#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "tensix/config/unread.h"
#include "tile/fault.h"
#include "tile/report.h"
#include "tile/tensix_port.h"
#include "tile/tile.h"

/* The hardware would take some words of the expansion from before the store, some from after it. */
static void report_mop_race(struct tile *tile, const struct mmio_access *access)
{
    char text[160];
    snprintf(text, sizeof text,
             "a store changes word %u of the MOP configuration while a MOP is queued or expanding; "
             "mop_sync() (a load from 0x%08x) is missing",
             access->offset / 4, AT_MOP_EXPANDER_DONE);
    tile_agent_fault(tile, PENROSE_FAULT_MOP_RACE, access->agent, access->cycle, access->address,
                     text);
}

enum answer tile_mmio_MOP_CFG(struct tile *tile, struct mmio_access *access)
{
    unsigned index = access->offset / 4;
    if (index >= TENSIX_MOP_WORDS) {
        return mmio_refuse(access, ANSWER_UNMAPPED, "the MOP configuration has nine words");
    }
    if (access->operation == MMIO_READ) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "the MOP configuration is write-only: reading it is undefined");
    }
    if (access->operation == MMIO_WRITE && tensix_mop_busy(&tile->tensix, mmio_thread(access))) {
        report_mop_race(tile, access);
    }
    return mmio_word(access, &tile->tensix.thread[mmio_thread(access)].mop.config[index],
                     UINT32_MAX);
}

enum { GPR_BANK_BYTES = 4 * TENSIX_GPRS };
_Static_assert(LAST_GPR == AT_GPR + TENSIX_THREADS * GPR_BANK_BYTES - 1, "GPRs");

/* SPEC: MemoryOrdering, a TRISC's bank repeats every 256 B. */
bool tile_gpr_at(enum tile_agent agent, uint32_t offset, unsigned *thread, unsigned *index)
{
    *thread = agent == AGENT_B ? offset / GPR_BANK_BYTES : (unsigned)agent - AGENT_T0;
    *index = offset % GPR_BANK_BYTES / 4;
    return *thread < TENSIX_THREADS;
}

enum answer tile_mmio_GPR(struct tile *tile, struct mmio_access *access)
{
    unsigned thread, index;
    if (!tile_gpr_at(access->agent, access->offset, &thread, &index)) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "brisc sees 3 times 64 GPRs, up to " ARCH_TEXT(LAST_GPR));
    }
    if (tile_waits_for_ttsync(tile, access, TENSIX_TRACKS_GPRS)) {
        return ANSWER_WAIT;
    }
    enum answer answer = mmio_word(access, &tile->tensix.gpr[thread][index], UINT32_MAX);
    if (mmio_wrote(access, answer)) { /* harts see one GPR at different addresses */
        tile_registers_changed(tile, TILE_GPR_WINDOW, TILE_GPR_WINDOW_BYTES, access->cycle);
    }
    return answer;
}

/* SPEC: B has a buffer for each thread; a TRISC has its own, at the first address alone. */
bool tile_pushes_to(enum tile_agent agent, uint32_t offset, unsigned *thread)
{
    const bool is_b = agent == AGENT_B;
    unsigned buffer = offset / STEP_INSTRN_BUF;
    *thread = is_b ? buffer : (unsigned)agent - AGENT_T0;
    return is_b || (agent >= AGENT_T0 && agent <= AGENT_T2 && buffer == 0);
}

enum answer tile_mmio_INSTRN_BUF(struct tile *tile, struct mmio_access *access)
{
    unsigned thread;
    if (access->agent == AGENT_NC) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "ncrisc cannot push Tensix instructions; brisc and the TRISCs can");
    }
    if (!tile_pushes_to(access->agent, access->offset, &thread)) {
        return mmio_refuse(
            access, ANSWER_HANG,
            "a TRISC pushes at " ARCH_TEXT(AT_INSTRN_BUF) " only; a store here hangs it");
    }
    if (!mmio_is_write(access)) {
        return mmio_refuse(access, ANSWER_UNMAPPED, "the instruction buffers cannot be read");
    }
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    if (access->operation == MMIO_POKE) {
        return ANSWER_DONE; /* a push is an effect */
    }
    return tile_queue(tile, access->agent, thread, access->value, access->cycle) ? ANSWER_DONE
                                                                                 : ANSWER_WAIT;
}

static void look_for_races(struct tile *tile, const struct mmio_access *access, unsigned index)
{
    char text[PENROSE_RULE_TEXT];
    bool is_dual = index >= TENSIX_CONFIG_DUAL;
    unsigned word = index % TENSIX_STATE_WORDS;
    for (unsigned state = 0; state < TENSIX_STATES; state++) {
        uint32_t changed = tile->tensix.config[state][word] ^ access->value;
        bool is_written = is_dual || state == index / TENSIX_STATE_WORDS;
        enum tensix_flight_unit unit =
            tensix_race(&tile->tensix, state, word, changed, access->cycle);
        if (is_written && unit != TENSIX_FLIGHTS) {
            tensix_race_text(&tile->tensix, unit, word, changed, "a store", true, text,
                             sizeof text);
            tile_agent_fault(tile, PENROSE_FAULT_CONFIG_RACE, access->agent, access->cycle,
                             access->address, text);
            return;
        }
    }
}

static enum answer write_config(struct tile *tile, struct mmio_access *access, unsigned index)
{
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    if (access->operation == MMIO_WRITE && index < TENSIX_CONFIG_THREAD) {
        look_for_races(tile, access, index);
    }
    enum answer answer = tensix_config_write(&tile->tensix, index, access->value);
    if (answer_is_refusal(answer)) {
        return mmio_refuse(access, answer,
                           "harts cannot write ThreadConfig: push a SETC16 instruction");
    }
    if (answer == ANSWER_UNMODELLED) {
        tile_report_unread(
            tile, access,
            tensix_unread_field(false, index % TENSIX_STATE_WORDS, access->value)->name);
    }
    if (access->operation == MMIO_WRITE) {
        tile_event(tile, access->cycle);
    }
    return ANSWER_DONE;
}

_Static_assert(LAST_CONFIG == AT_CONFIG + 4 * TENSIX_CONFIG_WORDS - 1, "Config's end");

enum answer tile_mmio_CONFIG(struct tile *tile, struct mmio_access *access)
{
    unsigned index = access->offset / 4;
    if (index >= TENSIX_CONFIG_WORDS) {
        return mmio_refuse(
            access, ANSWER_UNMAPPED,
            "the backend configuration ends with ThreadConfig at " ARCH_TEXT(LAST_CONFIG));
    }
    if (tile_waits_for_ttsync(tile, access, TENSIX_TRACKS_CONFIG)) {
        return ANSWER_WAIT;
    }
    if (mmio_is_write(access)) {
        return write_config(tile, access, index);
    }
    return mmio_value(access, tensix_config_read(&tile->tensix, index));
}
