/* NoC requests of a worker's first NIU: a host fills in a command buffer, the worker starts it. */
#ifndef NOC_COMMAND_H
#define NOC_COMMAND_H

#include <check.h>

#include <penrose/penrose.h>

#include "noc/niu.h"

enum {
    COMMAND_READ = 0,
    COMMAND_ATOMIC = 1,
    COMMAND_WRITE = 2,
    COMMAND_RESPONSE = 1 << 4,
    COMMAND_INCREMENT = 0x107c, /* NOC_AT_LEN_BE: by NOC_AT_DATA, the whole word, the first of a
                                   line */
};
#define COMMAND_NIU UINT32_C(0xffb20000)

/* One end of a request: a tile as software names it, an address there. */
struct command_end {
    unsigned x, y;
    uint64_t address;
};

static inline void command_put(struct penrose_chip *chip, struct command_end at, uint32_t value)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, at.x, at.y, at.address, &value, sizeof value, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
}

static inline uint32_t command_get(struct penrose_chip *chip, struct command_end at)
{
    struct penrose_error error;
    uint32_t value = 0;
    ck_assert_msg(penrose_read(chip, at.x, at.y, at.address, &value, sizeof value, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
    return value;
}

/* Fills in command buffer `buffer` of the worker at (x, y): data go from `from` to `to` (of an
 * atomic: the operation to `to`, its result to `from`). */
static inline void command_fill(struct penrose_chip *chip, unsigned x, unsigned y, unsigned buffer,
                                uint32_t control, struct command_end from, struct command_end to,
                                uint32_t length)
{
    bool swaps = (control & 3) == COMMAND_ATOMIC;
    struct command_end target = swaps ? to : from, back = swaps ? from : to;
    const uint32_t words[][2] = {
        {NIU_TARG_ADDR_LO, (uint32_t)target.address},
        {NIU_TARG_ADDR_MID, (uint32_t)(target.address >> 32)},
        {NIU_TARG_ADDR_HI, target.x | target.y << 6},
        {NIU_RET_ADDR_LO, (uint32_t)back.address},
        {NIU_RET_ADDR_MID, (uint32_t)(back.address >> 32)},
        {NIU_RET_ADDR_HI, back.x | back.y << 6},
        {NIU_CTRL, control},
        {NIU_AT_LEN_BE, length},
        {NIU_AT_DATA, 1},
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        command_put(
            chip, (struct command_end){x, y, COMMAND_NIU + buffer * NIU_BUFFER_BYTES + words[i][0]},
            words[i][1]);
    }
}

#endif
