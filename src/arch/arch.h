/*
 * A chip as data: what differs between chips, gathered in one struct that hangs on the chip. The
 * tables of a chip are in the folder of its name; code that has not been given a struct arch
 * includes them from there.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

struct arch {
    const char *name; /* as soc_descriptor.yaml has it, in lower case */
    unsigned clock_mhz;
};

extern const struct arch arch_blackhole;

#endif
