/* Points, stops, traces, history, dumps. */
#include "api/api.h"

#include <stddef.h>

#include "arch/names.h"
#include "observe/report.h"
#include "observe/trace/filter.h"

enum {
    LEAST_POINT = offsetof(struct penrose_point, condition), /* the first version */
    LEAST_GOAL = offsetof(struct penrose_goal, chip),
};

PENROSE_EXPORT const char *penrose_agent_name(enum penrose_agent agent)
{
    return arch_agent_name(agent);
}

PENROSE_EXPORT enum penrose_status penrose_point_set(struct penrose_chip *chip,
                                                     const struct penrose_point *point,
                                                     unsigned *id, struct penrose_error *error)
{
    struct penrose_point own = {.size = sizeof own};
    enum penrose_status status = api_take_sized(point, &own, LEAST_POINT, "penrose_point", error);
    return status == PENROSE_OK ? chip_calls_of(chip)->point_set(chip, &own, id, error) : status;
}

PENROSE_EXPORT enum penrose_status penrose_point_clear(struct penrose_chip *chip, unsigned id,
                                                       struct penrose_error *error)
{
    return chip_calls_of(chip)->point_clear(chip, id, error);
}

PENROSE_EXPORT bool penrose_point_get(const struct penrose_chip *chip, size_t index,
                                      struct penrose_point *point)
{
    return chip_calls_of(chip)->point_get(chip, index, point);
}

PENROSE_EXPORT bool penrose_stop_get(const struct penrose_chip *chip, size_t index,
                                     struct penrose_stop *stop)
{
    return chip_calls_of(chip)->stop_get(chip, index, stop);
}

PENROSE_EXPORT int penrose_stop_format(const struct penrose_stop *stop, char *text, size_t size)
{
    return report_stop_format(stop, text, size);
}

PENROSE_EXPORT void penrose_shortcuts_set(struct penrose_chip *chip, bool allows)
{
    chip_calls_of(chip)->shortcuts_set(chip, allows);
}

PENROSE_EXPORT const char *penrose_trace_kind_name(enum penrose_trace_kind kind)
{
    return trace_kind_name(kind);
}

PENROSE_EXPORT enum penrose_status penrose_check(struct penrose_chip *chip, const char *checks,
                                                 struct penrose_error *error)
{
    return chip_calls_of(chip)->check(chip, checks, error);
}

PENROSE_EXPORT enum penrose_status penrose_delay(struct penrose_chip *chip, const char *rules,
                                                 struct penrose_error *error)
{
    return chip_calls_of(chip)->delay(chip, rules, error);
}

PENROSE_EXPORT enum penrose_status
penrose_trace(struct penrose_chip *chip, const char *filter,
              void (*take)(void *context, const struct penrose_trace_event *event), void *context,
              struct penrose_error *error)
{
    return chip_calls_of(chip)->trace(chip, filter, take, context, error);
}

/* --- History --- */

/* The goal in a copy of its own, and its points, which stay the caller's, checked. */
static enum penrose_status take_goal(const struct penrose_goal *given, struct penrose_goal *own,
                                     struct penrose_error *error)
{
    *own = (struct penrose_goal){.size = sizeof *own};
    enum penrose_status status = api_take_sized(given, own, LEAST_GOAL, "penrose_goal", error);
    own->points = own->kind == PENROSE_GOAL_POINTS ? own->points : 0;
    for (size_t i = 0; i < own->points && status == PENROSE_OK; i++) {
        struct penrose_point point = {.size = sizeof point};
        status = api_take_sized(&own->point[i], &point, sizeof point, "penrose_point", error);
    }
    return status;
}

PENROSE_EXPORT enum penrose_status
penrose_history_start(struct penrose_chip *chip, const struct penrose_history_options *options,
                      struct penrose_history **history, struct penrose_error *error)
{
    struct penrose_history_options own = {.size = sizeof own};
    enum penrose_status status =
        options ? api_take_sized(options, &own, sizeof own, "penrose_history_options", error)
                : PENROSE_OK;
    *history = NULL;
    return status == PENROSE_OK ? chip_calls_of(chip)->history_start(chip, &own, history, error)
                                : status;
}

PENROSE_EXPORT void penrose_history_end(struct penrose_history *history)
{
    if (history) {
        chip_calls_of(history)->history_end(history);
    }
}

PENROSE_EXPORT void penrose_history_info(const struct penrose_history *history,
                                         struct penrose_history_info *info)
{
    chip_calls_of(history)->history_info(history, info);
}

PENROSE_EXPORT enum penrose_status penrose_history_past(struct penrose_history *history,
                                                        uint64_t cycle, struct penrose_chip **past,
                                                        struct penrose_error *error)
{
    return chip_calls_of(history)->history_past(history, cycle, past, error);
}

static enum penrose_status search_history(struct penrose_history *history, bool is_back,
                                          struct penrose_chip **past,
                                          const struct penrose_goal *goal,
                                          enum penrose_history_end *end,
                                          struct penrose_error *error)
{
    const struct chip_calls *calls = chip_calls_of(history);
    struct penrose_goal own;
    enum penrose_status status = take_goal(goal, &own, error);
    if (status == PENROSE_OK) {
        status = is_back ? calls->history_back(history, past, &own, end, error)
                         : calls->history_forward(history, *past, &own, end, error);
    }
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_history_back(struct penrose_history *history,
                                                        struct penrose_chip **past,
                                                        const struct penrose_goal *goal,
                                                        enum penrose_history_end *end,
                                                        struct penrose_error *error)
{
    return search_history(history, true, past, goal, end, error);
}

PENROSE_EXPORT enum penrose_status penrose_history_forward(struct penrose_history *history,
                                                           struct penrose_chip *past,
                                                           const struct penrose_goal *goal,
                                                           enum penrose_history_end *end,
                                                           struct penrose_error *error)
{
    return search_history(history, false, &past, goal, end, error);
}

PENROSE_EXPORT bool penrose_history_stop_get(const struct penrose_chip *past, size_t index,
                                             struct penrose_stop *stop)
{
    return chip_calls_of(past)->history_stop_get(past, index, stop);
}

PENROSE_EXPORT enum penrose_status
penrose_history_last_writer(struct penrose_history *history, struct penrose_chip **past, unsigned x,
                            unsigned y, enum penrose_hart hart, uint32_t address, uint32_t bytes,
                            struct penrose_stop *stop, enum penrose_history_end *end,
                            struct penrose_error *error)
{
    return chip_calls_of(history)->history_last_writer(history, past, x, y, hart, address, bytes,
                                                       stop, end, error);
}

PENROSE_EXPORT enum penrose_status penrose_dump_write(struct penrose_chip *chip,
                                                      const struct penrose_dump_options *options,
                                                      const char *directory,
                                                      struct penrose_error *error)
{
    struct penrose_dump_options own = {.size = sizeof own};
    enum penrose_status status =
        options ? api_take_sized(options, &own, sizeof own, "penrose_dump_options", error)
                : PENROSE_OK;
    return status == PENROSE_OK ? chip_calls_of(chip)->dump_write(chip, &own, directory, error)
                                : status;
}
