/*
 * A chip as data. The tables of a chip are in the folder of its name. What works on them (harts,
 * coprocessor, NoC, Ethernet, tiles, chip, debug) includes them by their bare names and is compiled
 * for each chip, with that folder on the include path; so a place of a field costs nothing while a
 * chip runs. What is the same for all chips is compiled once.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

struct arch {
    const char *name; /* as soc_descriptor.yaml has it, in lower case */
    unsigned clock_mhz;
};

extern const struct arch arch;

/* An address of addresses.h in texts: ARCH_TEXT(AT_DEBUG) is "0xffb12000". It must be a bare number there. */
#define ARCH_TEXT(address)   ARCH_SPELLED(address)
#define ARCH_SPELLED(number) #number

#endif
