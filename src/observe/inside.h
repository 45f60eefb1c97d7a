/*
 * Functions that are compiled for each chip, and that files which are compiled once call by the table
 * of the chip: inside(chip)->dump_collect(chip, ...). They have no other way, since an object of one
 * kind of chip must not be given to code of another.
 */
#ifndef OBSERVE_INSIDE_H
#define OBSERVE_INSIDE_H

#include "chip/calls.h"
#include "metal/cluster_file.h"
#include "metal/descriptor.h"
#include "metal/firmware.h"
#include "observe/check/tell.h"
#include "observe/delay/rules.h"
#include "observe/dump/dump.h"
#include "observe/explain/writers.h"
#include "observe/history/moments.h"
#include "observe/history/replay.h"
#include "observe/launches/launches.h"
#include "observe/listing.h"
#include "observe/profile/peaks.h"
#include "observe/profile/route.h"
#include "observe/tensix_items.h"
#include "observe/waits/left.h"
#include "observe/waits/waits.h"
#include "rv32/names.h"
#include "rv32/operands.h"
#include "tensix/config/field.h"
#include "tile/costs.h"

struct inside {
#define INSIDE(name) __typeof__(name) *name;
#include "observe/inside.def"
#undef INSIDE
};

static inline const struct inside *inside(const struct penrose_chip *chip)
{
    return chip_calls_of(chip)->inside;
}

#endif
