/* TDMA-RISC. */
#include "mmio_harness.h"

static struct tile_harness harness;
#define H (&harness)

static void setup(void)
{
    harness_open(H);
}

static void teardown(void)
{
    harness_close(H);
}

#define TDMA(offset) (UINT32_C(0xffb11000) + (offset))
#define COMMAND      TDMA(0x10)
#define SOFT_RESET   UINT32_C(0xffb121b0)

START_TEST(status_is_idle)
{
    put(H, AGENT_B, TDMA(0x14), 0xffffffff);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x14)), 1 << 3 | 1 << 5 | 4 << 8);
    ck_assert_uint_eq(get(H, AGENT_T0, TDMA(0x38)), 0x55); /* all metadata FIFOs empty */
}
END_TEST

START_TEST(parameters_are_write_only)
{
    put(H, AGENT_B, TDMA(4u * (unsigned)_i), 99);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(4u * (unsigned)_i)), 0);
    ck_assert_uint_eq(harness.tile->tdma.parameter[_i], 99);
}
END_TEST

START_TEST(raw_values_read_back)
{
    put(H, AGENT_B, TDMA(0x24), 0xffffffff);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x24)), 0xffffff7f);
    put(H, AGENT_B, TDMA(0x28), 0xffffffff);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x28)), 0x01ff007f);
    ck_assert_uint_eq(harness.tile->tdma.scaler[3], 0x1ff);
    put(H, AGENT_B, TDMA(0x3c), 1u | 2u << 9 | 3u << 18 | 1u << 31);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x13c)), 1u | 2u << 9 | 3u << 18);
    put(H, AGENT_B, TDMA(0x38), 0x123456);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x38)), 0x12345655);
}
END_TEST

START_TEST(move_base_is_of_each_hart)
{
    for (unsigned agent = AGENT_B; agent <= AGENT_T2; agent++) {
        put(H, (enum tile_agent)agent, TDMA(0x2c), 10 + agent);
    }
    for (unsigned agent = AGENT_B; agent <= AGENT_T2; agent++) {
        ck_assert_uint_eq(get(H, (enum tile_agent)agent, TDMA(0x2c)), 10 + agent);
    }
}
END_TEST

START_TEST(mover_is_not_implemented)
{
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x40), MMIO_UNIMPLEMENTED);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x80000040), MMIO_UNIMPLEMENTED);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x46), MMIO_OK);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x80000089), MMIO_OK);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x11), MMIO_UNIMPLEMENTED);
}
END_TEST

START_TEST(store_command_writes_l1)
{
    put(H, AGENT_B, TDMA(0), 0x500);
    put(H, AGENT_B, TDMA(8), 0xaabbccdd);
    put(H, AGENT_B, TDMA(12), 0x11223344);
    put(H, AGENT_B, COMMAND, 0x666);
    ck_assert_uint_eq(harness_word(H, 0x500), 0xaabbccdd);
    ck_assert_uint_eq(harness_word(H, 0x504), 0);
    put(H, AGENT_B, COMMAND, 0x766);
    ck_assert_uint_eq(harness_word(H, 0x504), 0x11223344);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x066), MMIO_UNIMPLEMENTED);
    put(H, AGENT_B, TDMA(0), TILE_L1_BYTES - 4);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x766), MMIO_UNMAPPED);
    ck_assert_int_eq(try_access(H, MMIO_WRITE, AGENT_B, COMMAND, 0x666), MMIO_OK);
}
END_TEST

START_TEST(empty_metadata_fifo_makes_wait)
{
    uint32_t packer = 0x100u * (unsigned)_i;
    ck_assert_int_eq(try_access(H, MMIO_READ, AGENT_T2, TDMA(0x30 + packer), 0), MMIO_WAIT);
    ck_assert_uint_eq(get(H, AGENT_T2, TDMA(0x34 + packer)), 0);
    for (uint32_t thread = 0; thread < 3; thread++) {
        ck_assert_uint_eq(get(H, AGENT_T2, TDMA(0x18 + packer + 0x40 * thread)), 0);
        ck_assert_uint_eq(get(H, AGENT_T2, TDMA(0x1c + packer + 0x40 * thread)), 0);
    }
    ck_assert_uint_eq(harness.unmodelled, 0);
    ck_assert_int_eq(try_access(H, MMIO_READ, AGENT_T2, TDMA(0xd8 + packer), 0), MMIO_UNMAPPED);
}
END_TEST

