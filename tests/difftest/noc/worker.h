/* The testers' workers (../common/worker.h), here with memory of the host. */
#ifndef DIFFTEST_NOC_WORKER_H
#define DIFFTEST_NOC_WORKER_H

#include "../common/worker.h"

/* Memory of the host itself, at `x` HOST_X: physical addresses of it, which bits 0-57 of the NoC's
 * addresses of the PCIe tile are. */
enum { HOST_X = 0xff, HOST_BYTES = 0x40000 };
#define HOST_MEMORY UINT64_C(0x40000000)
#define HOST_MASK   ((UINT64_C(1) << 58) - 1)

#endif
