/* The tile behind its NIUs, see tile/noc_port.h. */
#include "tile/noc_port.h"

#include <stdio.h>
#include <string.h>

#include "eth/base_firmware.h"
#include "noc/request.h"
#include "noc/serve.h"
#include "noc/transaction.h"
#include "tile/fault.h"
#include "tile/noc_short.h"
#include "tile/observe.h"
#include "tile/overlay_port.h"
#include "tile/weak.h"

/* --- Its address space as the NoC sees it --- */

bool tile_dram_address(uint64_t address, uint64_t *local)
{
    *local = address;
    if (address >= AT_DRAM_L1 && address - AT_DRAM_L1 <= UINT32_MAX) {
        *local = address - AT_DRAM_L1;
        return true;
    }
    uint64_t again = address - AT_DRAM_REGISTERS;
    if (again >= AT_NOC_REGISTERS && again <= UINT32_MAX) {
        *local = again;
        return true;
    }
    return address >= AT_NOC_REGISTERS && address <= UINT32_MAX;
}

/* As the tile's harts have it. */
static uint64_t own_address(const struct tile *tile, uint64_t address)
{
    if (tile->kind->type == TILE_DRAM) {
        tile_dram_address(address, &address);
    }
    return address;
}

/* Is it GDDR where a packet goes that a tile receives? */
static bool is_gddr(const struct tile *tile, const struct noc_packet *packet)
{
    uint64_t local;
    return tile->kind->type == TILE_DRAM &&
           tile->niu[packet->noc].word[NIU_CFG_0 / 4] & NIU_AXI_SUBORDINATE &&
           !tile_dram_address(packet->address, &local);
}

static enum answer port_access(void *owner, bool writes, uint64_t address, void *bytes,
                               uint32_t size, uint64_t cycle, const char **rule)
{
    uint32_t done;
    address = own_address(owner, address);
    if (address > UINT32_MAX) {
        *rule = "the tile's addresses have 32 bits";
        return ANSWER_REFUSED;
    }
    enum answer answer = tile_noc_access(owner, writes ? MMIO_WRITE : MMIO_READ, (uint32_t)address,
                                         bytes, size, cycle, &done, rule);
    if (answer_is_refusal(answer) && !*rule) {
        *rule = answer_rule(answer, ANSWER_TO_NOC);
    }
    return answer;
}

static uint8_t *port_line(void *owner, uint64_t address)
{
    struct tile *tile = owner;
    address = own_address(tile, address);
    return address < tile->kind->l1_bytes ? tile->l1 + address : NULL;
}

enum { LINE_BYTES = 16 };

static void port_line_written(void *owner, uint64_t address, uint64_t cycle)
{
    tile_l1_written(owner, (uint32_t)own_address(owner, address), LINE_BYTES, cycle);
}

/* --- Telling observers --- */

static void tell_packet(struct tile *tile, enum observed_kind kind, const struct noc_packet *packet,
                        uint16_t node, uint64_t cycle)
{
    bool is_access = kind == OBSERVED_READ || kind == OBSERVED_WRITTEN;
    bool has_back = packet->kind == NOC_READ || (packet->kind == NOC_WRITE && !packet->is_inline);
    const struct observed event = {.kind = kind,
                                   .agent = OBSERVED_NOC,
                                   .thread = OBSERVED_NO_THREAD,
                                   .cycle = cycle,
                                   .pc = packet->pc,
                                   .address = is_access ? own_address(tile, packet->address)
                                                        : packet->address,
                                   .is_gddr = is_access && is_gddr(tile, packet),
                                   .size = packet->size,
                                   .node = node,
                                   .noc = packet->noc,
                                   .packet = packet->kind,
                                   .is_multicast = packet->is_multicast,
                                   .asker = packet->agent,
                                   .sent = packet->sent,
                                   .back = has_back ? packet->back_address : UINT64_MAX};
    if (tile_is_observed(tile, kind)) {
        tile_tell(tile, &event);
    }
}

/* What a packet has done here: one that asks for an atomic reads and writes. */
static void tell_delivered(struct tile *tile, const struct noc_packet *packet, uint64_t cycle)
{
    uint16_t node = packet->kind <= NOC_ATOMIC ? packet->origin : packet->from;
    if (packet->kind == NOC_READ || packet->kind == NOC_ATOMIC) {
        tell_packet(tile, OBSERVED_READ, packet, node, cycle);
    }
    if (packet->kind != NOC_READ && packet->kind != NOC_WRITE_ACK) {
        tell_packet(tile, OBSERVED_WRITTEN, packet, node, cycle);
    }
    tell_packet(tile, OBSERVED_DELIVERED, packet, node, cycle);
}

