/* Reports: faults, waits, and uses of hardware that is not modelled. */
#include "api/api.h"

#include "arch/names.h"
#include "observe/report.h"

PENROSE_EXPORT const char *penrose_policy_name(enum penrose_policy policy)
{
    return arch_policy_name(policy);
}

PENROSE_EXPORT const char *penrose_fault_name(enum penrose_fault_kind kind)
{
    return arch_fault_name(kind);
}

PENROSE_EXPORT const char *penrose_fault_rule(enum penrose_fault_kind kind)
{
    return arch_fault_rule(kind);
}

PENROSE_EXPORT size_t penrose_fault_count(const struct penrose_chip *chip)
{
    return chip_calls_of(chip)->fault_count(chip);
}

PENROSE_EXPORT bool penrose_fault_get(struct penrose_chip *chip, size_t index,
                                      struct penrose_fault *fault)
{
    return chip_calls_of(chip)->fault_get(chip, index, fault);
}

PENROSE_EXPORT void penrose_fault_clear(struct penrose_chip *chip)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_CLEAR, NULL, 0, 0);
    chip_calls_of(chip)->fault_clear(chip);
    (void)api_end(chip, is_entry, PENROSE_OK);
}

PENROSE_EXPORT void penrose_fault_isolate(struct penrose_chip *chip)
{
    bool is_entry = API_ENTRY(chip, JOURNAL_ISOLATE, NULL, 0, 0);
    chip_calls_of(chip)->fault_isolate(chip);
    (void)api_end(chip, is_entry, PENROSE_OK);
}

PENROSE_EXPORT int penrose_fault_format(const struct penrose_fault *fault, char *text, size_t size)
{
    return report_fault_format(fault, text, size);
}

PENROSE_EXPORT bool penrose_fault_alike(const struct penrose_fault *fault,
                                        const struct penrose_fault *other)
{
    return report_fault_alike(fault, other);
}

PENROSE_EXPORT int penrose_fault_format_others(const struct penrose_fault *fault,
                                               const struct penrose_place *tiles, size_t count,
                                               char *text, size_t size)
{
    return report_fault_format_others(fault, tiles, count, text, size);
}

PENROSE_EXPORT int penrose_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    return chip_calls_of(chip)->wait_report(chip, text, size);
}

PENROSE_EXPORT int penrose_tensix_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    return chip_calls_of(chip)->tensix_wait_report(chip, text, size);
}

PENROSE_EXPORT int penrose_noc_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    return chip_calls_of(chip)->noc_wait_report(chip, text, size);
}

PENROSE_EXPORT bool penrose_unmodelled_get(struct penrose_chip *chip, size_t index,
                                           struct penrose_unmodelled *entry)
{
    return chip_calls_of(chip)->unmodelled_get(chip, index, entry);
}
