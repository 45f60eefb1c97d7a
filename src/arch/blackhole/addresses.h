/*
 * Addresses of Blackhole that code needs by name: beginnings of ranges of mmio.def, and single
 * registers that other units look at. All are addresses above L1, as harts see them. map.c checks
 * each against its row. SPEC: BlackholeA0 BabyRISCV README, memory map.
 *
 * An address that occurs in a text is a bare number, so that ARCH_TEXT can spell it.
 */
#ifndef ARCH_BLACKHOLE_ADDRESSES_H
#define ARCH_BLACKHOLE_ADDRESSES_H

#define AT_LOCAL_RAM  0xffb00000
#define AT_TDMA       0xffb11000
#define AT_DEBUG      0xffb12000
#define AT_PIC        0xffb13000
#define AT_LOCAL_SLOW 0xffb14000
#define AT_NIU        0xffb20000
#define AT_OVERLAY    0xffb40000
#define AT_MOP_CFG    0xffb80000
#define AT_DST        0xffbd8000
#define AT_GPR        0xffe00000
#define AT_INSTRN_BUF 0xffe40000
#define AT_PC_BUF     0xffe80000
#define AT_MAILBOX    0xffec0000
#define AT_CONFIG     0xffef0000

/* Beyond the last address of ranges that reports look for. */
#define END_TDMA       0xffb12000
#define END_DEBUG      0xffb13000
#define END_OVERLAY    0xffb80000
#define END_DST        0xffbe0000
#define END_GPR        0xffe01000
#define END_INSTRN_BUF 0xffe70000
#define END_PC_BUF     0xffeb0000
#define END_MAILBOX    0xffec4000

/* The last byte of what ranges have for a hart, where they do not reach to their end; code beside
 * them holds each against the sizes that it follows from. */
#define LAST_LOCAL_RAM_T 0xffb00fff
#define LAST_PIC         0xffb13137
#define LAST_PC_SNAPSHOT 0xffb1314b
#define LAST_DST_8BIT    0xffbdbfff /* of elements of 8 bits */
#define LAST_GPR         0xffe002ff
#define LAST_CONFIG      0xffef0daf

/* What the coprocessor and the NoC reach begins here: below are local RAMs. */
#define AT_REGISTERS AT_LOCAL_RAM

/* --- Inside ranges --- */

/* From one of several to the next: NIUs and their command buffers, streams, mailboxes of a hart,
 * instruction buffers and PCBufs of a thread; the DMA engine's streams. */
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

/* Of what looks at harts that run: counters, debug bus, RISC_DBG_CNTL, instruction buffers. */
#define END_DEBUGGER (AT_DEBUG + 0x100)

/* In the range of the DMA engine of a DRAM tile. */
#define GDDR_DMA_CONTROL 0x1000

/* The slow path to the local RAM of each hart, in the order of the map. */
#define AT_SLOW_RAM_B  AT_LOCAL_SLOW
#define AT_SLOW_RAM_NC (AT_LOCAL_SLOW + 0x2000)
#define AT_SLOW_RAM_T0 (AT_LOCAL_SLOW + 0x4000)
#define AT_SLOW_RAM_T1 (AT_LOCAL_SLOW + 0x6000)
#define AT_SLOW_RAM_T2 (AT_LOCAL_SLOW + 0x8000)

#define AT_COPROCESSOR_DONE  (AT_PC_BUF + 4)
#define AT_MOP_EXPANDER_DONE (AT_PC_BUF + 8)
#define AT_SEMAPHORES        (AT_PC_BUF + 0x20)

/* Of the Mover, which counts from 0: the configuration that it reaches (mover.c holds the end against
 * its size), the 64 KiB a move stays in, and where Wormhole has an instruction RAM. */
#define END_CONFIG_MOVES     0xa80
#define XMOV_REGION          0x10000
#define XMOV_INSTRUCTION_RAM 0x40000

/* Tiles of other kinds: the control block of E0 and DRAM harts (its first word is the reset PC),
 * and the registers of the Ethernet subsystem. */
#define AT_RESET_PC  0xffb14000
#define AT_ETHERNET  0xffb90000
#define END_ETHERNET 0xffbb0000

/* --- As the NoC has it --- */

/* Tiles with harts have registers from here to 2^32. */
#define AT_NOC_REGISTERS 0xff000000

/* Of DRAM tiles: the end of GDDR, which begins at 0; L1; what is added to have registers once more.
 * HW: of the 4 GiB of a bank the last 16 MiB belong to the vendor's firmware. */
#define END_GDDR          0xff000000
#define AT_DRAM_L1        0x2000000000
#define AT_DRAM_REGISTERS 0x10000000000

/* Of ARC: memory, registers, and both in the first BAR. SPEC: PCIExpressTile/README, BAR0. HW: UMD
 * has the registers in the upper MiB. GUESS: memory is there as on Wormhole. */
#define AT_ARC_CSM      0x10000000
#define END_ARC_CSM     0x10080000
#define AT_ARC_APB      0x80000000
#define END_ARC_APB     0x80100000
#define AT_ARC_NIU0     0x80050000
#define AT_ARC_NIU1     0x80058000
#define AT_BAR0_ARC_CSM 0x1fe80000
#define AT_BAR0_ARC_APB 0x1ff00000
#define ARC_NIU_BYTES   0x1000 /* of its registers; windows of the tile itself follow */

/* What this ARC has in its memory, as seen from the NoC. */
#define AT_ARC_TAGS          (AT_ARC_CSM + 0x100) /* version, count, then tag | index << 16 */
#define AT_ARC_VALUES        (AT_ARC_CSM + 0x200)
#define AT_ARC_QUEUE_CONTROL (AT_ARC_CSM + 0x300)
#define AT_ARC_QUEUE_BASE    (AT_ARC_CSM + 0x400)

/* Of PCIe tiles. */
#define AT_PCIE_DBI    0xf800000000000000
#define AT_PCIE_SERDES 0xffffffffe0000000
#define AT_PCIE_SII    0xfffffffff0000000
#define END_BAR2       0x100000

/* NIUs of tiles without harts have the rest; those of routers alone begin at AT_NOC_REGISTERS. */
#define AT_EDGE_REGISTERS 0xffffffffff000000

#endif
