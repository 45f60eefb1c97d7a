#include "claims.h"

#include <string.h>

void claims_clear(struct claims *claims)
{
    memset(claims->count, 0, sizeof claims->count);
}

bool claims_allow(const struct claims *claims, uint64_t memory, uint64_t first, uint64_t bytes,
                  enum claim_mode mode)
{
    for (uint32_t i = 0; i < claims->count[memory]; i++) {
        const struct claim *claim = &claims->claim[memory][i];
        bool goes_together = claim->mode == mode && mode != CLAIM_WRITE;
        if (first < claim->end && claim->first < first + bytes && !goes_together) {
            return false;
        }
    }
    return claims->count[memory] + MOST_NOTES <= MOST_CLAIMS;
}

void claims_note(struct claims *claims, uint64_t memory, uint64_t first, uint64_t bytes,
                 enum claim_mode mode)
{
    claims->claim[memory][claims->count[memory]++] =
        (struct claim){.first = first, .end = first + bytes, .mode = mode};
}
