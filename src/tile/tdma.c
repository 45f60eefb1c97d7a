/* TDMA-RISC. */
#include "tile/tdma.h"

#include <stdio.h>
#include <string.h>

#include "tile/fault.h"
#include "tile/report.h"
#include "tile/tensix_port.h"
#include "tile/tile.h"

tile_mmio_handler tile_mmio_TDMA;
enum rv32_poll tile_mmio_poll_TDMA(struct tile *tile, enum tile_agent agent, uint32_t offset);

void tdma_enter_reset(struct tile *tile)
{
    /* SPEC: SoftReset; SetRegBase and SetRegHiScaler get "some" value, here zero. */
    struct tdma *tdma = &tile->tdma;
    memset(tdma->parameter, 0, sizeof tdma->parameter);
    memset(tdma->scaler, 0, sizeof tdma->scaler);
}

/* --- Commands --- */

enum {
    CMD_OPCODE = 0xff,
    CMD_MOVE = 0x40,
    CMD_WAIT = 0x46,
    CMD_STORE = 0x66,
    CMD_NOP = 0x89,
    MOVE_SHIFT = 4, /* addresses and sizes count 16 bytes */
    MOVE_SIZE = 0xffff,
    MOVE_DIRECTION = 3,
    STORE_SIZE_BITS = 0x600, /* both must be set */
    STORE_64 = 0x100,
};
#define CMD_COMPACT UINT32_C(0x80000000)

/* XMOV_SRC_ADDR to XMOV_DIRECTION; of a store: address, nothing, and the two words. */
enum { PARAMETER_SOURCE, PARAMETER_DESTINATION, PARAMETER_SIZE, PARAMETER_DIRECTION };
enum { PARAMETER_ADDRESS = 0, PARAMETER_LOW = 2, PARAMETER_HIGH = 3 };

/* GUESS: the base that a compact command counts from is that of the hart which wrote it, as it was
 * then; bits 8 and up of a command with parameters, where tt-metal puts the number of a second
 * mover, say nothing. */
static struct tensix_move decode_move(const struct tile *tile, const struct mmio_access *access)
{
    const uint32_t *parameter = tile->tdma.parameter;
    uint32_t word = access->value;
    if (word & CMD_COMPACT) {
        uint32_t from = tile->tdma.move_base[access->agent] + (word >> 8 & 0xff);
        return (struct tensix_move){
            .to = (word >> 16 & 0xff) << MOVE_SHIFT,
            .from = from << MOVE_SHIFT,
            .size = (word >> 24 & 0x3f) << MOVE_SHIFT,
            .mode = word >> 30 & 1 ? TENSIX_MOVE_L1_TO_L1 : TENSIX_MOVE_L1_TO_CONFIG,
        };
    }
    return (struct tensix_move){
        .to = parameter[PARAMETER_DESTINATION] << MOVE_SHIFT,
        .from = parameter[PARAMETER_SOURCE] << MOVE_SHIFT,
        .size = (parameter[PARAMETER_SIZE] & MOVE_SIZE) << MOVE_SHIFT,
        .mode = (enum tensix_move_mode)(parameter[PARAMETER_DIRECTION] & MOVE_DIRECTION),
    };
}

/* Answers the rule that the store breaks, or NULL. */
static const char *decode_store(const struct tile *tile, uint32_t word,
                                struct tensix_command *command)
{
    const uint32_t *parameter = tile->tdma.parameter;
    uint32_t size = word & STORE_64 ? 8 : 4, to = parameter[PARAMETER_ADDRESS];
    if (word & CMD_COMPACT || (word & STORE_SIZE_BITS) != STORE_SIZE_BITS) {
        return "a TDMA-RISC L1 write needs parameters and bits 9 and 10 set (0x666 or 0x766)";
    }
    if (to > tile->tensix.l1_size - size) {
        return "a TDMA-RISC L1 write must lie in L1; XMOV_SRC_ADDR is its address in bytes";
    }
    if (to % size != 0) { /* GUESS: the page has a plain store there */
        return "the address of a TDMA-RISC L1 write must be a multiple of its 4 or 8 bytes";
    }
    command->move = (struct tensix_move){.to = to, .size = size};
    command->value = parameter[PARAMETER_LOW] | (uint64_t)parameter[PARAMETER_HIGH] << 32;
    return NULL;
}

static const char *decode(const struct tile *tile, const struct mmio_access *access,
                          struct tensix_command *command)
{
    *command = (struct tensix_command){.has_parameters = !(access->value & CMD_COMPACT)};
    switch (access->value & CMD_OPCODE) {
    case CMD_MOVE:
        command->kind = TENSIX_COMMAND_MOVE;
        command->move = decode_move(tile, access);
        return tensix_move_rule(&tile->tensix, &command->move);
    case CMD_WAIT:
        command->kind = TENSIX_COMMAND_WAIT;
        return NULL;
    case CMD_STORE:
        command->kind = TENSIX_COMMAND_STORE;
        return decode_store(tile, access->value, command);
    case CMD_NOP:
        command->kind = TENSIX_COMMAND_NOP;
        return NULL;
    default:
        return "TDMA-RISC knows the commands 0x40, 0x46, 0x66 and 0x89";
    }
}

