/* What reports of races call things, see races.h. */
#include <stdio.h>

#include "observe/check/check.h"
#include "observe/check/races.h"
#include "tensix/exec.h"

_Static_assert(RACES_WHO >= CHECK_PLACE + 24, "a mnemonic and a place");

const char *races_condition_name(enum order_unit unit)
{
    static const char *const names[ORDER_UNITS] = {
        [ORDER_UNPACKER0] = "UNPACK0", [ORDER_UNPACKER1] = "UNPACK1", [ORDER_MATRIX] = "MATH",
        [ORDER_VECTOR] = "WAIT_SFPU",  [ORDER_PACKER] = "PACK",       [ORDER_SCALAR] = "THCON",
        [ORDER_CONFIG] = "CFG_EXU",    [ORDER_MOVER] = "XMOV",
    };
    return names[unit] ? names[unit] : "";
}

const char *races_block_name(uint32_t word)
{
    static const struct {
        enum tensix_block block;
        const char *name;
    } blocks[] = {
        {TENSIX_BLOCK_SYNC, "STALL_SYNC"},     {TENSIX_BLOCK_PACK, "STALL_PACK"},
        {TENSIX_BLOCK_UNPACK, "STALL_UNPACK"}, {TENSIX_BLOCK_SCALAR, "STALL_THCON"},
        {TENSIX_BLOCK_MATRIX, "STALL_MATH"},   {TENSIX_BLOCK_CONFIG, "STALL_CFG"},
        {TENSIX_BLOCK_VECTOR, "STALL_SFPU"},   {TENSIX_BLOCK_TDMA, "STALL_TDMA"},
    };
    unsigned row = tensix_row_of(word);
    for (unsigned i = 0; row < TENSIX_ROWS && i < sizeof blocks / sizeof blocks[0]; i++) {
        if (tensix_row_infos[row].blocks & blocks[i].block) {
            return blocks[i].name;
        }
    }
    return "STALL_TDMA";
}

const char *races_mnemonic(uint32_t word)
{
    unsigned row = tensix_row_of(word);
    return row < TENSIX_ROWS ? tensix_rows[row].mnemonic : "an instruction";
}

const char *races_who(const struct check_scene *scene, const struct order_stamp *stamp,
                      char text[RACES_WHO])
{
    char place[CHECK_PLACE];
    snprintf(text, RACES_WHO, "%s of %s", races_mnemonic(stamp->word),
             check_place(scene, stamp->hart, stamp->pc, place));
    return text;
}
