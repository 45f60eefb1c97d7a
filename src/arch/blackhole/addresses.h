/*
 * Addresses of Blackhole that code needs by name: where the ranges of mmio.def begin, and single
 * registers that units besides their own look at. All are addresses above L1, as harts see them.
 * mmio.c holds each against its row. SPEC: BlackholeA0 BabyRISCV README, memory map.
 */
#ifndef ARCH_BLACKHOLE_ADDRESSES_H
#define ARCH_BLACKHOLE_ADDRESSES_H

#include <stdint.h>

#define AT_LOCAL_RAM  UINT32_C(0xffb00000)
#define AT_TDMA       UINT32_C(0xffb11000)
#define AT_DEBUG      UINT32_C(0xffb12000)
#define AT_PIC        UINT32_C(0xffb13000)
#define AT_LOCAL_SLOW UINT32_C(0xffb14000)
#define AT_NIU        UINT32_C(0xffb20000)
#define AT_OVERLAY    UINT32_C(0xffb40000)
#define AT_MOP_CFG    UINT32_C(0xffb80000)
#define AT_DST        UINT32_C(0xffbd8000)
#define AT_GPR        UINT32_C(0xffe00000)
#define AT_INSTRN_BUF UINT32_C(0xffe40000)
#define AT_PC_BUF     UINT32_C(0xffe80000)
#define AT_MAILBOX    UINT32_C(0xffec0000)
#define AT_CONFIG     UINT32_C(0xffef0000)

/* Beyond the last address of ranges that reports look for. */
#define END_TDMA       UINT32_C(0xffb12000)
#define END_INSTRN_BUF UINT32_C(0xffe70000)
#define END_PC_BUF     UINT32_C(0xffeb0000)
#define END_MAILBOX    UINT32_C(0xffec4000)

/* What the coprocessor and the NoC reach begins here: below are local RAMs. */
#define AT_REGISTERS AT_LOCAL_RAM

/* --- Inside ranges --- */

#define AT_SOFT_RESET_0       (AT_DEBUG + 0x1b0)
#define AT_WALL_CLOCK_LOW     (AT_DEBUG + 0x1f0)
#define AT_WALL_CLOCK_LATCHED (AT_DEBUG + 0x1f8)

/* The slow path to the local RAM of each hart, in the order of the map. */
#define AT_SLOW_RAM_B  AT_LOCAL_SLOW
#define AT_SLOW_RAM_NC (AT_LOCAL_SLOW + 0x2000)
#define AT_SLOW_RAM_T0 (AT_LOCAL_SLOW + 0x4000)
#define AT_SLOW_RAM_T1 (AT_LOCAL_SLOW + 0x6000)
#define AT_SLOW_RAM_T2 (AT_LOCAL_SLOW + 0x8000)

#define AT_COPROCESSOR_DONE  (AT_PC_BUF + 4)
#define AT_MOP_EXPANDER_DONE (AT_PC_BUF + 8)

/* Tiles of other kinds: the control block of E0 and DRAM harts (its first word is the reset PC),
 * and the registers of the Ethernet subsystem. */
#define AT_RESET_PC UINT32_C(0xffb14000)
#define AT_ETHERNET UINT32_C(0xffb90000)

#endif
