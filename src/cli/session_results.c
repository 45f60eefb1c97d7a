/* What a session has to tell when its runs are over, made from what is left on the chip. */
#include "cli/session_results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "cli/output.h"
#include "isa/json_text.h"
#include "observe/dump/dump.h"

uint64_t session_ended_at(const struct session *session)
{
    uint64_t last = penrose_last_activity(session->chip);
    if (session->at_limit) {
        return penrose_now(session->chip);
    }
    return last > session->opened_at ? last : session->opened_at;
}

uint64_t session_cycles(const struct session *session)
{
    return session_ended_at(session) - session->opened_at;
}

/* The timing of a restored chip is not asked for: its cycles are told as such. */
double session_simulated_ms(const struct session *session, uint64_t cycles)
{
    return session->options->chip.timed ? (double)cycles / (1e3 * penrose_clock_mhz(session->chip))
                                        : NAN;
}

struct penrose_chip *session_companion(const struct session *session, size_t *number)
{
    const struct penrose_cluster *cluster = penrose_chip_cluster(session->chip, NULL);
    struct penrose_chip *chip = penrose_cluster_chip(cluster, *number);
    *number += chip == session->chip;
    return penrose_cluster_chip(cluster, *number);
}

struct tile_count session_count(struct session *session, enum penrose_tile_kind kind)
{
    struct tile_count count = {0};
    for (unsigned i = 0; i < session->options->tiles; i++) {
        struct penrose_place tile = session->options->tile[i];
        if (penrose_tile_kind(session->chip, tile.x, tile.y) == kind) {
            count.tiles++;
            count.ready += penrose_firmware_ready(session->chip, tile.x, tile.y, session->firmware);
        }
    }
    return count;
}

static json_t *fault_json(const struct penrose_fault *fault)
{
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_text(penrose_fault_name(fault->kind)));
    json_object_set_new(object, "policy", json_text(penrose_policy_name(fault->policy)));
    json_object_set_new(object, "rule", json_text(fault->rule));
    json_set_count(object, "x", fault->x);
    json_set_count(object, "y", fault->y);
    json_object_set_new(object, "hart", json_text(fault->hart_name));
    json_object_set_new(object, "thread",
                        fault->thread < 0 ? json_null() : json_integer(fault->thread));
    json_set_count(object, "cycle", fault->cycle);
    json_object_set_new(object, "pc", json_address(fault->pc));
    bool has_word = *fault->disassembly;
    json_object_set_new(object, "word", has_word ? json_address(fault->word) : json_null());
    json_object_set_new(object, "address", json_address(fault->address));
    json_object_set_new(object, "disassembly",
                        has_word ? json_text(fault->disassembly) : json_null());
    json_object_set_new(object, "symbol", json_text(fault->symbol));
    json_object_set_new(object, "source", json_text(fault->source));
    json_object_set_new(object, "inlined_at", dump_fault_calls(fault));
    json_object_set_new(object, "hint", json_text(fault->hint));
    json_set_count(object, "repeated", fault->repeated);
    return object;
}

static json_t *unmodelled_json(const struct penrose_unmodelled *entry)
{
    json_t *object = json_object();
    if (entry->word) {
        json_object_set_new(object, "instruction", json_address(entry->word));
    }
    json_object_set_new(object, "address", json_address(entry->address));
    json_object_set_new(object, "range", json_text(entry->range));
    json_object_set_new(object, "written", json_boolean(entry->written));
    json_object_set_new(object, "read", json_boolean(entry->read));
    json_set_count(object, "times", entry->times);
    json_set_count(object, "x", entry->x);
    json_set_count(object, "y", entry->y);
    json_object_set_new(object, "hart", json_text(penrose_hart_name(entry->hart)));
    json_object_set_new(object, "pc", json_address(entry->pc));
    return object;
}

static json_t *waits_json(struct session *session)
{
    json_t *lines = json_array();
    char *text = output_waits(session->chip, NULL), *rest = text;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        if (*line) {
            json_array_append_new(lines, json_text(line + strspn(line, " ")));
        }
    }
    free(text);
    return lines;
}

