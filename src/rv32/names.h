/* The names of a hart's registers. */
#ifndef RV32_NAMES_H
#define RV32_NAMES_H

#include <stdint.h>

/* ABI names, x0 = "zero" .. x31 = "t6". */
extern const char *const rv32_x_names[32];

/* "mcycle" .. or NULL */
const char *rv32_csr_name(uint32_t number);

#endif