/* A move that changes Config under a unit. The move is made all the same. */
static void look_for_races(struct tile *tile, const struct mmio_access *access,
                           const struct tensix_move *move)
{
    char writer[32], text[PENROSE_RULE_TEXT];
    snprintf(writer, sizeof writer, "a move by %s", tile_agent_name(access->agent));
    if (tensix_move_race(&tile->tensix, move, access->cycle, writer, true, text, sizeof text)) {
        tile_agent_fault(tile, PENROSE_FAULT_CONFIG_RACE, access->agent, access->cycle,
                         access->address, text);
    }
}

static enum answer tdma_command(struct tile *tile, struct mmio_access *access)
{
    struct tensix *tensix = &tile->tensix;
    struct tensix_command command;
    const char *rule = decode(tile, access, &command);
    if (rule) { /* SPEC: undefined */
        return mmio_refuse(access, ANSWER_UNMAPPED, rule);
    }
    if (tensix->mover.count == TENSIX_MOVER_QUEUE) {
        return ANSWER_WAIT;
    }
    if (command.has_parameters && tensix_mover_parameters(tensix) == TENSIX_MOVER_PARAMETERS) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "TDMA-RISC keeps parameters of two commands and does not wait for room: "
                           "write 0x80000089 (NOP) after each");
    }
    if (command.kind == TENSIX_COMMAND_MOVE && !(tensix->held & TENSIX_RESET_MOVER)) {
        look_for_races(tile, access, &command.move);
    }
    (void)tensix_command(tensix, &command, access->cycle); /* there is room */
    tile->tensix_idle = false; /* a timed run has to come back to the mover */
    return ANSWER_DONE;
}

/* --- Registers --- */

enum {
    STATUS_BUSY = 1 << 0,
    STATUS_COMMANDS_FULL = 1 << 2,
    STATUS_COMMANDS_EMPTY = 1 << 3,
    STATUS_PARAMETERS_FULL = 1 << 4,
    STATUS_PARAMETERS_EMPTY = 1 << 5,
    STATUS_CAPACITY_SHIFT = 8,
};

/* SPEC: StatusBits. As of what the coprocessor has done so far, so that it changes when a tile says
 * so, whoever looks at it and however often. */
static enum answer tdma_status(struct tile *tile, struct mmio_access *access)
{
    const struct tensix *tensix = &tile->tensix;
    unsigned commands = tensix->mover.count, parameters = tensix_mover_parameters(tensix);
    return mmio_value(access,
                      (tensix_mover_busy(tensix) ? STATUS_BUSY : 0u) |
                          (commands == TENSIX_MOVER_QUEUE ? STATUS_COMMANDS_FULL : 0u) |
                          (commands == 0 ? STATUS_COMMANDS_EMPTY : 0u) |
                          (parameters == TENSIX_MOVER_PARAMETERS ? STATUS_PARAMETERS_FULL : 0u) |
                          (parameters == 0 ? STATUS_PARAMETERS_EMPTY : 0u) |
                          (TENSIX_MOVER_QUEUE - commands) << STATUS_CAPACITY_SHIFT);
}

/* Places of [packer][thread] come in groups of four a packer. Blackhole has packer 0 alone; what
 * the other ones would show stays 0. */
enum { THREADS_SHIFT = 2, THREADS_MASK = 3 };

/* NULL: the chip does not have it. */
static struct tensix_packer *packer_of(struct tile *tile, const struct mmio_access *access)
{
    unsigned which = access->copy >> THREADS_SHIFT;
    return which < TENSIX_PACKERS ? &tile->tensix.packer[which] : NULL;
}

static enum answer tdma_packed_size(struct tile *tile, struct mmio_access *access)
{
    const struct tensix_packer *packer = packer_of(tile, access);
    unsigned thread = access->copy & THREADS_MASK;
    return mmio_value(access, packer ? tensix_packer_tile_size(packer, thread) : 0);
}

/* SPEC: UnpackerPackerAcc, ResetPackerAccTileSize; every place takes the same write. */
static enum answer tdma_accumulated(struct tile *tile, struct mmio_access *access)
{
    enum { RESETS_PACKER_0 = 16 };
    struct tensix *tensix = &tile->tensix;
    const struct tensix_packer *packer = packer_of(tile, access);
    if (!mmio_is_write(access)) {
        unsigned thread = access->copy & THREADS_MASK;
        unsigned unpacker = access->copy >> THREADS_SHIFT & 1;
        uint32_t low = packer ? packer->acc_tile_size[thread] : 0;
        return mmio_value(access, tensix->unpacker[unpacker].register_sum << 16 | low);
    }
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    for (unsigned i = 0; access->operation == MMIO_WRITE && i < TENSIX_PACKERS; i++) {
        if (access->value >> (RESETS_PACKER_0 + i) & 1) {
            tensix_packer_reset_size(&tensix->packer[i], (uint16_t)access->value);
        }
    }
    return ANSWER_DONE;
}

