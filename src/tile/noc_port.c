/* Requests of a tile's command buffers and what leaves it, see tile/noc_port.h. */
#include "tile/noc_port.h"

#include <stdio.h>
#include <string.h>

#include "eth/base_firmware.h"
#include "noc/request.h"
#include "noc/transaction.h"
#include "tile/fault.h"
#include "tile/noc_serve.h"
#include "tile/noc_short.h"
#include "tile/weak.h"

/* What requests of an NIU take with them in so many cycles: far more than hardware's do, and still
 * no guest fills the host's memory with packets. */
enum { LEFT_PERIOD = 512, MOST_LEFT = 4 << 20 };

/* Cycles that something comes later than it need. */
static uint32_t draw(struct tile *tile, uint32_t most)
{
    return tile->board->delivery.at_random ? tile_weak_choose(tile, most) : 0;
}

static void count_left(struct tile_left *left, uint32_t bytes, uint64_t cycle)
{
    if (cycle / LEFT_PERIOD > left->period) {
        *left = (struct tile_left){.period = cycle / LEFT_PERIOD};
    }
    left->bytes += bytes;
}

/* May a request leave at once? Else when a period begins. */
static bool has_room(const struct tile *tile, unsigned noc, uint64_t cycle)
{
    const struct tile_left *left = &tile->left[noc];
    return cycle / LEFT_PERIOD > left->period || left->bytes < MOST_LEFT;
}

/* Counts the data of a write in a timed run, now or when they will have been read. */
static void count_data(struct tile *tile, const struct noc_packet *packet, uint64_t cycle)
{
    const uint64_t has_read = noc_has_read(packet, cycle);
    struct noc_packet *write = has_read > cycle ? noc_packet_copy(&tile->pool, packet) : NULL;
    if (!write) {
        noc_request_count_data(&tile->niu[packet->noc], packet);
        return;
    }
    write->arrival = has_read;
    write->order = tile->noc_sequence; /* of the packet */
    noc_queue_put(&tile->reading, write);
    tile_end_round(tile, cycle);
}

bool tile_noc_counts_data(const struct tile *tile)
{
    return tile->board->delivery.timing != NULL;
}

void tile_noc_send(void *owner, struct noc_packet *packet, uint64_t cycle)
{
    struct tile *tile = owner;
    const struct tile_board *board = tile->board;
    unsigned hops = packet->reserves_path && packet->kind <= NOC_ATOMIC && board->multicast_hops
                        ? board->multicast_hops(packet)
                        : 0;
    (void)noc_leave(&board->delivery, &tile->ways[packet->noc], packet, cycle, hops);
    if (packet->kind == NOC_WRITE && !packet->is_inline && tile_noc_counts_data(tile)) {
        count_data(tile, packet, cycle);
    }
    tile_note_asked(tile, packet);
    tile_noc_tell_sent(tile, packet, cycle);
    const uint32_t late = packet->kind <= NOC_ATOMIC ? tile->late_packets : 0;
    if (!late && tile_noc_short(tile, packet, cycle)) {
        return;
    }
    if (packet->kind == NOC_READ) {
        noc_packet_room(&tile->pool, packet, packet->size); /* else the target finds some */
    }
    if (packet->kind <= NOC_ATOMIC) {
        count_left(&tile->left[packet->noc], packet->size, cycle);
    }
    packet->order = (uint64_t)tile->node << 40 | tile->noc_sequence++;
    packet->delay = draw(tile, NOC_MOST_DELAY) + late;
    noc_list_append(&tile->sent, packet);
    tile_end_round(tile, cycle);
}

static const char *port_fetch(void *owner, uint64_t address, uint8_t *bytes, uint32_t size,
                              uint64_t cycle)
{
    const char *rule = NULL;
    enum answer answer = tile_noc_reach(owner, false, address, bytes, size, cycle, &rule);
    return answer == ANSWER_WAIT ? "the register is busy" : rule;
}

