#include "fence.h"

#include "tensix/table.h"

#define WAIT_FOR_SCALAR UINT32_C(0xa2408001) /* STALLWAIT: block TDMA and Config, for Scalar */
#define DO_NOTHING      UINT32_C(0x60000000) /* DMANOP */

enum { CONFIG_CYCLES = 3, OPCODE_SHIFT = 24 };

enum user { USES_NONE, USES_SCALAR, USES_CONFIG, USES_ANY };

static enum user user_of(uint32_t word)
{
    int row = tensix_find_opcode(word >> OPCODE_SHIFT);
    if (row < 0 || row == TENSIX_ROW_DMANOP) {
        return USES_NONE;
    }
    if (row == TENSIX_ROW_MOP || row == TENSIX_ROW_REPLAY) {
        return USES_ANY;
    }
    if (row == TENSIX_ROW_WRCFG || row == TENSIX_ROW_RDCFG) {
        return USES_CONFIG;
    }
    return tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR ? USES_SCALAR : USES_NONE;
}

unsigned fence_before(struct fence *fence, uint32_t word, uint32_t before[MOST_FENCES])
{
    unsigned count = 0;
    if (fence->recording) {
        fence->recording--;
        return 0;
    }
    enum user user = user_of(word);
    if (fence->scalar && (user == USES_CONFIG || user == USES_ANY)) {
        before[count++] = WAIT_FOR_SCALAR;
        fence->scalar = false;
    }
    if (fence->config && (user == USES_SCALAR || user == USES_ANY)) {
        while (count < CONFIG_CYCLES) {
            before[count++] = DO_NOTHING;
        }
        fence->config = false;
    }
    fence->scalar = fence->scalar || user == USES_SCALAR || user == USES_ANY;
    fence->config = fence->config || user == USES_CONFIG || user == USES_ANY;
    if (tensix_find_opcode(word >> OPCODE_SHIFT) == TENSIX_ROW_REPLAY) {
        struct tensix_args_REPLAY replay = tensix_decode_REPLAY(word);
        fence->recording = replay.load ? replay.count : 0;
    }
    return count;
}
