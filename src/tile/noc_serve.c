/* See noc_serve.h. */
#include "tile/noc_serve.h"

#include "addresses.h"
#include "tile/tell.h"

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

uint64_t tile_noc_address(const struct tile *tile, uint64_t address)
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

enum answer tile_noc_reach(void *owner, bool writes, uint64_t address, void *bytes, uint32_t size,
                           uint64_t cycle, const char **rule)
{
    uint32_t done;
    address = tile_noc_address(owner, address);
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
                                   .address = is_access ? tile_noc_address(tile, packet->address)
                                                        : packet->address,
                                   .is_gddr = is_access && is_gddr(tile, packet),
                                   .size = packet->size,
                                   .node = node,
                                   .noc = packet->noc,
                                   .packet = packet->kind,
                                   .is_multicast = packet->is_multicast,
                                   .asker = packet->agent,
                                   .is_posted = !packet->wants_response,
                                   .sent = packet->sent,
                                   .held = packet->held,
                                   .back = has_back ? packet->back_address : UINT64_MAX,
                                   .carried = kind == OBSERVED_SENT ? packet : NULL};
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

void tile_noc_tell_sent(struct tile *tile, const struct noc_packet *packet, uint64_t cycle)
{
    if (tile->observed) {
        tell_packet(tile, OBSERVED_SENT, packet, packet->to, cycle);
    }
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