static bool request_fault(void *owner, enum penrose_fault_kind kind, const char *text,
                          uint64_t cycle)
{
    struct tile *tile = owner;
    bool is_harts = tile->running != RV32_CORES;
    enum tile_agent agent = is_harts ? (enum tile_agent)tile->running : AGENT_NOC;
    return tile_agent_fault(tile, kind, agent, cycle, 0, text);
}

/* On hardware the NoC would be at an end; here a host that resets harts can go on. */
void tile_noc_enter_reset(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    tile_noc_forget(tile, core);
    for (unsigned noc = 0; noc < 2; noc++) {
        struct niu_transaction *open = &tile->niu[noc].transaction;
        char to[40], text[PENROSE_RULE_TEXT];
        if (!open->is_open || open->sender || open->agent != core) {
            continue;
        }
        noc_member_describe(open->to, noc, to, sizeof to);
        snprintf(text, sizeof text,
                 "NoC %u: the linked transaction to raw %s, begun in cycle %llu, is open when its "
                 "hart is put into reset: clear bit %d of NOC_CTRL in its last request",
                 noc, to, (unsigned long long)open->since, NIU_CTRL_LINKED);
        struct tile_fault fault = tile_fault_of(tile, PENROSE_FAULT_NOC_LINKED,
                                                (enum tile_agent)core, open->pc, cycle, text);
        open->is_open = false;
        if (tile_fault(tile, &fault) == PENROSE_STOP && tile->running != RV32_CORES) {
            rv32_cut(&tile->hart[tile->running], cycle + 1);
        }
    }
}

/* Where base firmware is, tt-metal leaves an Ethernet tile's L1 alone: its kernels end below. */
static struct noc_initiator initiator(struct tile *tile, unsigned noc, enum tile_agent agent,
                                      uint32_t pc)
{
    bool is_base_firmware = tile->kind->type == TILE_ETHERNET && agent < AGENT_NOC &&
                            pc >= ETH_BASE_ENTRY && pc < tile->kind->l1_bytes;
    return (struct noc_initiator){.owner = tile,
                                  .pool = &tile->pool,
                                  .here = tile->node,
                                  .noc = (uint8_t)noc,
                                  .agent = (uint8_t)agent,
                                  .pc = pc,
                                  .is_base_firmware = is_base_firmware,
                                  .fetch = port_fetch,
                                  .send = tile_noc_send,
                                  .counts_data = tile_noc_counts_data(tile),
                                  .fault = request_fault};
}

/* A request departs when its NIU gets to it, after those before it: in timed runs, under --schedule
 * random, when much has left, and while the overlay has a transaction open. Then `due` is in the far
 * future, in the same order. Until then it is what it was when it was accepted, whatever becomes of its
 * registers. */
#define HELD (UINT64_C(1) << 63)

static uint32_t *registers_of(struct tile *tile, unsigned noc, unsigned buffer)
{
    return &tile->niu[noc].word[niu_buffer(buffer)];
}

/* Timed runs: does the NIU still hold a request behind the one that leaves? */
static bool is_leaving(const struct tile *tile, unsigned noc, uint64_t cycle)
{
    return tile->ways[noc].begins > cycle;
}

/* The next cycle from `due` on that is behind all others that wait. */
static uint64_t behind_others(const struct tile *tile, unsigned noc, uint64_t due)
{
    for (unsigned i = 0; i < NIU_BUFFERS; i++) {
        const struct tile_command *other = &tile->command[noc][i];
        due = other->waits && other->due >= due ? other->due + 1 : due;
    }
    return due;
}

