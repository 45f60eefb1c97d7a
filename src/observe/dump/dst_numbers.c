/* Rows of Dst as numbers; see dst_numbers.h. */
#include "observe/dump/dst_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "loader/tensor.h"
#include "num/dst_format.h"

/* Data in the hardware's order of bits become patterns of their format. */
static void to_patterns(enum num_format format, const uint16_t *half, const uint32_t *whole,
                        size_t count, uint8_t *pattern)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word = !half                            ? num_fp32_from_dst(whole[i])
                        : format == NUM_FORMAT_FLOAT16   ? num_fp16_from_dst(half[i])
                        : format == NUM_FORMAT_FLOAT16_B ? num_bf16_from_dst(half[i])
                                                         : half[i];
        memcpy(pattern + i * (half ? 2 : 4), &word, half ? 2 : 4);
    }
}

/* 10 bits of magnitude, which no format in L1 has. */
static bool decode_int8(const uint16_t *half, size_t count, struct loader_npy *array)
{
    if (!loader_npy_make(array, LOADER_NPY_SIGNED, 4, 1, (uint32_t)count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t value = num_int8_from_dst(half[i]);
        memcpy(array->data + 4 * i, &value, sizeof value);
    }
    return true;
}

bool dump_decode_dst(enum num_format format, const uint16_t *half, const uint32_t *whole,
                     uint32_t rows, struct loader_npy *array)
{
    const size_t count = (size_t)rows * DUMP_DST_COLUMNS;
    const struct loader_tensor tensor = {.form = {.format = format, .layout = LOADER_ROWS},
                                         .rows = rows,
                                         .columns = DUMP_DST_COLUMNS};
    if (format == NUM_FORMAT_INT8) {
        return decode_int8(half, count, array);
    }
    uint8_t *pattern = malloc(count * 4);
    if (pattern) {
        to_patterns(format, half, whole, count, pattern);
    }
    bool is_done = pattern && loader_tensor_decode(&tensor, pattern, array);
    free(pattern);
    return is_done;
}
