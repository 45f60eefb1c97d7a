/* The trace of a chip: instructions of harts, and their accesses outside memory. */
#include "chip/chip.h"
#include "isa/export.h"

static bool accesses_memory(const struct tile *tile, const struct observed *event)
{
    return event->address < tile->kind->l1_bytes ||
           event->address - RV32_LOCAL_BASE < tile_local_size((enum rv32_core)event->agent);
}

static bool trace_event(void *context, struct tile *tile, const struct observed *seen)
{
    const struct chip_trace *trace = context;
    bool is_instruction = seen->kind == OBSERVED_STARTS;
    if (seen->agent > OBSERVED_NCRISC || (!is_instruction && accesses_memory(tile, seen))) {
        return false;
    }
    struct penrose_trace_event event = {.type = is_instruction ? PENROSE_TRACE_INSTRUCTION
                                                               : PENROSE_TRACE_ACCESS,
                                        .cycle = seen->cycle,
                                        .x = tile->x,
                                        .y = tile->y,
                                        .hart = (enum penrose_hart)seen->agent};
    if (is_instruction) {
        event.pc = seen->pc;
        event.word = seen->word;
    } else {
        event.address = (uint32_t)seen->address;
        event.value = seen->value;
        event.size = seen->size;
        event.store = seen->kind == OBSERVED_WRITTEN;
        event.range =
            tile_range_title(tile->kind->type, (enum tile_agent)seen->agent, event.address);
    }
    trace->take(trace->context, &event);
    return false;
}

PENROSE_EXPORT void
penrose_trace(struct penrose_chip *chip,
              void (*trace)(void *context, const struct penrose_trace_event *event), void *context)
{
    chip_unobserve(chip, &chip->trace.observer);
    if (trace) {
        chip->trace = (struct chip_trace){
            .observer = {.kinds = 1 << OBSERVED_STARTS | 1 << OBSERVED_READ | 1 << OBSERVED_WRITTEN,
                         .lets_sleep = true,
                         .see = trace_event,
                         .context = &chip->trace},
            .take = trace,
            .context = context};
        chip_observe(chip, &chip->trace.observer, NULL);
    }
}
