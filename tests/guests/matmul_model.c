/*
 * A product of large matrices of BF16 with sums of 32 bits, exactly as the Matrix Unit computes it:
 * the same arithmetic as model.py, which is too slow for them, and which checks it on parts of
 * every result (grid.py). It shares nothing with src/num.
 *
 *   matmul_model ROWS INNER COLUMNS PHASES A B RESULT
 *
 * Files hold bare numbers row by row: patterns of BF16, and of FP32 in RESULT. Numbers are zeros or
 * normal, sums do not overflow.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops over columns are for vector instructions, where the host has them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

enum { GROUP = 8, FACE = 16, TILE = 32, COLUMNS = 64 };

/* Some columns of a row of B, or of sums: (-1) ** negative * part * 2 ** exponent. */
struct row {
    int32_t negative[COLUMNS], exponent[COLUMNS], part[COLUMNS];
};

struct number {
    int32_t negative, exponent, part;
};

static int32_t exponent_of(uint16_t pattern)
{
    return pattern >> 7 & 0xff;
}

/* Eight bits with the leading one; zero for a zero. */
static int32_t mantissa_of(uint16_t pattern)
{
    return exponent_of(pattern) ? (pattern & 0x7f) | 0x80 : 0;
}

/* A goes to SrcB: seven bits, or the lowest four of eleven. */
static struct number number_of_a(uint16_t pattern, unsigned phase)
{
    int32_t mantissa = mantissa_of(pattern);
    return (struct number){pattern >> 15, mantissa ? exponent_of(pattern) : -10000,
                           phase & 2 ? (mantissa & 1) << 6 : mantissa >> 1};
}

/* B goes to SrcA: five bits, or the next five. */
static void row_of_b(const uint16_t *pattern, unsigned phase, struct row *row)
{
    for (unsigned j = 0; j < COLUMNS; j++) {
        int32_t mantissa = mantissa_of(pattern[j]);
        row->negative[j] = pattern[j] >> 15;
        row->exponent[j] = mantissa ? exponent_of(pattern[j]) : -10000;
        row->part[j] = phase & 1 ? (mantissa & 7) << 2 : mantissa >> 3;
    }
}

/* Value / 2 ** by to nearest; ties go up, or down. */
static inline int32_t shifted(int32_t value, int32_t by, int32_t ties_down)
{
    int32_t near = by > 30 ? 30 : by;
    int32_t half = near > 0 ? 1 << (near - 1) : 0;
    int32_t sum = value + half - (near > 0 ? ties_down : 0);
    return (sum > 0 ? sum : 0) >> near;
}

/* Eight products for each column, aligned to the greatest exponent and added. */
WIDE static void add_products(const struct number a[GROUP], const struct row b[GROUP], int32_t bias,
                              struct row *sum)
{
    int32_t exponent[GROUP][COLUMNS], top[COLUMNS], total[COLUMNS];
    for (unsigned k = 0; k < GROUP; k++) {
        for (unsigned j = 0; j < COLUMNS; j++) {
            int32_t both = a[k].exponent + b[k].exponent[j];
            exponent[k][j] = both < 0 ? 0 : both + bias; /* of a product with a zero */
            top[j] = k == 0 || exponent[k][j] > top[j] ? exponent[k][j] : top[j];
        }
    }
    memset(total, 0, sizeof total);
    for (unsigned k = 0; k < GROUP; k++) {
        for (unsigned j = 0; j < COLUMNS; j++) {
            int32_t product = shifted(a[k].part * b[k].part[j], top[j] - exponent[k][j], 0);
            total[j] += a[k].negative == b[k].negative[j] ? product : -product;
        }
    }
    for (unsigned j = 0; j < COLUMNS; j++) {
        sum->negative[j] = top[j] > 0 && total[j] < 0;
        sum->exponent[j] = top[j] > 0 ? top[j] : 0;
        sum->part[j] = top[j] > 0 ? abs(total[j]) << 13 : 0;
    }
}

static inline int32_t length_of(int32_t value)
{
    int32_t length = 0;
    length += value >> 16 ? 16 : 0;
    length += value >> length >> 8 ? 8 : 0;
    length += value >> length >> 4 ? 4 : 0;
    length += value >> length >> 2 ? 2 : 0;
    length += value >> length >> 1 ? 1 : 0;
    return length + (value > 0);
}

