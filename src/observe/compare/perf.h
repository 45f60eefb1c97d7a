/*
 * Comparing measurements of time: CSV files of the LLK suite's performance tests (a row is a marker
 * and a configuration, a column mean(RUN_TYPE) its cycles), and the device profiler's
 * profile_log_device.csv (pairs of ZONE_START and ZONE_END).
 *
 * A point is what is measured: marker, configuration and run type, or core, hart, run and zone. A
 * point that is measured more than once has the median of its values.
 */
#ifndef OBSERVE_COMPARE_PERF_H
#define OBSERVE_COMPARE_PERF_H

#include <stdbool.h>
#include <stddef.h>

#include <penrose/error.h>

/* A point regresses if it is slower by more than both. */
struct perf_rule {
    double percent, cycles;
};

enum perf_verdict {
    PERF_SAME,
    PERF_SLOWER,
    PERF_FASTER,
    PERF_SMALL, /* moved by more than the percentage, but not by the cycles */
};

struct perf_point {
    char *name;
    double before, after; /* cycles */
    enum perf_verdict verdict;
};

struct perf_comparison {
    struct perf_point *point; /* slowest first */
    size_t points;
    size_t slower, faster, small; /* of them */
    size_t added, lost;           /* points that only the new or the old file has */
};

/*
 * Compares two files of the same kind. PENROSE_E_FILE, PENROSE_E_FORMAT (neither of these kinds, or not
 * the same; broken rows; no point that both have), PENROSE_E_MEMORY. To be freed with perf_free
 * in any case.
 */
enum penrose_status perf_compare(const char *before, const char *after, struct perf_rule rule,
                                 struct perf_comparison *comparison, struct penrose_error *error);
void perf_free(struct perf_comparison *comparison);

#endif
