/*
 * Checks: observers that find programs of tt-metal which are right by luck (penrose_check).
 *
 * A check keeps a shadow of what a program can rely on, and reports an access that relies on more. It
 * knows nothing but events (observe/observer.h), and what the launch message of the tile says.
 * Findings are guest faults (tile/fault.h), so that policies, reports and debuggers treat them as
 * such. Where a check is in doubt it says nothing.
 *
 * The parts, from below: noc.c follows requests of kernels to the NoC, races.c the units of the
 * coprocessor by order.c, buffers.c circular buffers; check.c hands events to them, and finds where
 * kernels end.
 */
#ifndef OBSERVE_CHECK_H
#define OBSERVE_CHECK_H

#include "chip/chip.h"
#include "loader/launched.h"
#include "observe/check/names.h"

enum {
    CHECK_REQUESTS = 128, /* of a hart that it has not waited for; further ones are not followed */
    CHECK_NO_HART = RV32_CORES,
    CHECK_MOST_TOLD = 256,
};

/* --- Requests to the NoC --- */

enum check_request_kind { CHECK_READ, CHECK_WRITE, CHECK_ATOMIC };

struct check_request {
    enum check_request_kind kind;
    uint8_t noc;
    bool is_answered;
    bool is_told; /* a finding names it already */
    uint32_t pc;
    uint32_t first, size; /* the bytes of L1 that a read brings or a write sends; 0: none */
};

/* Those of a hart, in their order. A request goes when the hart has waited for it. */
struct check_requests {
    struct check_request request[CHECK_REQUESTS];
    unsigned count;
};

/* --- Circular buffers --- */

/* Pages since the launch. What harts have seen of the other side's counter is what they may use. */
struct check_buffer {
    struct loader_circular_buffer about; /* num_pages 0: the kernels have no such buffer */
    uint16_t received, acknowledged;     /* the registers */
    uint32_t pushed, popped;
    uint32_t seen_pushed[RV32_CORES], seen_popped[RV32_CORES];
    uint8_t consumers, producers; /* harts that have popped, or pushed: a bit each */
};

/* --- A tile --- */

struct check_races;

struct check_tile {
    bool is_known; /* the launch of the kernels that run */
    struct loader_launched launched;
    unsigned first_stream; /* that of circular buffer 0 */
    struct check_requests requests[RV32_CORES];
    struct check_buffer buffer[LOADER_MOST_BUFFERS];
    struct check_races *races; /* NULL: nothing of the check races has happened yet */
};

/* A finding that was reported, wherever: the instruction at `pc` of such a hart breaks such a rule in this
 * launch, by the number that the host gave it. */
struct check_told {
    enum penrose_fault_kind kind;
    unsigned hart;
    uint32_t pc, launch;
};

struct checks {
    struct observer observer;
    struct penrose_chip *chip;
    bool does[CHECKS];
    unsigned searches; /* for firmware of a host */
    struct check_told had[CHECK_MOST_TOLD];
    unsigned told;
    struct check_tile *tile[NOC_NODES]; /* NULL: none of its kernels has done anything yet */
};

/* What a check looks at. */
struct check_scene {
    struct checks *checks;
    struct tile *tile;
    struct check_tile *own;
    const struct observed *event;
    unsigned hart; /* that acts, or that has pushed the instruction of the unit that does */
};

/* Reports that the hart breaks a rule by the instruction at `pc`. */
void check_report(const struct check_scene *scene, enum penrose_fault_kind kind, unsigned hart,
                  uint32_t pc, uint32_t address, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* "brisc (writer.cpp:12)": who did something at `pc`, in `text`, which is also the result. */
enum { CHECK_PLACE = 96 };
const char *check_place(const struct check_scene *scene, unsigned hart, uint32_t pc,
                        char text[CHECK_PLACE]);

/* --- noc.c --- */

/* A hart's request leaves, or an answer is there. */
void check_noc_sent(const struct check_scene *scene);
void check_noc_answered(const struct check_scene *scene);
/* A hart has loaded a register of an NIU. */
void check_noc_looked(const struct check_scene *scene);
/* Somebody reads or writes L1. */
void check_noc_access(const struct check_scene *scene);
/* The hart hands bytes of L1 on: to the consumer of a circular buffer, or back to its producer. */
void check_noc_handed(const struct check_scene *scene, enum check_request_kind kind, uint32_t first,
                      uint32_t size, unsigned buffer);
/* A kernel of the hart ends. */
void check_noc_ended(const struct check_scene *scene);

/* --- races.c --- */

/* An instruction of a unit has executed. */
void check_races_unit(const struct check_scene *scene);
/* A hart or a unit reads or writes L1 or a register. */
void check_races_access(const struct check_scene *scene);
/* A hart's request leaves. */
void check_races_sent(const struct check_scene *scene);
/* Bytes of L1 are handed on: pages are pushed, or popped. */
void check_races_handed(const struct check_scene *scene, bool popped, uint32_t first, uint32_t size,
                        unsigned buffer);
/* All kernels of the tile have ended. */
void check_races_ended(const struct check_scene *scene);

/* --- buffers.c --- */

/* A register of a stream was read or written, by a kernel or by firmware, which sets the counters back. */
void check_buffers_register(const struct check_scene *scene, bool is_by_kernel);
/* Somebody reads or writes L1. */
void check_buffers_access(const struct check_scene *scene);
/* Kernels begin whose launch is known now. */
void check_buffers_begin(const struct check_scene *scene);

#endif
