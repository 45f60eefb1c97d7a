/* trisc2 packs the product from Dst to L1, and tells brisc. */
#include "kit/tensix.h"
#include "shared.h"

enum { ROWS = 4, GPR_ADDRESS = 12, ROW_BYTES = SIDE * 2, ADDRESS_IS_COMPLETE = 1u << 31 };

static void configure(void)
{
    tensix_wait();
    config_set(PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_BYTES);
    config_set(THCON_SEC0_REG1_Disable_zero_compress, 1);
    config_set(THCON_SEC0_REG1_In_data_format, FLOAT16_B);
    config_set(THCON_SEC0_REG1_Out_data_format, FLOAT16_B);
    config_set(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, SIDE);
    config_set(PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    config_set(ALU_FORMAT_SPEC_REG2_Dstacc, FLOAT16_B);
    TTI_SETADCXX(OF_PACKER, SIDE - 1, 0);
    TTI_SETADCXY(OF_PACKER, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(OF_PACKER, 0, 0, 0, 0, 0xf);
    /* After each PACR: four rows on, in Dst and in L1. */
    thread_config_set(ADDR_MOD_PACK_SEC0_YsrcIncr, ROWS << ADDR_MOD_PACK_SEC0_YsrcIncr_SHAMT |
                                                       ROWS << ADDR_MOD_PACK_SEC0_YdstIncr_SHAMT);
    /* As the unpackers, the packer skips a header of 16 bytes. */
    gpr_set(GPR_ADDRESS, (PRODUCT / UNIT - 1) | ADDRESS_IS_COMPLETE);
    TTI_STALLWAIT(BLOCK_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(GPR_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    config_wait();
}

int main(void)
{
    configure();
    TTI_SEMWAIT(BLOCK_TDMA, 1 << PRODUCT_IN_DST, WHILE_ZERO);
    for (unsigned row = 0; row < SIDE; row += ROWS) {
        bool is_last = row + ROWS == SIDE;
        tensix_push(TT_OP_PACR(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, is_last));
    }
    TTI_SEMGET(1 << PRODUCT_IN_DST);
    tensix_wait();
    mailbox_send(BRISC, 1);
    return 0;
}