static void wait_for_departure(struct tile *tile, unsigned noc, unsigned buffer,
                               enum tile_agent agent, uint32_t pc, uint64_t cycle)
{
    struct tile_command *command = &tile->command[noc][buffer];
    uint64_t due = cycle + draw(tile, NOC_MOST_DEPARTURE);
    if (agent < AGENT_NOC) {
        due += tile->late[agent].departure;
    }
    if (is_leaving(tile, noc, due)) {
        due = tile->ways[noc].begins;
    }
    if (!has_room(tile, noc, due)) {
        due = (tile->left[noc].period + 1) * LEFT_PERIOD;
    }
    due |= noc_transaction_holds(&tile->niu[noc], 0) ? HELD : 0;
    due = behind_others(tile, noc, due);
    *command = (struct tile_command){.waits = true, .agent = (uint8_t)agent, .pc = pc, .due = due};
    memcpy(command->word, registers_of(tile, noc, buffer), sizeof command->word);
    tile->commands++;
    tile_end_round(tile, due > cycle ? due - 1 : cycle); /* however long its hart would run */
}

static void end_wait(struct tile *tile, struct tile_command *command)
{
    command->waits = false;
    tile->commands--;
}

/* What software has changed since the request was accepted stays as it is. */
static void leave_buffer(struct tile *tile, unsigned buffer, const uint32_t *word, uint64_t cycle,
                         const struct noc_initiator *by)
{
    uint32_t *registers = registers_of(tile, by->noc, buffer);
    tile->late_packets = tile->late_command[by->noc][buffer];
    uint32_t moved = noc_request_depart(&tile->niu[by->noc], word, cycle, by);
    tile->late_packets = 0;
    if (moved && memcmp(registers, word, NIU_REQUEST_WORDS * sizeof *word) == 0) {
        noc_request_move(registers, moved);
    }
}

const uint32_t *tile_noc_words(struct tile *tile, unsigned noc, unsigned buffer)
{
    const struct tile_command *command = &tile->command[noc][buffer];
    return command->waits ? command->word : registers_of(tile, noc, buffer);
}

bool tile_noc_has_result(const struct tile *tile, uint32_t address)
{
    bool has = false;
    for (unsigned i = 0; i < 2 * NIU_BUFFERS; i++) {
        const uint32_t *word = &tile->niu[i / NIU_BUFFERS].word[niu_buffer(i % NIU_BUFFERS)];
        has |= noc_request_result(word) == address / 4 * 4;
    }
    return has;
}

bool tile_noc_buffer_busy(struct tile *tile, unsigned noc, unsigned buffer, uint64_t cycle)
{
    if (!tile->commands || !tile->command[noc][buffer].waits) {
        return false;
    }
    request_fault(
        tile, PENROSE_FAULT_NOC_BUSY,
        "changes a register of a request initiator while bit 0 of its NOC_CMD_CTRL is set; a loop "
        "until that is 0 is missing (noc_cmd_buf_ready())",
        cycle);
    return true;
}

uint64_t tile_noc_departure(const struct tile *tile)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; tile->commands && i < 2 * NIU_BUFFERS; i++) {
        const struct tile_command *command = &tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS];
        next = command->waits && command->due < next ? command->due : next;
    }
    return next & HELD ? UINT64_MAX : next;
}

/* The request that was held first, NULL: none is. */
static struct tile_command *first_held(struct tile_command *command)
{
    struct tile_command *first = NULL;
    for (unsigned i = 0; i < NIU_BUFFERS; i++) {
        bool is_held = command[i].waits && command[i].due & HELD;
        first = is_held && (!first || command[i].due < first->due) ? &command[i] : first;
    }
    return first;
}

void tile_noc_let_depart(struct tile *tile, unsigned noc, uint64_t cycle)
{
    struct tile_command *command = NULL;
    while (!noc_transaction_holds(&tile->niu[noc], 0) &&
           (command = first_held(tile->command[noc]))) {
        unsigned buffer = (unsigned)(command - tile->command[noc]);
        struct noc_initiator by =
            initiator(tile, noc, (enum tile_agent)command->agent, command->pc);
        command->due &= ~HELD;
        if (!noc_request_join(&tile->niu[noc], command->word, cycle, &by)) {
            registers_of(tile, noc, buffer)[NIU_CMD_CTRL / 4] = 0;
            end_wait(tile, command);
        }
    }
}

