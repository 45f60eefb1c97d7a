/*
 * Firmware of the small chip for the five harts of a worker (HART as in kernels/), in the shape of
 * tt-metal's: a host finds the mailboxes and their constants in the debug information of BRISC's, puts
 * initial values of local RAM and the tables of banks into L1, writes a launch message, and then the go
 * signal. Kernels are linked against it (kernels/firmware.h).
 *
 * BRISC starts the other harts. For each launch it has TRISC0 clear the counters of circular buffers,
 * tells all harts with a kernel to go, runs its own, waits for the others, and signals that it is done.
 */
#include "bare/bare.h"
#include "geometry.h"
#include "kernels/firmware.h"

enum debug_register {
#define REG(bank, offset, words, name, kind, traits) DEBUG_##name = (offset),
#include "debug_registers.def"
};

enum held {
#define RESET_HART(hart, bit, ram, pc, pc_register, override_register, override_bit)               \
    HELD_##hart = 1 << (bit),
#include "resets.def"
};

#define TILE(offset) REGISTER(AT_DEBUG + (offset))

/* L1: the code of each hart is where firmware.ld puts it; the area of initial values, in which launches
 * lie later. */
enum { TEXT = 0x1000, TEXT_STEP = 0x1000, MAILBOXES = 0x6000, AREA = 0x8000 };

enum processor { /* as messages count them */
                 BRISC,
                 NCRISC,
                 TRISC0,
                 TRISC1,
                 TRISC2,
                 PROCESSORS,
                 SELF = HART == 0   ? BRISC
                        : HART == 4 ? NCRISC
                                    : TRISC0 + HART - 1
};

enum { BUFFERS = 32, BANKS = 2, UNIT_SHIFT = HART == 0 || HART == 4 ? 0 : 4 };

/* What a debugger and a loader know by name. */
static const uint8_t RUN_MSG_INIT = 0x40, RUN_MSG_GO = 0x80, RUN_MSG_DONE = 0;
static const uint8_t RUN_SYNC_MSG_INIT = 0x40, RUN_SYNC_MSG_GO = 0x80, RUN_SYNC_MSG_DONE = 0;
static const uint8_t RUN_SYNC_MSG_INIT_SYNC_REGISTERS = 3;
enum dispatch_mode { DISPATCH_MODE_DEV, DISPATCH_MODE_HOST };

struct rta_offset_t {
    uint16_t rta_offset, crta_offset;
};

struct kernel_config_msg_t {
    uint32_t kernel_config_base[1];
    uint16_t sem_offset[1];
    uint16_t local_cb_offset, remote_cb_offset;
    struct rta_offset_t rta_offset[PROCESSORS];
    uint8_t mode; /* enum dispatch_mode */
    uint32_t kernel_text_offset[PROCESSORS];
    uint32_t local_cb_mask;
    uint8_t brisc_noc_id, brisc_noc_mode, min_remote_cb_start_index;
    uint32_t host_assigned_id, enables;
};

struct launch_msg_t {
    struct kernel_config_msg_t kernel_config;
};

struct go_msg_t {
    uint8_t dispatch_message_offset, master_x, master_y, signal;
};

struct core_info_msg_t {
    uint8_t absolute_logical_x, absolute_logical_y;
};

struct mailboxes_t {
    uint8_t subordinate_sync[PROCESSORS - 1]; /* of all but BRISC */
    uint32_t launch_msg_rd_ptr;
    struct launch_msg_t launch[4];
    struct go_msg_t go_messages[1];
    uint32_t go_message_index;
    struct core_info_msg_t core_info;
};

static volatile struct mailboxes_t *const mailboxes = (volatile struct mailboxes_t *)MAILBOXES;

uint32_t *rta_l1_base, *crta_l1_base;
uint8_t *sem_l1_base[1];
struct cb cb_interface[BUFFERS];
uint16_t dram_bank_to_noc_xy[2 * BANKS];
int32_t bank_to_dram_offset[BANKS];
volatile uint32_t launches_left = UINT32_MAX; /* the one initial value in local RAM */

extern uint32_t __ldm_data_start[], __ldm_data_end[];

/* Where the area has the initial values of this hart's local RAM. */
enum {
    VALUES =
        AREA + (SELF == BRISC    ? 0
                : SELF == NCRISC ? TILE_B_LOCAL_BYTES
                                 : 2 * TILE_B_LOCAL_BYTES + (SELF - TRISC0) * TILE_T_LOCAL_BYTES),
    TABLES = AREA + 2 * TILE_B_LOCAL_BYTES + 3 * TILE_T_LOCAL_BYTES + METAL_IRAM_IMAGE_BYTES
};

static inline __attribute__((always_inline)) void fill_local_ram(void)
{
    const uint32_t *from = (const uint32_t *)VALUES;
    uint32_t *to = __ldm_data_start;
    if (to != from) {
        while (to < __ldm_data_end) {
            *to++ = *from++;
        }
    }
}

