/* trisc1 multiplies: Dst += SrcB * SrcA, eight rows of SrcB and Dst at a time. Numbers this small
 * are exact in one fidelity phase. */
#include "kit/tensix.h"
#include "shared.h"

enum { ROWS = 8, CLEAR_ALL = 3, GIVE_BOTH_BACK = 3, SRC_A = 1, SRC_B = 2, DST = 4, FIDELITY = 8 };

int main(void)
{
    TTI_SEMINIT(1, 0, 1 << PRODUCT_IN_DST);
    TTI_ZEROACC(CLEAR_ALL, 0, 0, 0, 0);
    TTI_SETRWC(0, 0, 0, 0, 0, SRC_A | SRC_B | DST | FIDELITY);
    /* What address modifier 0 adds to the counters after an instruction. */
    thread_config_set(ADDR_MOD_AB_SEC0_SrcAIncr, ROWS << ADDR_MOD_AB_SEC0_SrcBIncr_SHAMT);
    thread_config_set(ADDR_MOD_DST_SEC0_DestIncr, ROWS);
    TTI_MVMUL(0, 0, 0, 0); /* waits for both unpackers */
    TTI_MVMUL(GIVE_BOTH_BACK, 0, 0, 0);
    TTI_STALLWAIT(BLOCK_SYNC, UNTIL_MATRIX);
    TTI_SEMPOST(1 << PRODUCT_IN_DST);
    tensix_wait();
    return 0;
}
