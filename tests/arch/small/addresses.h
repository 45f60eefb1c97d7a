/* Addresses of the small chip; names as in Blackhole's table. */
#ifndef SMALL_ADDRESSES_H
#define SMALL_ADDRESSES_H

#define AT_LOCAL_RAM  0xffa00000
#define AT_TDMA       0xffa21000
#define AT_DEBUG      0xffa24000
#define AT_PIC        0xffa26000
#define AT_LOCAL_SLOW 0xffa28000
#define AT_NIU        0xffa40000
#define AT_OVERLAY    0xffa60000
#define AT_MOP_CFG    0xffaa0000
#define AT_DST        0xffac8000
#define AT_GPR        0xffd08000
#define AT_INSTRN_BUF 0xffd40000
#define AT_PC_BUF     0xffd80000
#define AT_MAILBOX    0xffdc8000
#define AT_CONFIG     0xffdf0000

#define END_TDMA       0xffa22000
#define END_DEBUG      0xffa25000
#define END_OVERLAY    0xffaa0000
#define END_DST        0xffad0000
#define END_GPR        0xffd09000
#define END_INSTRN_BUF 0xffd70000
#define END_PC_BUF     0xffdb0000
#define END_MAILBOX    0xffdcc000

#define LAST_LOCAL_RAM_T 0xffa00fff
#define LAST_PIC         0xffa26137
#define LAST_PC_SNAPSHOT 0xffa2614b
#define LAST_DST_8BIT    0xffacbfff
#define LAST_GPR         0xffd082ff
#define LAST_CONFIG      0xffdf0e0f

#define AT_REGISTERS AT_LOCAL_RAM

#define STEP_NIU        0x10000
#define STEP_NIU_BUFFER 0x800
#define STEP_STREAM     0x1000
#define STEP_MAILBOX    0x1000
#define STEP_INSTRN_BUF 0x10000
#define STEP_PC_BUF     0x10000
#define STEP_GDDR_DMA   0x100

#define AT_SOFT_RESET_0       (AT_DEBUG + 0x1b0)
#define AT_WALL_CLOCK_LOW     (AT_DEBUG + 0x1f0)
#define AT_WALL_CLOCK_LATCHED (AT_DEBUG + 0x1f8)

#define END_DEBUGGER     (AT_DEBUG + 0x100)
#define GDDR_DMA_CONTROL 0x1000

#define AT_SLOW_RAM_B  AT_LOCAL_SLOW
#define AT_SLOW_RAM_NC (AT_LOCAL_SLOW + 0x2000)
#define AT_SLOW_RAM_T0 (AT_LOCAL_SLOW + 0x4000)
#define AT_SLOW_RAM_T1 (AT_LOCAL_SLOW + 0x6000)
#define AT_SLOW_RAM_T2 (AT_LOCAL_SLOW + 0x8000)

#define AT_COPROCESSOR_DONE  (AT_PC_BUF + 4)
#define AT_MOP_EXPANDER_DONE (AT_PC_BUF + 8)
#define AT_SEMAPHORES        (AT_PC_BUF + 0x20)

#define END_CONFIG_MOVES     0xab0
#define XMOV_REGION          0x10000
#define XMOV_INSTRUCTION_RAM 0x40000

#define AT_RESET_PC  0xffa28000
#define AT_ETHERNET  0xffab0000
#define END_ETHERNET 0xffad0000

#define AT_NOC_REGISTERS 0xff000000

#define END_GDDR          0xfe000000
#define AT_DRAM_L1        0x400000000
#define AT_DRAM_REGISTERS 0x800000000

#define AT_ARC_CSM      0x20000000
#define END_ARC_CSM     0x20040000
#define AT_ARC_APB      0x90000000
#define END_ARC_APB     0x90100000
#define AT_ARC_NIU0     0x90050000
#define AT_ARC_NIU1     0x90058000
#define AT_BAR0_ARC_CSM 0x00e40000
#define AT_BAR0_ARC_APB 0x00e80000
#define ARC_NIU_BYTES   0x1000

#define AT_ARC_TAGS          (AT_ARC_CSM + 0x1100)
#define AT_ARC_VALUES        (AT_ARC_CSM + 0x1200)
#define AT_ARC_QUEUE_CONTROL (AT_ARC_CSM + 0x1300)
#define AT_ARC_QUEUE_BASE    (AT_ARC_CSM + 0x1400)

#define AT_PCIE_DBI    0xf80000000
#define AT_PCIE_SERDES 0xfd0000000
#define AT_PCIE_SII    0xfe0000000
#define END_BAR2       0x100000

#define AT_EDGE_REGISTERS 0xfff000000

#endif