void tile_noc_tell_answer(struct tile *tile, const struct noc_packet *request, uint64_t cycle)
{
    if (tile->observed) {
        struct noc_packet answer = *request;
        answer.kind = request->kind == NOC_READ ? NOC_READ_RESPONSE : NOC_WRITE_ACK;
        answer.from = request->to;
        answer.address = request->back_address;
        tell_delivered(tile, &answer, cycle);
    }
}

void tile_noc_tell_request(struct tile *tile, const struct noc_packet *request, uint64_t cycle)
{
    if (tile->observed) {
        tell_delivered(tile, request, cycle);
    }
}

bool tile_noc_serve(struct tile *tile, const struct noc_target *target, struct noc_packet *packet,
                    uint64_t cycle)
{
    if (!tile || !tile->observed) {
        return noc_serve(target, packet, cycle);
    }
    const struct noc_packet came = *packet; /* it goes back as the response */
    if (!noc_serve(target, packet, cycle)) {
        return false;
    }
    tell_delivered(tile, &came, cycle);
    return true;
}

/* --- Sending --- */

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

void tile_noc_send(void *owner, struct noc_packet *packet, uint64_t cycle)
{
    struct tile *tile = owner;
    packet->sent = cycle;
    tile_note_asked(tile, packet);
    tell_packet(tile, OBSERVED_SENT, packet, packet->to, cycle);
    if (tile_noc_short(tile, packet, cycle)) {
        return;
    }
    if (packet->kind == NOC_READ) {
        noc_packet_room(&tile->pool, packet, packet->size); /* else the target finds some */
    }
    if (packet->kind <= NOC_ATOMIC) {
        count_left(&tile->left[packet->noc], packet->size, cycle);
    }
    packet->order = (uint64_t)tile->node << 40 | tile->noc_sequence++;
    packet->delay = draw(tile, NOC_MOST_DELAY);
    noc_list_append(&tile->sent, packet);
    tile_end_round(tile, cycle);
}

static const char *port_fetch(void *owner, uint64_t address, uint8_t *bytes, uint32_t size,
                              uint64_t cycle)
{
    const char *rule = NULL;
    enum answer answer = port_access(owner, false, address, bytes, size, cycle, &rule);
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
        char to[40], text[200];
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
                                  .fault = request_fault};
}

/* A request departs when its NIU gets to it, after those before it: under --schedule random, when
 * much has left, and while the overlay has a transaction open. Then `due` is in the far future, in
 * the same order. Until then it is what it was when it was accepted, whatever becomes of its
 * registers. */
#define HELD (UINT64_C(1) << 63)

static uint32_t *registers_of(struct tile *tile, unsigned noc, unsigned buffer)
{
    return &tile->niu[noc].word[niu_buffer(buffer)];
}

static void wait_for_departure(struct tile *tile, unsigned noc, unsigned buffer,
                               enum tile_agent agent, uint32_t pc, uint64_t cycle)
{
    struct tile_command *command = &tile->command[noc][buffer];
    uint64_t due = cycle + draw(tile, NOC_MOST_DEPARTURE);
    if (!has_room(tile, noc, due)) {
        due = (tile->left[noc].period + 1) * LEFT_PERIOD;
    }
    due |= noc_transaction_holds(&tile->niu[noc], 0) ? HELD : 0;
    for (unsigned i = 0; i < NIU_BUFFERS; i++) {
        const struct tile_command *other = &tile->command[noc][i];
        due = other->waits && other->due >= due ? other->due + 1 : due;
    }
    *command = (struct tile_command){.waits = true, .agent = (uint8_t)agent, .pc = pc, .due = due};
    memcpy(command->word, registers_of(tile, noc, buffer), sizeof command->word);
    tile->commands++;
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
    uint32_t moved = noc_request_depart(&tile->niu[by->noc], word, cycle, by);
    if (moved && memcmp(registers, word, NIU_REQUEST_WORDS * sizeof *word) == 0) {
        noc_request_move(registers, moved);
    }
}

const uint32_t *tile_noc_words(struct tile *tile, unsigned noc, unsigned buffer)
{
    const struct tile_command *command = &tile->command[noc][buffer];
    return command->waits ? command->word : registers_of(tile, noc, buffer);
}

bool tile_noc_buffer_busy(struct tile *tile, unsigned noc, unsigned buffer, uint64_t cycle)
{
    if (!tile->commands || !tile->command[noc][buffer].waits) {
        return false;
    }
    request_fault(
        tile, PENROSE_FAULT_NOC_BUSY,
        "a register of a request initiator changes while bit 0 of its NOC_CMD_CTRL is set: "
        "read that until it is clear",
        cycle);
    return true;
}

