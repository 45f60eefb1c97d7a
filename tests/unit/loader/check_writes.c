/* The list of writes. */
#include "unit/loader/loader_image.h"

#include "loader/writes.h"

TEST(grow)
{
    struct loader_writes writes = {0};
    for (uint32_t i = 0; i < 100; i++) {
        uint8_t *bytes = loader_writes_add(&writes, 0x1000 * i, i + 1);
        ck_assert_ptr_nonnull(bytes);
        for (uint32_t j = 0; j <= i; j++) {
            ck_assert_uint_eq(bytes[j], 0);
            bytes[j] = (uint8_t)i;
        }
    }
    ck_assert_uint_eq(writes.count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(writes.write[i].address, 0x1000 * i);
        ck_assert_uint_eq(writes.write[i].size, i + 1);
        ck_assert_uint_eq(writes.write[i].bytes[i], i);
    }
    loader_writes_free(&writes);
    ck_assert_uint_eq(writes.count, 0);
    ck_assert_ptr_null(writes.write);
    loader_writes_free(&writes);
}
