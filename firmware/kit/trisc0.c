/* trisc0 unpacks: the right matrix to SrcA, the left one to SrcB. */
#include "kit/tensix.h"
#include "shared.h"

enum { BOTH = OF_UNPACKER0 | OF_UNPACKER1, SRC_A_ROW0 = 4 * SIDE };

static void configure(void)
{
    TTI_SETADCXY(BOTH, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(BOTH, 0, 0, 0, 0, 0xf);
    TTI_SETADCXX(BOTH, DATA - 1, 0);
    tensix_wait();
    config_set(THCON_SEC0_REG0_TileDescriptor_in_data_format, FLOAT16_B);
    config_set(THCON_SEC0_REG0_TileDescriptor_uncompressed, 1);
    config_set(THCON_SEC0_REG0_TileDescriptor_y_dim, 1);
    config_set(THCON_SEC0_REG0_TileDescriptor_z_dim, 1);
    config_set(THCON_SEC1_REG0_TileDescriptor_in_data_format, FLOAT16_B);
    config_set(THCON_SEC1_REG0_TileDescriptor_uncompressed, 1);
    config_set(THCON_SEC1_REG0_TileDescriptor_x_dim, DATA);
    config_set(THCON_SEC1_REG0_TileDescriptor_y_dim, 1);
    config_set(THCON_SEC1_REG0_TileDescriptor_z_dim, 1);
    config_set(THCON_SEC0_REG2_Out_data_format, FLOAT16_B);
    config_set(THCON_SEC1_REG2_Out_data_format, FLOAT16_B);
    config_set(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    config_set(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1);
    config_set(THCON_SEC0_REG5_Dest_cntx0_address, SRC_A_ROW0);
    config_set(THCON_SEC0_REG5_Tile_x_dim_cntx0, DATA);
    /* The unpackers skip a header of 16 bytes, which these matrices do not have. */
    config_set(THCON_SEC0_REG3_Base_address, RIGHT / UNIT - 1);
    config_set(THCON_SEC1_REG3_Base_address, LEFT / UNIT - 1);
    thread_config_set(SRCA_SET_Base, SRCA_SET_SetOvrdWithAddr_MASK);
    config_wait();
}

int main(void)
{
    configure();
    consume(mailbox_receive(BRISC)); /* the matrices are there */
    TTI_UNPACR(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
    TTI_UNPACR(1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
    tensix_wait();
    return 0;
}