json_t *session_json(struct session *session, enum cli_exit exit)
{
    json_t *object = json_object(), *faults = json_array(), *host = json_object();
    struct penrose_fault fault;
    struct penrose_unmodelled entry;
    struct penrose_chip *chip;
    for (size_t i = 0; penrose_fault_get(session->chip, i, &fault); i++) {
        json_array_append_new(faults, fault_json(&fault));
    }
    for (size_t number = 0; (chip = session_companion(session, &number)); number++) {
        for (size_t i = 0; penrose_fault_get(chip, i, &fault); i++) {
            json_t *of_other = fault_json(&fault);
            json_set_count(of_other, "chip", number);
            json_array_append_new(faults, of_other);
        }
    }
    json_object_set_new(host, "loading", json_real(session->loading_ms));
    json_object_set_new(host, "running", json_real(session->running_ms));
    json_object_set_new(object, "command", json_text(session->cli->command));
    json_object_set_new(object, "outcome", json_text(cli_exit_name(exit)));
    json_object_set_new(object, "exit_status", json_integer(exit));
    json_set_count(object, "cycles", session_ended_at(session));
    json_object_set_new(object, "kernels", json_text(penrose_kernels(session->chip)));
    json_object_set_new(object, "host_ms", host);
    json_object_set_new(object, "faults", faults);
    if (session->options->warn_unmodelled) {
        json_t *unmodelled = json_array();
        for (size_t i = 0; penrose_unmodelled_get(session->chip, i, &entry); i++) {
            json_array_append_new(unmodelled, unmodelled_json(&entry));
        }
        json_object_set_new(object, "unmodelled", unmodelled);
    }
    if (exit == CLI_CYCLES || exit == CLI_DEADLOCK) {
        json_object_set_new(object, "waits", waits_json(session));
    }
    return object;
}

/* A hart, and where it stands. */
struct hart_seen {
    struct penrose_hart_info info;
    const char *name;
    uint32_t at;
    char symbol[128], source[256];
};

/* False: the tile has no such hart. */
static bool see_hart(struct session *session, struct penrose_place tile, enum penrose_hart hart,
                     struct hart_seen *seen)
{
    struct penrose_chip *chip = session->chip;
    if (penrose_hart_info(chip, tile.x, tile.y, hart, &seen->info, NULL) != PENROSE_OK) {
        return false;
    }
    const char *name = penrose_hart_name_at(chip, tile.x, tile.y, hart);
    seen->name = name ? name : penrose_hart_name(hart);
    seen->at = chip_calls_of(chip)->stands_at(chip, tile.x, tile.y, hart);
    penrose_locate(chip, tile.x, tile.y, seen->at, seen->symbol, sizeof seen->symbol, seen->source,
                   sizeof seen->source);
    return true;
}

json_t *session_harts_json(struct session *session, struct penrose_place tile, unsigned harts)
{
    json_t *array = json_array();
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct hart_seen seen;
        if (!(harts & 1u << hart) || !see_hart(session, tile, (enum penrose_hart)hart, &seen)) {
            continue;
        }
        json_t *object = json_object(), *registers = json_array();
        for (unsigned i = 0; i < 32; i++) {
            json_array_append_new(registers, json_integer(seen.info.x[i]));
        }
        json_object_set_new(object, "hart", json_text(seen.name));
        json_object_set_new(object, "state", json_text(hart_state_name(seen.info.state)));
        json_object_set_new(object, "pc", json_address(seen.info.pc));
        json_object_set_new(object, "symbol", json_text(seen.symbol));
        json_object_set_new(object, "source", json_text(seen.source));
        json_object_set_new(object, "inlined_at",
                            json_calls(session->chip, tile.x, tile.y, seen.at));
        json_set_count(object, "instructions", seen.info.retired);
        json_object_set_new(object, "x", registers);
        json_array_append_new(array, object);
    }
    return array;
}

void session_print_harts(struct session *session, struct penrose_place tile, unsigned harts,
                         bool with_exit)
{
    printf("  %-7s %-8s %s%12s  %-10s  %s\n", "hart", "state", with_exit ? "exit value  " : "",
           "instructions", "pc", "where");
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct hart_seen seen;
        char calls[1024], value[16] = "-";
        if (!(harts & 1u << hart) || !see_hart(session, tile, (enum penrose_hart)hart, &seen)) {
            continue;
        }
        bool is_done = with_exit && seen.info.state == PENROSE_HART_PAUSED;
        output_calls(session->chip, tile.x, tile.y, seen.at, calls, sizeof calls);
        if (is_done) {
            snprintf(value, sizeof value, "%d", (int)seen.info.x[10]);
        }
        printf("  %-7s %-8s ", seen.name, is_done ? "done" : hart_state_name(seen.info.state));
        if (with_exit) {
            printf("%10s  ", value);
        }
        printf("%12" PRIu64 "  0x%08x%s%s%s%s%s\n", seen.info.retired, seen.info.pc,
               *seen.symbol ? "  " : "", seen.symbol, *seen.source ? ", " : "",
               short_source(seen.source), calls);
    }
}
