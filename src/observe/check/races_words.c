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

const char *races_who(const struct check_scene *scene, const struct order_stamp *stamp,
                      char text[RACES_WHO])
{
    char place[CHECK_PLACE];
    snprintf(text, RACES_WHO, "%s of %s", tensix_mnemonic(stamp->word),
             check_place(scene, stamp->hart, stamp->pc, place));
    return text;
}