static void read_tables(void)
{
    const uint16_t *places = (const uint16_t *)TABLES;
    const int32_t *offsets = (const int32_t *)(TABLES + sizeof dram_bank_to_noc_xy);
    for (unsigned i = 0; i < 2 * BANKS; i++) {
        dram_bank_to_noc_xy[i] = places[i];
    }
    for (unsigned i = 0; i < BANKS; i++) {
        bank_to_dram_offset[i] = offsets[i];
    }
}

static void wait_for(volatile uint8_t *message, uint8_t wanted)
{
    while (*message != wanted) {
        fence();
    }
    fence();
}

static void run_kernel(volatile struct kernel_config_msg_t *config)
{
    const uint32_t base = config->kernel_config_base[0];
    const uint32_t *words = (const uint32_t *)(base + config->local_cb_offset);
    rta_l1_base = (uint32_t *)(base + config->rta_offset[SELF].rta_offset);
    crta_l1_base = (uint32_t *)(base + config->rta_offset[SELF].crta_offset);
    sem_l1_base[0] = (uint8_t *)(base + config->sem_offset[0]);
    for (unsigned id = 0; id < BUFFERS; id++, words += 4) {
        if (config->local_cb_mask >> id & 1) {
            const uint32_t address = words[0] >> UNIT_SHIFT, size = words[1] >> UNIT_SHIFT;
            cb_interface[id] = (struct cb){.size = size,
                                           .limit = address + size,
                                           .page_size = words[3] >> UNIT_SHIFT,
                                           .pages = words[2],
                                           .read = address,
                                           .write = address};
        }
    }
    ((uint32_t(*)(void))(base + config->kernel_text_offset[SELF]))();
    fence();
}

/* --- BRISC --- */

static void wait_for_others(void)
{
    for (unsigned i = 0; i < PROCESSORS - 1; i++) {
        wait_for(&mailboxes->subordinate_sync[i], RUN_SYNC_MSG_DONE);
    }
}

static void start_others(void)
{
    for (unsigned i = 0; i < PROCESSORS - 1; i++) {
        mailboxes->subordinate_sync[i] = RUN_SYNC_MSG_INIT;
    }
    for (unsigned thread = 0; thread < 3; thread++) {
        TILE(DEBUG_TRISC0_RESET_PC + 4 * thread) = TEXT + TEXT_STEP * (thread + 1);
    }
    TILE(DEBUG_TRISC_RESET_PC_OVERRIDE) = 7;
    TILE(DEBUG_NCRISC_RESET_PC) = TEXT + TEXT_STEP * 4;
    TILE(DEBUG_NCRISC_RESET_PC_OVERRIDE) = 1;
    fence();
    TILE(DEBUG_SOFT_RESET_0) &= ~(uint32_t)(HELD_T0 | HELD_T1 | HELD_T2 | HELD_NC);
    wait_for_others();
}

static void launch(volatile struct go_msg_t *go, volatile struct kernel_config_msg_t *config)
{
    mailboxes->subordinate_sync[TRISC0 - 1] = RUN_SYNC_MSG_INIT_SYNC_REGISTERS;
    wait_for_others();
    for (unsigned i = NCRISC; i < PROCESSORS; i++) {
        if (config->enables >> i & 1) {
            mailboxes->subordinate_sync[i - 1] = RUN_SYNC_MSG_GO;
        }
    }
    if (config->enables >> BRISC & 1) {
        run_kernel(config);
    }
    wait_for_others();
    go->signal = RUN_MSG_DONE;
}

static void lead(void)
{
    volatile struct go_msg_t *go = &mailboxes->go_messages[0];
    start_others();
    if (go->signal == RUN_MSG_INIT) {
        go->signal = RUN_MSG_DONE;
    }
    while (launches_left-- > 0) {
        wait_for(&go->signal, RUN_MSG_GO);
        launch(go, &mailboxes->launch[mailboxes->launch_msg_rd_ptr].kernel_config);
    }
}

/* --- The others --- */

static void follow(volatile uint8_t *message)
{
    *message = RUN_SYNC_MSG_DONE;
    while (launches_left > 0) {
        uint8_t told = *message;
        fence();
        if (told == RUN_SYNC_MSG_INIT_SYNC_REGISTERS) {
            for (unsigned id = 0; id < BUFFERS; id++) {
                CB_ACKED(id) = CB_RECEIVED(id) = 0;
            }
        } else if (told == RUN_SYNC_MSG_GO) {
            run_kernel(&mailboxes->launch[mailboxes->launch_msg_rd_ptr].kernel_config);
        }
        if (told != RUN_SYNC_MSG_DONE) {
            *message = RUN_SYNC_MSG_DONE;
        }
    }
}

int main(void)
{
    fill_local_ram();
    if (SELF == BRISC || SELF == NCRISC) {
        read_tables();
    }
    if (SELF == BRISC) {
        lead();
    } else {
        follow(&mailboxes->subordinate_sync[SELF - 1]);
    }
    return 0;
}
