/* See observe/inside.h. */
#include "observe/inside.h"

const struct inside chip_inside = {
#define INSIDE(name) .name = name,
#include "observe/inside.def"
#undef INSIDE
};
