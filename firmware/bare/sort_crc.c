/*
 * The benchmark of the integer hart: fills an array with pseudo-random words, sorts it by
 * Shell's method, and takes a CRC-32 of the result by table and bit by bit.
 *
 * Parameters: repetitions, words (at most 4096), seed. Results: the CRC by table, bit by bit, and
 * the number of neighbours in wrong order. The exit value is 0 when the two CRCs agree and the
 * order is right.
 */
#include "bare.h"

enum { MAX_WORDS = 4096, CRC_POLYNOMIAL = 0xedb88320 };

MAILBOX = {.parameter = {1, 1024, 1}};

static uint32_t words[MAX_WORDS];
static uint32_t crc_table[256];

static void fill(uint32_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        words[i] = seed ^ seed >> 15;
    }
}

static void sort(uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap; gap /= 3) {
        for (uint32_t i = gap; i < count; i++) {
            uint32_t word = words[i], j = i;
            for (; j >= gap && words[j - gap] > word; j -= gap) {
                words[j] = words[j - gap];
            }
            words[j] = word;
        }
    }
}

static uint32_t crc_step(uint32_t crc)
{
    return crc >> 1 ^ (crc & 1 ? (uint32_t)CRC_POLYNOMIAL : 0);
}

static void crc_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc_step(crc);
        }
        crc_table[i] = crc;
    }
}

static uint32_t crc_by_table(const uint8_t *bytes, uint32_t count, uint32_t crc)
{
    while (count--) {
        crc = crc_table[(crc ^ *bytes++) & 0xff] ^ crc >> 8;
    }
    return crc;
}

static uint32_t crc_by_bit(const uint8_t *bytes, uint32_t count, uint32_t crc)
{
    while (count--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc_step(crc);
        }
    }
    return crc;
}

int main(void)
{
    uint32_t repetitions = mailbox.parameter[0], count = mailbox.parameter[1];
    uint32_t by_table = UINT32_MAX, by_bit = UINT32_MAX, disorder = 0;
    if (count > MAX_WORDS) {
        count = MAX_WORDS;
    }
    crc_prepare();
    for (uint32_t i = 0; i < repetitions; i++) {
        fill(count, mailbox.parameter[2] + i);
        sort(count);
        by_table = crc_by_table((const uint8_t *)words, 4 * count, by_table);
        by_bit = crc_by_bit((const uint8_t *)words, 4 * count, by_bit);
        for (uint32_t j = 1; j < count; j++) {
            disorder += words[j - 1] > words[j];
        }
    }
    mailbox.result[0] = ~by_table;
    mailbox.result[1] = ~by_bit;
    mailbox.result[2] = disorder;
    return by_table != by_bit || disorder;
}
