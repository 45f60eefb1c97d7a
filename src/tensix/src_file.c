/* Data of SrcA and SrcB, see src_file.h. */
#include "tensix/src_file.h"

#include <string.h>

void tensix_src_file_write_row(struct tensix_src_file *file, unsigned bank, unsigned row,
                               const uint32_t data[TENSIX_SRC_FILE_COLUMNS])
{
    for (unsigned column = 0; column < TENSIX_SRC_FILE_COLUMNS; column++) {
        tensix_src_file_write(file, bank, row, column, data[column]);
    }
}

/* Held columns are 0 anyway. */
static void clear(struct tensix_src_file *file, unsigned banks)
{
    for (unsigned bank = 0; bank < TENSIX_SRC_FILE_BANKS; bank++) {
        if (banks & file->filled & 1u << bank) {
            memset(file->bank[bank], 0, sizeof file->bank[bank]);
        }
    }
    file->filled &= (uint8_t)~banks;
}

void tensix_src_file_fill(struct tensix_src_file *file, unsigned banks, uint32_t value)
{
    if (value == 0) {
        clear(file, banks);
        return;
    }
    uint32_t row_data[TENSIX_SRC_FILE_COLUMNS];
    for (unsigned column = 0; column < TENSIX_SRC_FILE_COLUMNS; column++) {
        row_data[column] = value;
    }
    for (unsigned bank = 0; bank < TENSIX_SRC_FILE_BANKS; bank++) {
        for (unsigned row = 0; banks >> bank & 1 && row < TENSIX_SRC_FILE_ROWS; row++) {
            tensix_src_file_write_row(file, bank, row, row_data);
        }
    }
}

static void clear_column(struct tensix_src_file *file, unsigned column)
{
    for (unsigned bank = 0; bank < TENSIX_SRC_FILE_BANKS; bank++) {
        for (unsigned row = 0; row < TENSIX_SRC_FILE_ROWS; row++) {
            file->bank[bank][row][column] = 0;
        }
    }
}

void tensix_src_file_hold(struct tensix_src_file *file, unsigned columns)
{
    for (unsigned column = 0; column < TENSIX_SRC_FILE_COLUMNS; column++) {
        if (columns >> column & 1) {
            clear_column(file, column);
        }
    }
    file->held = (uint16_t)columns;
}
