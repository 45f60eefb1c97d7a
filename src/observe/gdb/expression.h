/*
 * Conditions of breakpoints as GDB compiles them: programs for a small stack machine. Source: GDB
 * manual, The GDB Agent Expression Mechanism.
 */
#ifndef OBSERVE_GDB_EXPRESSION_H
#define OBSERVE_GDB_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where values come from; false: there is no such register, or nothing answers. */
struct gdb_values {
    bool (*reg)(void *context, unsigned number, uint64_t *value);
    bool (*memory)(void *context, uint64_t address, void *bytes, size_t size);
    void *context;
};

/* The value of a program; false where it is not well formed, reads what is not there, or takes more
 * than a bounded number of steps. Any bytes may be given. */
bool gdb_evaluate(const uint8_t *code, size_t size, const struct gdb_values *values,
                  uint64_t *value);

#endif
