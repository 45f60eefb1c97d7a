/* Which bits of Config units use, see races.h. */
#include "observe/check/races.h"

#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "tensix/race.h"

/* What the Matrix Unit and the Vector Unit go by. HW: an instruction takes Zero_Flag_disabled_src
 * along when it passes its gate, and Dstacc is the packer's (LLK, cpack_common.h, and what it has
 * for math). */
static uint32_t computing_bits(unsigned word, enum order_unit unit)
{
    static const struct {
        enum tensix_field_id field;
        enum order_unit unit;
    } uses[] = {
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_val, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcA_override, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_val, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_override, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_ROUNDING_MODE_Fpu_srnd_en, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_ACC_CTRL_INT8_math_enabled, ORDER_MATRIX},
        {TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled, ORDER_VECTOR},
    };
    uint32_t bits = 0;
    for (unsigned i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        const struct tensix_field *field = &tensix_fields[uses[i].field];
        bits |= field->word == word && uses[i].unit == unit ? tensix_field_mask(field) : 0;
    }
    return bits;
}

uint32_t races_bits_of_unit(unsigned word, enum order_unit unit)
{
    static const unsigned users[ORDER_UNITS] = {
        [ORDER_UNPACKER0] = TENSIX_USED_BY_UNPACKER0,
        [ORDER_UNPACKER1] = TENSIX_USED_BY_UNPACKER1,
        [ORDER_PACKER] = TENSIX_USED_BY_PACKER,
    };
    if (!users[unit]) {
        return computing_bits(word, unit);
    }
    return tensix_config_uses[word].cached & users[unit] ? tensix_race_bits(word, users[unit]) : 0;
}
