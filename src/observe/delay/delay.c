/*
 * Delays: what may be late on hardware, since nothing makes it be on time, is late here.
 *
 * It looks for harts that come to the instruction of a rule, and is the one observer that changes
 * something: it holds the hart, its thread or its next request. A right program has the same
 * results all the same.
 */
#include "observe/delay/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <penrose/debug.h>

#include "arch/names.h"
#include "chip/chip.h"
#include "isa/error.h"

/* A rule, and how often its hart has come to the instruction on each tile. */
struct delay {
    struct delay_rule rule;
    uint64_t reached[NOC_NODES];
};

/* An instruction starts more than once if its hart is held, or waits in it. All that is one visit,
 * until it has finished. */
struct delay_visit {
    uint32_t pc;
    bool is_under_way;
};

struct delays {
    struct observer observer;
    struct delay_visit visit[NOC_NODES][RV32_CORES];
    unsigned count;
    struct delay delay[];
};

static void hold_up(struct delay *delay, struct tile *tile, uint64_t cycle)
{
    const struct delay_rule *rule = &delay->rule;
    const unsigned core = (unsigned)rule->hart;
    delay->reached[tile->node]++;
    if (rule->number && delay->reached[tile->node] != rule->number) {
        return;
    }
    if (rule->what == DELAYED_HART) {
        tile->late[core].hart += rule->cycles;
    } else if (rule->what == DELAYED_THREAD) {
        uint64_t *time = &tile->tensix.thread[core - RV32_T0].time;
        *time = (*time > cycle ? *time : cycle) + rule->cycles;
    } else if (rule->what == DELAYED_DEPARTURE) {
        tile->late[core].departure += rule->cycles;
    } else {
        tile->late[core].arrival += rule->cycles;
    }
}

static void hold_up_all(struct delays *delays, struct tile *tile, const struct observed *event)
{
    for (unsigned i = 0; i < delays->count; i++) {
        const struct delay_rule *rule = &delays->delay[i].rule;
        if (rule->pc == event->pc && (unsigned)rule->hart == event->agent &&
            (!rule->has_tile || (rule->x == tile->x && rule->y == tile->y))) {
            hold_up(&delays->delay[i], tile, event->cycle);
        }
    }
}

static bool see_hart(void *context, struct tile *tile, const struct observed *event)
{
    struct delays *delays = context;
    struct delay_visit *visit = &delays->visit[tile->node][event->agent];
    if (event->kind == OBSERVED_FINISHED) { /* if it has started no request, none is late */
        tile->late[event->agent].departure = tile->late[event->agent].arrival = 0;
        visit->is_under_way = false;
    } else if (!visit->is_under_way || visit->pc != event->pc) {
        *visit = (struct delay_visit){.pc = event->pc, .is_under_way = true};
        hold_up_all(delays, tile, event);
    }
    return false;
}

/* Packets then arrive in the order that hardware keeps, whichever are late. Chips whose packets
 * take time do that already. */
static bool let_packets_be_late(struct penrose_chip *chip)
{
    if (!chip->board.delivery.at_once) {
        return true;
    }
    chip->flow = calloc(GRID_NOCS, sizeof *chip->flow);
    chip->board.delivery.at_once = !chip->flow;
    chip->board.delivery.has_late = chip->flow;
    return chip->flow;
}

enum penrose_status chip_delay(struct penrose_chip *chip, const char *text,
                               struct penrose_error *error)
{
    struct delay_rules rules;
    enum penrose_status status = delay_rules_parse(text, &rules, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct delays *delays = calloc(1, sizeof *delays + rules.count * sizeof delays->delay[0]);
    bool has_memory = delays, has_arrival = false;
    for (unsigned i = 0; has_memory && i < rules.count; i++) {
        delays->delay[i].rule = rules.rule[i];
        has_arrival |= rules.rule[i].what == DELAYED_ARRIVAL;
    }
    if (has_arrival && chip->head.time.now > 0) {
        free(delays);
        return error_set(error, PENROSE_E_STATE,
                         "packets arrive late only from the first cycle on; leave out rules with "
                         "'.arrival'");
    }
    if (!has_memory) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for delays");
    }
    delays->count = rules.count;
    delays->observer = (struct observer){.kinds = 1 << OBSERVED_STARTS | 1 << OBSERVED_FINISHED,
                                         .lets_sleep = true,
                                         .see = see_hart,
                                         .free = free,
                                         .context = delays};
    status = chip_observe(chip, &delays->observer, error);
    if (status == PENROSE_OK && has_arrival && !let_packets_be_late(chip)) {
        chip_unobserve(chip, &delays->observer);
        status = error_set(error, PENROSE_E_MEMORY, "no memory for late packets");
    }
    if (status != PENROSE_OK) {
        free(delays);
    }
    return status;
}

/* --- What was not held up --- */

static bool is_used(const struct delay *delay)
{
    const uint64_t least = delay->rule.number ? delay->rule.number : 1;
    unsigned node = 0;
    while (node < NOC_NODES && delay->reached[node] < least) {
        node++;
    }
    return node < NOC_NODES;
}

static void describe(const struct delay_rule *rule, char *text, size_t size)
{
    char times[32] = "";
    if (rule->number > 1) {
        snprintf(times, sizeof times, " %" PRIu64 " times", rule->number);
    }
    snprintf(text, size,
             "%s has not come to the instruction at 0x%08" PRIx32 "%s, so nothing is late there",
             arch_hart_name(rule->hart), rule->pc, times);
}

bool delay_unused(const struct penrose_chip *chip, char *text, size_t size)
{
    const struct delays *delays = chip_observing(chip, see_hart);
    for (unsigned i = 0; delays && i < delays->count; i++) {
        if (!is_used(&delays->delay[i])) {
            describe(&delays->delay[i].rule, text, size);
            return true;
        }
    }
    return false;
}