static uint64_t next_departure(const struct tile *tile)
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

/* Requests that are due before `end` depart, in their order, at `latest` at the latest. */
static void depart(struct tile *tile, uint64_t end, uint64_t latest)
{
    for (uint64_t due; (due = next_departure(tile)) < end;) {
        unsigned i = 0;
        while (!tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS].waits ||
               tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS].due != due) {
            i++;
        }
        unsigned noc = i / NIU_BUFFERS, buffer = i % NIU_BUFFERS;
        struct tile_command *command = &tile->command[noc][buffer];
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

static bool must_wait(const struct tile *tile, unsigned noc, uint64_t cycle)
{
    bool waits = tile->board->delivery.at_random || noc_transaction_holds(&tile->niu[noc], 0) ||
                 !has_room(tile, noc, cycle);
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
        depart(tile, command->due + 1, cycle);
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
    if ((leads_to_gddr &&
         !request_fault(tile, PENROSE_FAULT_NOC_COMMAND,
                        "a DRAM tile starts requests only while bit 15 of its NIU_CFG_0 is clear",
                        cycle)) ||
        !noc_request_accept(niu, registers, cycle, &by)) {
        registers[NIU_CMD_CTRL / 4] = 0;
    } else if (must_wait(tile, noc, cycle)) {
        wait_for_departure(tile, noc, buffer, agent, pc, cycle);
    } else {
        registers[NIU_CMD_CTRL / 4] = 0;
        leave_buffer(tile, buffer, registers, cycle, &by);
    }
}

/* --- Receiving --- */

void tile_noc_tell_pic(struct tile *tile, unsigned noc, uint64_t cycle)
{
    pic_set_hardware(tile, noc ? PIC_NIU1 : PIC_NIU0, niu_interrupt(&tile->niu[noc]), cycle);
}

static void port_deliver(void *owner, const struct noc_packet *packet, uint64_t cycle)
{
    struct tile *tile = owner;
    overlay_packet_arrived(&tile->overlay, packet->tag & NOC_TAG_STREAM,
                           packet->tag & NOC_TAG_FIRST, packet->tag & NOC_TAG_LAST, packet->size,
                           cycle);
    tile_overlay_run(tile, cycle);
}

static void port_changed(void *owner, unsigned noc, uint64_t cycle)
{
    struct tile *tile = owner;
    if (tile->niu[noc].word[NIU_RTZ_CFG / 4]) {
        tile_noc_tell_pic(tile, noc, cycle);
    }
    tile_niu_changed(tile, noc, cycle);
}

static bool port_fault(void *owner, const struct noc_packet *packet, enum penrose_fault_kind kind,
                       const char *text)
{
    struct tile *tile = owner;
    struct tile_fault fault = tile_fault_of_packet(packet, kind, text);
    return tile->board->fault(tile->owner, tile, &fault) != PENROSE_STOP;
}

static const struct noc_target_kind tile_target = {.has_registers = true,
                                                   .access = port_access,
                                                   .line = port_line,
                                                   .line_written = port_line_written,
                                                   .deliver = port_deliver,
                                                   .send = tile_noc_send,
                                                   .changed = port_changed,
                                                   .fault = port_fault};

void tile_noc_attach(struct tile *tile)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        tile->behind[noc] = (struct noc_target){
            .kind = &tile_target,
            .owner = tile,
            .pool = &tile->pool,
            .niu = &tile->niu[noc],
            .name = tile->name,
            .registers_again = tile->kind->type == TILE_DRAM ? AT_DRAM_REGISTERS : 0,
            .here = tile->node,
            .read_alignment = LINE_BYTES,
            .write_alignment = LINE_BYTES};
    }
}

uint64_t tile_noc_next(const struct tile *tile)
{
    bool is_blocked = tile->inbox_waits && tile->inbox_epoch == tile->epoch;
    uint64_t departure = next_departure(tile);
    uint64_t arrival = is_blocked ? UINT64_MAX : tile->inbox.earliest;
    return arrival < departure ? arrival : departure;
}

void tile_noc_arrivals(struct tile *tile, uint64_t end)
{
    if (tile_noc_next(tile) >= end) {
        return;
    }
    depart(tile, end, UINT64_MAX);
    tile->inbox_waits = false;
    for (struct noc_packet *packet; (packet = noc_queue_take(&tile->inbox, end));) {
        uint64_t cycle = packet->arrival > tile->now ? packet->arrival : tile->now;
        if (!tile_noc_serve(tile, &tile->behind[packet->noc], packet, cycle)) {
            noc_queue_return(&tile->inbox, packet);
            tile->inbox_waits = true;
            tile->inbox_epoch = tile->epoch;
            return;
        }
    }
}
