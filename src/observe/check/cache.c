/*
 * What the L0 data cache of a hart may hold. A hart that has loaded a word of L1, and loads it
 * again without a fence between, may get the old one, although somebody else has changed L1
 * meanwhile.
 *
 * SPEC: BabyRISCV README and MemoryOrdering: four lines of 16 bytes, which a fence forgets. The
 * hardware also forgets them by chance, on which no program can rely.
 */
#include "observe/check/check.h"

#include <stdio.h>
#include <string.h>

static struct check_line *find_cached_line(struct check_cache *cache, uint32_t address)
{
    for (unsigned i = 0; i < CHECK_LINES; i++) {
        struct check_line *line = &cache->line[i];
        if (line->is_there && line->address == address / CHECK_LINE_BYTES * CHECK_LINE_BYTES) {
            return line;
        }
    }
    return NULL;
}

/* --- What others change --- */

static void change_lines(const struct check_scene *scene, struct check_tile *own)
{
    const struct observed *event = scene->event;
    uint64_t end = event->address + event->size;
    for (unsigned i = 0; i < RV32_CORES * CHECK_LINES; i++) {
        unsigned hart = i / CHECK_LINES;
        struct check_line *line = &own->cache[hart].line[i % CHECK_LINES];
        if (!line->is_there || line->address >= end ||
            line->address + CHECK_LINE_BYTES <= event->address) {
            continue;
        }
        if (event->agent == hart) { /* its own store takes the line out */
            line->is_there = false;
            continue;
        }
        for (unsigned word = 0; word < CHECK_LINE_WORDS; word++) {
            uint32_t address = line->address + word * 4;
            if (address < end && event->address < address + 4) {
                line->is_changed[word] = true;
                line->changed_by[word] = event->agent == OBSERVED_NOC && event->asker < RV32_CORES
                                             ? (enum observed_agent)event->asker
                                             : event->agent;
                line->changed_at[word] = event->pc;
                line->changed_in[word] =
                    event->agent == OBSERVED_NOC ? event->node : scene->tile->node;
            }
        }
    }
}

/* --- What the hart loads --- */

static void report_stale(const struct check_scene *scene, struct check_line *line, unsigned word)
{
    const struct observed *event = scene->event;
    struct check_scene of_writer = check_scene_at(scene, line->changed_in[word]);
    char loaded[CHECK_PLACE], changed[CHECK_PLACE + 32], place[CHECK_PLACE] = "";
    of_writer = of_writer.tile ? of_writer : *scene;
    snprintf(changed, sizeof changed, "%s",
             line->changed_by[word] <= OBSERVED_NCRISC
                 ? check_place(&of_writer, line->changed_by[word], line->changed_at[word], place)
             : line->changed_by[word] == OBSERVED_HOST ? "a host"
                                                       : "another agent");
    check_report(
        scene, PENROSE_FAULT_STALE_LOAD, scene->hart, event->pc, (uint32_t)event->address,
        "loads 0x%x again behind %s, and %s of tile (%u, %u) has changed it since; a fence, "
        "invalidate_l1_cache(), is missing",
        (uint32_t)event->address, check_place(scene, scene->hart, line->loaded_at[word], loaded),
        changed, of_writer.tile->x, of_writer.tile->y);
}

static void load_line(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_cache *cache = &scene->own->cache[scene->hart];
    uint32_t address = (uint32_t)event->address;
    unsigned word = address % CHECK_LINE_BYTES / 4;
    struct check_line *line = find_cached_line(cache, address);
    if (line && line->is_changed[word] && line->loaded_at[word] &&
        check_is_of_kernel(scene, event->pc)) {
        report_stale(scene, line, word);
        line->is_there = false; /* one mistake */
        line = NULL;
    }
    if (!line) {
        line = &cache->line[cache->victim++ % CHECK_LINES];
        *line = (struct check_line){.is_there = true,
                                    .address = address / CHECK_LINE_BYTES * CHECK_LINE_BYTES};
    }
    line->loaded_at[word] = event->pc;
}

void check_cache_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_tile *own = scene->checks->tile[scene->tile->node];
    if (event->is_gddr || event->address >= scene->tile->kind->l1_bytes || !own) {
        return;
    }
    if (event->kind == OBSERVED_WRITTEN) {
        change_lines(scene, own);
    } else if (event->kind == OBSERVED_READ && event->agent <= OBSERVED_NCRISC &&
               !(scene->tile->hart[event->agent].csr.cfg0 & RV32_CFG0_DIS_LOW_CASH)) {
        load_line(scene);
    }
}

void check_cache_starts(const struct check_scene *scene)
{
    const struct rv32_operands *insn = check_instruction(scene);
    if (!scene->checks->does[CHECK_NOC]) {
        return;
    }
    if (insn->row == RV32_ROW_FENCE || (insn->size > 0 && insn->effects.traits & RV32_LOADS &&
                                        insn->effects.traits & RV32_STORES)) {
        scene->own->cache[scene->hart] = (struct check_cache){.fenced_at = scene->event->cycle};
    }
}

/* A hart that sleeps in a polling loop, or goes on: nobody is told of the instructions between. */
void check_cache_polls(const struct check_scene *scene)
{
    struct check_cache *cache = &scene->own->cache[scene->hart];
    const uint64_t cycle = scene->event->cycle;
    if (scene->event->kind == OBSERVED_POLLS) {
        uint64_t period = scene->tile->run[scene->hart].idle.period;
        cache->is_fenced_again = cycle - cache->fenced_at <= period;
    } else if (cache->is_fenced_again) {
        *cache = (struct check_cache){.fenced_at = cycle};
    }
}