static enum answer tdma_zero_flags(struct tile *tile, struct mmio_access *access)
{
    const struct tensix_packer *packer = packer_of(tile, access);
    return mmio_value(access, packer ? packer->all_zero_flags : 0);
}

static void set_scalers(struct tdma *tdma, unsigned first, uint32_t values)
{
    for (unsigned i = first; i < first + 3 && i < TDMA_SCALERS; i++) {
        tdma->scaler[i] = values & 0x1ff;
        values >>= 9;
    }
}

static enum answer tdma_scaler2(struct tile *tile, struct mmio_access *access)
{
    enum answer answer = mmio_word(access, &tile->tdma.scaler2_raw, 0x01ff007f);
    if (mmio_wrote(access, answer)) {
        set_scalers(&tile->tdma, 3, access->value >> 16);
    }
    return answer;
}

static enum answer tdma_move_base(struct tile *tile, struct mmio_access *access)
{
    return mmio_word(access, &tile->tdma.move_base[access->agent], UINT32_MAX);
}

/* Looking at an empty metadata FIFO waits. */
static enum answer tdma_fifo_peek(struct tile *tile, struct mmio_access *access)
{
    const struct tensix_packer *packer = packer_of(tile, access);
    if (packer && packer->metadata_count > 0) {
        return mmio_value(access, packer->metadata[packer->metadata_first].tile_size);
    }
    return access->operation == MMIO_READ ? ANSWER_WAIT : mmio_value(access, 0);
}

/* Popping an empty one does not wait; what it returns is undefined, here 0. */
static enum answer tdma_fifo_pop(struct tile *tile, struct mmio_access *access)
{
    struct tensix_pack_metadata metadata = {.all_zero_flags = 0};
    struct tensix_packer *packer = packer_of(tile, access);
    if (packer && mmio_has_effects(access)) {
        (void)tensix_packer_take_metadata(packer, &metadata);
        tile_event(tile, access->cycle);
    }
    return mmio_driven(access, metadata.all_zero_flags);
}

/* Two bits for each of four packers. */
enum { FIFO_EMPTY = 1 << 0, FIFO_FULL = 1 << 1, ALL_EMPTY = 0x55 };

static enum answer tdma_fifo_status(struct tile *tile, struct mmio_access *access)
{
    uint32_t status = ALL_EMPTY;
    if (mmio_is_write(access)) {
        return mmio_word(access, &tile->tdma.pack_register_address, UINT32_MAX);
    }
    for (unsigned i = 0; i < TENSIX_PACKERS; i++) {
        unsigned count = tile->tensix.packer[i].metadata_count;
        status &= ~(uint32_t)(count ? FIFO_EMPTY << 2 * i : 0);
        status |= count == TENSIX_PACK_METADATA ? (uint32_t)FIFO_FULL << 2 * i : 0;
    }
    return mmio_value(access, tile->tdma.pack_register_address << 8 | status);
}

/* SPEC: ScalarsAndStatus. Packers are never seen busy: accesses come between instructions. */
static enum answer tdma_scalers(struct tile *tile, struct mmio_access *access)
{
    struct tdma *tdma = &tile->tdma;
    uint32_t sum_bit_16 =
        tile->tensix.unpacker[access->copy >> THREADS_SHIFT].register_sum >> 16 & 1;
    uint32_t word =
        tdma->scaler[0] | tdma->scaler[1] << 9 | tdma->scaler[2] << 18 | sum_bit_16 << 31;
    enum answer answer = mmio_word(access, &word, UINT32_MAX);
    if (mmio_is_write(access) && answer == ANSWER_DONE) {
        set_scalers(tdma, 0, word);
    }
    return answer;
}

/* --- The map --- */

#define REG_FILE    tdma_registers
#define REG_TABLE   "tdma.def"
#define REG_STATE   struct tdma
#define REG_BY(has) tdma_##has
#include "isa/reg_table.h"

enum answer tile_mmio_TDMA(struct tile *tile, struct mmio_access *access)
{
    struct reg_place place;
    if (!reg_find_in(&tdma_registers, BANK_TDMA, access->offset, &place)) {
        return mmio_refuse(access, ANSWER_UNMAPPED, "TDMA-RISC has no register there");
    }
    if (tile_waits_for_ttsync(tile, access, TENSIX_TRACKS_TDMA)) {
        return ANSWER_WAIT;
    }
    if (mmio_is_write(access) && tile->tensix.held & TENSIX_RESET_TDMA) {
        return ANSWER_DONE; /* SPEC: SoftReset, writes are discarded */
    }
    enum answer answer = mmio_register(tile, access, &place, reg_state_word(&tile->tdma, &place));
    if (mmio_wrote(access, answer)) {
        tile_event(tile, access->cycle);
    }
    return answer;
}

enum rv32_poll tile_mmio_poll_TDMA(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    struct reg_place place;
    return reg_find_in(&tdma_registers, BANK_TDMA, offset, &place) ? mmio_poll(place.row)
                                                                   : RV32_POLL_EFFECT;
}
