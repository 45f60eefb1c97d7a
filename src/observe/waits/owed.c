/* What NIUs are owed, see owed.h. */
#include "observe/waits/owed.h"

const struct owed_kind owed_kinds[OWED_KINDS] = {
    {NIU_MST_RD_REQ_SENT, NIU_MST_RD_RESP_RECEIVED, "reads", "noc_async_read_barrier", false},
    {NIU_MST_NONPOSTED_WR_REQ_SENT, NIU_MST_WR_ACK_RECEIVED, "writes", "noc_async_write_barrier",
     true},
    {NIU_MST_NONPOSTED_ATOMIC_SENT, NIU_MST_ATOMIC_RESP_RECEIVED, "atomics",
     "noc_async_atomic_barrier", true},
};

int32_t owed_responses(const struct niu *niu, unsigned kind)
{
    const uint32_t *counter = niu->word + NIU_COUNTERS / 4;
    return (int32_t)(counter[owed_kinds[kind].asked] - counter[owed_kinds[kind].answered]);
}

int owed_outstanding(const struct niu *niu, unsigned id)
{
    return (int8_t)niu_outstanding(niu, id);
}

bool owed_ids_hold(const struct niu *niu)
{
    int32_t missing = 0, unasked = 0;
    for (unsigned kind = 0; kind < OWED_KINDS; kind++) {
        int32_t number = owed_responses(niu, kind);
        if (number < 0 && owed_kinds[kind].has_multicasts) {
            return false;
        }
        missing += number > 0 ? number : 0;
        unasked += number < 0 ? -number : 0;
    }
    for (unsigned id = 0; id < NIU_TRANSACTIONS; id++) {
        int number = owed_outstanding(niu, id);
        missing -= number > 0 ? number : 0;
        unasked -= number < 0 ? -number : 0;
    }
    return missing >= 0 && unasked >= 0;
}
