/*
 * A chip as data. The tables of a chip are in the folder of its name. The files that work on them
 * (harts, coprocessor, NoC, Ethernet, tiles, chip, debug) include them by their bare names. They
 * are compiled for each chip, with that folder on the include path, so the place of a field is a
 * constant. Files that do not depend on a chip are compiled once.
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
