/*
 * What the public calls (src/api) ask a chip: functions of the same names and types, which the code
 * that is compiled for each kind of chip has with the prefix chip_. Arguments that are structs with
 * a size have their full size here. None of these writes an entry of a journal for the call itself.
 */
#ifndef CHIP_CALLS_H
#define CHIP_CALLS_H

#include <penrose/debug.h>
#include <penrose/dump.h>
#include <penrose/history.h>
#include <penrose/metal.h>
#include <penrose/trace.h>

struct chip_calls {
    const char *name; /* of the kind of chip, as struct arch has it */
    bool (*has_card)(const char *name);
    const char *(*cards)(char *text, size_t size); /* their names, with commas between them */
    __typeof__(penrose_chip_create) *create;
    __typeof__(penrose_chip_destroy) *destroy;
#define CALL(name) __typeof__(penrose_##name) *name;
#include "chip/calls.def"
#undef CALL
};

/* A chip begins with these members, whatever kind it is. */
struct chip_head {
    const struct chip_calls *calls;
    struct journal *journal;
};

extern __typeof__(penrose_chip_create) chip_create;
extern __typeof__(penrose_chip_destroy) chip_destroy;
#define CALL(name) extern __typeof__(penrose_##name) chip_##name;
#include "chip/calls.def"
#undef CALL

/* Those of the chip that this is compiled for (calls.c). */
extern const struct chip_calls chip_calls;

#endif