void tile_noc_depart(struct tile *tile, uint64_t end, uint64_t latest)
{
    for (uint64_t due; (due = tile_noc_departure(tile)) < end;) {
        unsigned i = 0;
        while (!tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS].waits ||
               tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS].due != due) {
            i++;
        }
        unsigned noc = i / NIU_BUFFERS, buffer = i % NIU_BUFFERS;
        struct tile_command *command = &tile->command[noc][buffer];
        if (is_leaving(tile, noc, due) && latest == UINT64_MAX) {
            command->waits = false; /* it is no other one */
            command->due = behind_others(tile, noc, tile->ways[noc].begins);
            command->waits = true;
            continue;
        }
        struct noc_initiator by =
            initiator(tile, noc, (enum tile_agent)command->agent, command->pc);
        uint64_t cycle = due > tile->now ? due : tile->now;
        cycle = cycle < latest ? cycle : latest;
        end_wait(tile, command);
        registers_of(tile, noc, buffer)[NIU_CMD_CTRL / 4] = 0;
        leave_buffer(tile, buffer, command->word, cycle, &by);
        tile_niu_changed(tile, noc, cycle);
    }
}

static bool must_wait(const struct tile *tile, unsigned noc, enum tile_agent agent, uint64_t cycle)
{
    bool waits = tile->board->delivery.at_random ||
                 (agent < AGENT_NOC && tile->late[agent].departure) ||
                 noc_transaction_holds(&tile->niu[noc], 0) || !has_room(tile, noc, cycle) ||
                 is_leaving(tile, noc, cycle);
    for (unsigned i = 0; tile->commands && i < NIU_BUFFERS; i++) {
        waits |= tile->command[noc][i].waits; /* those before it */
    }
    return waits;
}

/* Software gives another request to a buffer whose request waits, which tile_noc_buffer_busy has
 * told: that one departs now, after those before it. Where it cannot, nothing begins, as the bit of
 * NOC_CMD_CTRL is set already. */
static bool make_way(struct tile *tile, unsigned noc, unsigned buffer, uint64_t cycle)
{
    const struct tile_command *command = &tile->command[noc][buffer];
    uint32_t *ready = &registers_of(tile, noc, buffer)[NIU_CMD_CTRL / 4], value = *ready;
    if (command->waits && !(command->due & HELD) && has_room(tile, noc, cycle)) {
        tile_noc_depart(tile, command->due + 1, cycle);
        *ready = value;
    }
    return !command->waits;
}

void tile_noc_request(struct tile *tile, unsigned noc, unsigned buffer, enum tile_agent agent,
                      uint64_t cycle)
{
    uint32_t pc = agent < AGENT_NOC ? rv32_current_pc(&tile->hart[agent]) : 0;
    struct noc_initiator by = initiator(tile, noc, agent, pc);
    struct niu *niu = &tile->niu[noc];
    uint32_t *registers = registers_of(tile, noc, buffer);
    bool leads_to_gddr =
        tile->kind->type == TILE_DRAM && niu->word[NIU_CFG_0 / 4] & NIU_AXI_SUBORDINATE;
    if (!make_way(tile, noc, buffer, cycle)) {
        return;
    }
    tile->late_command[noc][buffer] = agent < AGENT_NOC ? tile->late[agent].arrival : 0;
    if ((leads_to_gddr &&
         !request_fault(tile, PENROSE_FAULT_NOC_COMMAND,
                        "a DRAM tile starts requests only while bit 15 of its NIU_CFG_0 is clear",
                        cycle)) ||
        !noc_request_accept(niu, registers, cycle, &by)) {
        registers[NIU_CMD_CTRL / 4] = 0;
    } else if (must_wait(tile, noc, agent, cycle)) {
        wait_for_departure(tile, noc, buffer, agent, pc, cycle);
    } else {
        registers[NIU_CMD_CTRL / 4] = 0;
        leave_buffer(tile, buffer, registers, cycle, &by);
    }
}
