/* The lanes of the Vector Unit one by one, see lanes.h, and the reference set made of that. */
#include "num/lanes.h"

#include "num/kernel_sets.h"

const struct num_lanes_kernels num_lanes_reference = {.less = NULL};
