/* Faults and stops as text, as penrose.h and debug.h describe it. */
#ifndef OBSERVE_REPORT_H
#define OBSERVE_REPORT_H

#include <penrose/debug.h>

int report_fault_format(const struct penrose_fault *fault, char *text, size_t size);
bool report_fault_alike(const struct penrose_fault *fault, const struct penrose_fault *other);
int report_fault_format_others(const struct penrose_fault *fault, const struct penrose_place *tiles,
                               size_t count, char *text, size_t size);
int report_stop_format(const struct penrose_stop *stop, char *text, size_t size);

#endif
