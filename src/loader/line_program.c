/* Line programs; see line_program.h. */
#include "loader/line_program.h"

#include <dwarf.h>
#include <stddef.h>

/* Bytes that were not read yet; a read beyond them gives 0 and leaves none. */
struct bytes {
    const uint8_t *at;
    uint32_t left;
};

static uint32_t line_take(struct bytes *bytes, unsigned size)
{
    uint32_t value = 0;
    if (bytes->left < size) {
        bytes->left = 0;
        return 0;
    }
    for (unsigned i = 0; i < size; i++) {
        value |= i < sizeof value ? (uint32_t)bytes->at[i] << 8 * i : 0;
    }
    bytes->at += size;
    bytes->left -= size;
    return value;
}

/* LEB128, of which 32 bits count. */
static uint32_t line_take_leb(struct bytes *bytes, bool is_signed)
{
    uint32_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = line_take(bytes, 1);
        value |= shift < 32 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80 && bytes->left > 0);
    return is_signed && byte & 0x40 && shift < 32 ? value | UINT32_MAX << shift : value;
}

struct program {
    struct bytes code;
    unsigned step; /* bytes of an instruction */
    int line_base;
    unsigned line_range, opcode_base;
    const uint8_t *operands; /* of standard operations, from 1 on */
};

/* SPEC: 6.2.4; what stands between the lengths and the code are names, which libdw reads. */
static bool open_program(struct program *program, struct bytes bytes)
{
    uint32_t length = line_take(&bytes, 4);
    if (length > bytes.left) { /* so are the 64-bit format's, which nobody writes for RV32 */
        return false;
    }
    bytes.left = length;
    uint32_t version = line_take(&bytes, 2);
    if (version >= 5) {
        line_take(&bytes, 2); /* sizes of addresses and of segment selectors */
    }
    uint32_t header = line_take(&bytes, 4);
    if (version < 2 || version > 5 || header > bytes.left) {
        return false;
    }
    program->code = (struct bytes){bytes.at + header, bytes.left - header};
    bytes.left = header;
    program->step = line_take(&bytes, 1);
    line_take(&bytes, version >= 4 ? 2 : 1); /* operations of an instruction; is_stmt */
    program->line_base = (int8_t)line_take(&bytes, 1);
    program->line_range = line_take(&bytes, 1);
    program->opcode_base = line_take(&bytes, 1);
    program->operands = bytes.at;
    return program->line_range && program->opcode_base && program->opcode_base - 1 <= bytes.left;
}

static const struct loader_line_row first_row = {.file = 1, .line = 1};

/* Behind the 0 of an extended operation. True when the row is one to visit. */
static bool run_extended(struct program *program, struct loader_line_row *row)
{
    uint32_t length = line_take_leb(&program->code, false);
    if (length == 0 || length > program->code.left) {
        program->code.left = 0;
        return false;
    }
    struct bytes operation = {program->code.at, length};
    line_take(&program->code, length);
    switch (line_take(&operation, 1)) {
    case DW_LNE_end_sequence:
        row->ends_sequence = true;
        return true;
    case DW_LNE_set_address:
        row->address = line_take(&operation, operation.left);
        return false;
    default:
        return false;
    }
}

static bool run_standard(struct program *program, unsigned opcode, struct loader_line_row *row)
{
    switch (opcode) {
    case DW_LNS_copy:
        return true;
    case DW_LNS_advance_pc:
        row->address += program->step * line_take_leb(&program->code, false);
        return false;
    case DW_LNS_advance_line:
        row->line += line_take_leb(&program->code, true);
        return false;
    case DW_LNS_set_file:
        row->file = line_take_leb(&program->code, false);
        return false;
    case DW_LNS_const_add_pc:
        row->address += program->step * ((255 - program->opcode_base) / program->line_range);
        return false;
    case DW_LNS_fixed_advance_pc:
        row->address += line_take(&program->code, 2);
        return false;
    default:
        for (unsigned i = 0; i < program->operands[opcode - 1]; i++) {
            line_take_leb(&program->code, false);
        }
        return false;
    }
}

void loader_line_program(const uint8_t *section, uint32_t size, uint32_t offset, uint32_t *steps,
                         bool (*visit)(void *context, const struct loader_line_row *row),
                         void *context)
{
    struct program program;
    struct loader_line_row row = first_row;
    if (offset > size || !open_program(&program, (struct bytes){section + offset, size - offset})) {
        return;
    }
    while (program.code.left > 0 && *steps > 0) {
        unsigned opcode = line_take(&program.code, 1);
        bool is_row;
        --*steps;
        if (opcode >= program.opcode_base) {
            unsigned special = opcode - program.opcode_base;
            row.address += program.step * (special / program.line_range);
            row.line += (uint32_t)(program.line_base + (int)(special % program.line_range));
            is_row = true;
        } else {
            is_row = opcode ? run_standard(&program, opcode, &row) : run_extended(&program, &row);
        }
        if (is_row && !visit(context, &row)) {
            return;
        }
        row = row.ends_sequence ? first_row : row;
    }
}
