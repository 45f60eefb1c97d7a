/* What a fault record has of an agent's instruction, and what a fault does to the tile. */
#include "tile/fault.h"
#include "unit/tile/mmio_harness.h"

FIXTURE(harness_setup, harness_teardown);

enum { PROGRAM = 0x1000 };

static const struct {
    enum tile_agent agent;
    enum penrose_policy policy;
    bool passes;
} rows[] = {
    {AGENT_B, PENROSE_STOP, false},    {AGENT_T2, PENROSE_STOP, false},
    {AGENT_B, PENROSE_WARN, true},     {AGENT_NOC, PENROSE_STOP, false},
    {AGENT_NOC, PENROSE_IGNORE, true},
};

TEST_EACH(an_agents_fault_has_its_instruction, COUNT(rows))
{
    enum tile_agent agent = rows[_i].agent;
    bool is_hart = agent < AGENT_NOC;
    if (is_hart) {
        harness_set_word(H, PROGRAM, 0x12345678);
        H->tile->hart[agent].pc = PROGRAM;
        H->tile->hart[agent].cut = UINT64_MAX;
    }
    H->policy = rows[_i].policy;
    EXPECT(tile_agent_fault(H->tile, PENROSE_FAULT_HANG, agent, 7, 0xffb20000, "a rule") ==
           rows[_i].passes);
    ck_assert_int_eq(H->fault.kind, PENROSE_FAULT_HANG);
    ck_assert_int_eq(H->fault.agent, agent);
    ck_assert_uint_eq(H->fault.pc, is_hart ? PROGRAM : 0);
    ck_assert_uint_eq(H->fault.word, is_hart ? 0x12345678 : 0);
    ck_assert_uint_eq(H->fault.cycle, 7);
    ck_assert_uint_eq(H->fault.address, 0xffb20000);
    ck_assert_str_eq(H->fault.text, "a rule");
    EXPECT(!H->fault.is_remote);
    EXPECT(H->tile->halt == (rows[_i].passes ? TILE_GOES : TILE_FAULTED));
    if (is_hart) { /* its burst ends behind the instruction */
        EXPECT(H->tile->hart[agent].cut == (rows[_i].passes ? UINT64_MAX : 8));
    }
}

TEST(a_packets_fault_is_its_senders)
{
    const struct noc_packet packet = {
        .agent = AGENT_T1, .origin = 9, .sent = 5, .pc = 0x20, .address = 0x4000};
    struct tile_fault fault = tile_fault_of_packet(&packet, PENROSE_FAULT_NOC_ADDRESS, "a rule");
    EXPECT(fault.is_remote && fault.origin == 9 && fault.agent == AGENT_T1);
    EXPECT(fault.cycle == 5 && fault.pc == 0x20 && fault.address == 0x4000 && !fault.word);
    ck_assert_str_eq(fault.text, "a rule");
}