/* What the packer leaves behind, seen where packer 0 was; the other three stay empty. */
START_TEST(packer_shows_its_tiles)
{
    struct tensix_packer *packer = &harness.tile->tensix.packer;
    packer->last_thread = 2;
    packer->last_tile_size = 130;
    packer->acc_tile_size[1] = 7;
    packer->acc_tile_size[2] = 9;
    packer->all_zero_flags = 0xf0f0;
    harness.tile->tensix.unpacker[0].register_sum = 0x15678;
    harness.tile->tensix.unpacker[1].register_sum = 0x4321;
    for (unsigned which = 0; which < 4; which++) {
        for (unsigned thread = 0; thread < 3; thread++) {
            uint32_t at = 0x100 * which + 0x40 * thread;
            uint32_t sum = which % 2 ? 0x43210000 : 0x56780000;
            ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x18 + at)), which == 0 && thread == 2 ? 130 : 0);
            ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x1c + at)),
                              sum | (which == 0 ? packer->acc_tile_size[thread] : 0));
        }
        ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x20 + 0x100 * which)), which == 0 ? 0xf0f0 : 0);
    }
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x3c)) >> 31, 1);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x13c)) >> 31, 0);
    put(H, AGENT_B, TDMA(0x1c), 0x20055); /* of another packer */
    ck_assert_uint_eq(packer->acc_tile_size[2], 9);
    put(H, AGENT_B, TDMA(0x1c), 0x10055);
    ck_assert_uint_eq(packer->acc_tile_size[2], 0);
    ck_assert_uint_eq(packer->l1_dest_addr_offset, 0x55);
}
END_TEST

START_TEST(metadata_fifo)
{
    struct tensix_packer *packer = &harness.tile->tensix.packer;
    for (unsigned i = 0; i < TENSIX_PACK_METADATA; i++) {
        packer->metadata[i] =
            (struct tensix_pack_metadata){.tile_size = (uint16_t)(20 + i), .all_zero_flags = i};
    }
    packer->metadata_count = TENSIX_PACK_METADATA;
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x38)), 0x56);
    for (unsigned i = 0; i < TENSIX_PACK_METADATA; i++) {
        ck_assert_uint_eq(peek(H, AGENT_B, TDMA(0x34)), 0);
        ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x30)), 20 + i);
        ck_assert_event(H, ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x34)), i));
    }
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x38)), 0x55);
    ck_assert_int_eq(try_access(H, MMIO_READ, AGENT_B, TDMA(0x30), 0), MMIO_WAIT);
    ck_assert_uint_eq(get(H, AGENT_B, TDMA(0x34)), 0);
}
END_TEST

START_TEST(pack_register_bases)
{
    put(H, AGENT_B, TDMA(0x38), 0x00200000 | 0x155 << 10 | 0x2aa);
    ck_assert_uint_eq(harness.tile->tensix.packer.register_base[0], 2u << 18 | 0x2aa << 2);
    ck_assert_uint_eq(harness.tile->tensix.packer.register_base[1], 0u << 18 | 0x155 << 2);
}
END_TEST

START_TEST(reset_discards_writes)
{
    put(H, AGENT_B, TDMA(0), 5);
    put(H, AGENT_NOC, SOFT_RESET, 0x47800 | 1 << 8);
    ck_assert_uint_eq(harness.tile->tdma.parameter[0], 0);
    put(H, AGENT_B, TDMA(0), 6);
    put(H, AGENT_B, COMMAND, 0x40);
    ck_assert_uint_eq(harness.tile->tdma.parameter[0], 0);
    put(H, AGENT_NOC, SOFT_RESET, 0x47800);
    put(H, AGENT_B, TDMA(0), 7);
    ck_assert_uint_eq(harness.tile->tdma.parameter[0], 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tdma");
    TCase *tcase = tcase_create("tdma");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, status_is_idle);
    tcase_add_loop_test(tcase, parameters_are_write_only, 0, 4);
    tcase_add_test(tcase, raw_values_read_back);
    tcase_add_test(tcase, move_base_is_of_each_hart);
    tcase_add_test(tcase, mover_is_not_implemented);
    tcase_add_test(tcase, store_command_writes_l1);
    tcase_add_loop_test(tcase, empty_metadata_fifo_makes_wait, 0, 4);
    tcase_add_test(tcase, packer_shows_its_tiles);
    tcase_add_test(tcase, metadata_fifo);
    tcase_add_test(tcase, pack_register_bases);
    tcase_add_test(tcase, reset_discards_writes);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
