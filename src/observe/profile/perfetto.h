/*
 * A trace for Perfetto (https://ui.perfetto.dev), in its protobuf form. A nanosecond there is a cycle
 * here. A tile is a process, a lane of a profile a thread: functions of harts, runs of one instruction
 * of the coprocessor, and waits are slices. What leaves by the NoC are instants.
 */
#ifndef OBSERVE_PROFILE_PERFETTO_H
#define OBSERVE_PROFILE_PERFETTO_H

#include <penrose/trace.h>

struct chip_calls;
struct profile;
struct perfetto;

/* A browser opens no larger file with ease: what comes later is left out, and the trace says so. */
enum { PERFETTO_MOST_BYTES = 48 << 20 };

/* `put` takes whole packets. `calls` are those of the kind of chip. NULL when memory runs out. */
struct perfetto *perfetto_create(const struct chip_calls *calls,
                                 void (*put)(void *context, const void *bytes, size_t size),
                                 void *context);

/* Events as for a profile (profile.h). */
void perfetto_take(struct perfetto *perfetto, const struct penrose_trace_event *event);

/* Ends the slices that are open, and adds the launches of an ended profile of the same events. */
void perfetto_end(struct perfetto *perfetto, const struct profile *profile);
void perfetto_destroy(struct perfetto *perfetto); /* NULL does nothing */

#endif
