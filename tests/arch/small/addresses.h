/* Addresses of the small chip; names as in Blackhole's table. */
#ifndef SMALL_ADDRESSES_H
#define SMALL_ADDRESSES_H

#include <stdint.h>

#define AT_LOCAL_RAM  UINT32_C(0xffa00000)
#define AT_TDMA       UINT32_C(0xffa21000)
#define AT_DEBUG      UINT32_C(0xffa24000)
#define AT_PIC        UINT32_C(0xffa26000)
#define AT_LOCAL_SLOW UINT32_C(0xffa28000)
#define AT_NIU        UINT32_C(0xffa40000)
#define AT_OVERLAY    UINT32_C(0xffa60000)
#define AT_MOP_CFG    UINT32_C(0xffaa0000)
#define AT_DST        UINT32_C(0xffac8000)
#define AT_GPR        UINT32_C(0xffd08000)
#define AT_INSTRN_BUF UINT32_C(0xffd40000)
#define AT_PC_BUF     UINT32_C(0xffd80000)
#define AT_MAILBOX    UINT32_C(0xffdc8000)
#define AT_CONFIG     UINT32_C(0xffdf0000)

#define END_TDMA       UINT32_C(0xffa22000)
#define END_INSTRN_BUF UINT32_C(0xffd70000)
#define END_PC_BUF     UINT32_C(0xffdb0000)
#define END_MAILBOX    UINT32_C(0xffdcc000)

#define AT_REGISTERS AT_LOCAL_RAM

#define AT_SOFT_RESET_0       (AT_DEBUG + 0x1b0)
#define AT_WALL_CLOCK_LOW     (AT_DEBUG + 0x1f0)
#define AT_WALL_CLOCK_LATCHED (AT_DEBUG + 0x1f8)

#define AT_SLOW_RAM_B  AT_LOCAL_SLOW
#define AT_SLOW_RAM_NC (AT_LOCAL_SLOW + 0x2000)
#define AT_SLOW_RAM_T0 (AT_LOCAL_SLOW + 0x4000)
#define AT_SLOW_RAM_T1 (AT_LOCAL_SLOW + 0x6000)
#define AT_SLOW_RAM_T2 (AT_LOCAL_SLOW + 0x8000)

#define AT_COPROCESSOR_DONE  (AT_PC_BUF + 4)
#define AT_MOP_EXPANDER_DONE (AT_PC_BUF + 8)

#define AT_RESET_PC UINT32_C(0xffa28000)
#define AT_ETHERNET UINT32_C(0xffab0000)

#endif
