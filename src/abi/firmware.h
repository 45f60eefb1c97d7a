/*
 * The firmware that a host has written into tiles. By its debug information reports and dumps know
 * what harts wait for. The library looks for it when it is needed: in PENROSE_FIRMWARE, or else
 * where tt-metal keeps firmware that it has compiled (TT_METAL_CACHE) or brings along
 * (TT_METAL_RUNTIME_ROOT). It takes the firmware whose code is in the tiles, byte by byte.
 */
#ifndef ABI_FIRMWARE_H
#define ABI_FIRMWARE_H

#include <penrose/metal.h>

/* Those that stay open with the chip; a host may load one after the other. */
struct firmware_list {
    struct penrose_firmware *firmware[4];
    unsigned count;
    unsigned searches; /* in vain: programs that are not tt-metal's have none */
    unsigned opened;   /* of those so many have their files among the device's programs */
    bool is_current;   /* it was looked for since programs were forgotten, */
    bool has_looked;   /* and so were kernels that the host has compiled meanwhile */
};

struct device;

/* Complains where PENROSE_FIRMWARE is wrong. */
void device_check_firmware(struct device *device);

/* Looks for it, unless what is open already lies there. */
void device_know_firmware(struct device *device);

/* Looks for the firmware, and finds the files of the code that lies in tiles, or in one: of the
 * firmware, and of the kernels in launch messages, where tt-metal keeps what it has compiled. The chip
 * has symbols and source lines of it until they are forgotten: the host may overwrite the code with
 * the next call. */
void device_know_programs(struct device *device);
void device_know_programs_of(struct device *device, unsigned x, unsigned y);

/* Does this for GDB (see gdb_teach), once harts of the tile run. The context is the machine. */
void machine_teach_gdb(void *context, unsigned chip, unsigned x, unsigned y);
void device_forget_programs(struct device *device);

/* Finds the programs of one tile for a trace, which asks while the chip runs. `context` is the
 * device. */
void device_find_programs(void *context, unsigned x, unsigned y);

void firmware_list_free(struct firmware_list *list);

#endif
