/*
 * Atomic operations of the NoC on 16 aligned bytes of L1. SPEC: BlackholeA0 NoC/Atomics.
 */
#ifndef NOC_ATOMIC_H
#define NOC_ATOMIC_H

#include <stdint.h>

/*
 * Does what `operation` (NOC_AT_LEN_BE) says with `data` (NOC_AT_DATA) to the 16 bytes at `line`,
 * which contain the address whose low four bits are `offset`; *result is what a response carries.
 * NULL, or the rule that the operation breaks; nothing has happened then.
 */
const char *noc_atomic(uint8_t *line, unsigned offset, uint32_t operation, uint32_t data,
                       uint32_t *result);

/* Why an operation is not modelled that the vendor's noc_parameters.h names and nothing describes;
 * NULL for all others. */
const char *noc_atomic_unknown(uint32_t operation);

#endif