/* Sum += both groups: aligned to the greatest exponent, added, rounded once to 24 bits. */
WIDE static void accumulate(struct row *sum, const struct row groups[2])
{
    for (unsigned j = 0; j < COLUMNS; j++) {
        int32_t top = sum->exponent[j];
        top = groups[0].exponent[j] > top ? groups[0].exponent[j] : top;
        top = groups[1].exponent[j] > top ? groups[1].exponent[j] : top;
        int32_t old = shifted(sum->part[j], top - sum->exponent[j], 0);
        int32_t total = sum->negative[j] ? -old : old;
        for (unsigned i = 0; i < 2; i++) {
            int32_t negative = groups[i].negative[j];
            int32_t part = shifted(groups[i].part[j], top - groups[i].exponent[j], negative);
            total += negative ? -part : part;
        }
        int32_t magnitude = abs(total), length = length_of(magnitude), exponent = top + length - 24;
        magnitude = length > 24 ? shifted(magnitude, length - 24, 0)
                                : magnitude << (length < 24 ? 24 - length : 0);
        int32_t carry = magnitude >> 24;
        bool is_zero = total == 0 || exponent + carry <= 0 || top <= 0;
        sum->negative[j] = !is_zero && total < 0;
        sum->exponent[j] = is_zero ? 0 : exponent + carry;
        sum->part[j] = is_zero ? 0 : magnitude >> carry;
    }
}

static void write_row(const struct row *sum, uint32_t *result)
{
    for (unsigned j = 0; j < COLUMNS; j++) {
        result[j] = (uint32_t)sum->negative[j] << 31 | (uint32_t)sum->exponent[j] << 23 |
                    ((uint32_t)sum->part[j] & 0x7fffff);
    }
}

/* Rows of B for each phase stand at b[phase * inner]. */
static void multiply_row(const uint16_t *a, unsigned inner, const struct row *b, unsigned phases,
                         uint32_t *result)
{
    struct row sum = {0}, groups[2];
    for (unsigned tile = 0; tile < inner; tile += TILE) {
        for (unsigned phase = 0; phase < phases; phase++) {
            int32_t bias = -127 - (phase & 1 ? 5 : 0) - (phase & 2 ? 7 : 0);
            for (unsigned k = tile; k < tile + TILE; k += FACE) {
                for (unsigned half = 0; half < 2; half++) {
                    struct number numbers[GROUP];
                    const unsigned first = k + half * GROUP;
                    for (unsigned i = 0; i < GROUP; i++) {
                        numbers[i] = number_of_a(a[first + i], phase);
                    }
                    add_products(numbers, &b[phase * inner + first], bias, &groups[half]);
                }
                accumulate(&sum, groups);
            }
        }
    }
    write_row(&sum, result);
}

static void *need(void *memory)
{
    if (!memory) {
        fputs("matmul_model: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static uint16_t *read_matrix(const char *path, size_t count)
{
    FILE *file = fopen(path, "rb");
    uint16_t *matrix = need(malloc(count * sizeof *matrix));
    if (!file || fread(matrix, sizeof *matrix, count, file) != count) {
        fprintf(stderr, "matmul_model: %s has not %zu numbers\n", path, count);
        exit(1);
    }
    fclose(file);
    return matrix;
}

int main(int argc, char **argv)
{
    if (argc != 8) {
        fputs("usage: matmul_model ROWS INNER COLUMNS PHASES A B RESULT\n", stderr);
        return 1;
    }
    unsigned rows = (unsigned)atoi(argv[1]), inner = (unsigned)atoi(argv[2]);
    unsigned columns = (unsigned)atoi(argv[3]), phases = (unsigned)atoi(argv[4]);
    if (!rows || !inner || inner % TILE || columns % COLUMNS || phases > 4) {
        fputs("matmul_model: these sizes are not for it\n", stderr);
        return 1;
    }
    uint16_t *a = read_matrix(argv[5], (size_t)rows * inner);
    uint16_t *b = read_matrix(argv[6], (size_t)inner * columns);
    struct row *b_rows = need(malloc((size_t)inner * phases * sizeof *b_rows));
    uint32_t *result = need(malloc((size_t)rows * columns * sizeof *result));
    for (unsigned column = 0; column < columns; column += COLUMNS) {
        for (unsigned i = 0; i < inner * phases; i++) {
            row_of_b(b + (size_t)(i % inner) * columns + column, i / inner, &b_rows[i]);
        }
        for (unsigned i = 0; i < rows; i++) {
            multiply_row(a + (size_t)i * inner, inner, b_rows, phases,
                         result + (size_t)i * columns + column);
        }
    }
    FILE *file = fopen(argv[7], "wb");
    if (!file ||
        fwrite(result, sizeof *result, (size_t)rows * columns, file) != (size_t)rows * columns ||
        fclose(file) != 0) {
        fprintf(stderr, "matmul_model: %s cannot be written\n", argv[7]);
        return 1;
    }
    free(a);
    free(b);
    free(b_rows);
    free(result);
    return 0;
}
