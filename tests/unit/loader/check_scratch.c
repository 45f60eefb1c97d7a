/* Finding the scratch address in the start of main(). */
#include "unit/loader/loader_image.h"

#include <string.h>

#include "arch/arch.h"
#include "loader/scratch.h"

FIXTURE(NULL, loader_release);

enum {
    BASE = 0x3840,
    MOST = 300,
    X0 = 0,
    RA = 1,
    GP = 3,
    S1 = 9,
    A0 = 10,
    A1 = 11,
    A4 = 14,
    A5 = 15
};

/* Instructions; constants, so that tables can hold them. */
#define LUI(rd, value)       ((((value) + UINT32_C(0x800)) & 0xfffff000) | (rd) << 7 | 0x37)
#define ADDI(rd, rs1, value) (((value)&UINT32_C(0xfff)) << 20 | (rs1) << 15 | (rd) << 7 | 0x13)
#define LOAD(rd, rs1)        ((rs1) << 15 | 2 << 12 | (rd) << 7 | 0x03)
#define STORE(rs2, rs1)      ((rs2) << 20 | (rs1) << 15 | 2 << 12 | 0x10 << 7 | 0x23)
#define ADD(rd, rs1, rs2)    ((rs2) << 20 | (rs1) << 15 | (rd) << 7 | 0x33)
#define JAL(rd)              (64 << 20 | (rd) << 7 | 0x6f)
#define BEQ(rs1, rs2)        ((rs2) << 20 | (rs1) << 15 | 0 << 12 | 4 << 8 | 0x63)
#define BNE(rs1, rs2)        ((rs2) << 20 | (rs1) << 15 | 1 << 12 | 4 << 8 | 0x63)
#define BLTU(rs1, rs2)       ((rs2) << 20 | (rs1) << 15 | 6 << 12 | 4 << 8 | 0x63)

enum { NOP = 0x13, RET = 0x8067, FENCE = 0x0ff0000f };

#define DATA_START UINT32_C(0xffb00000)
#define SCRATCH    UINT32_C(0x82b0)

/* What stands before main in the file is 16 bytes of something else. */
static bool find(const uint32_t *code, uint32_t count, bool symbols, uint32_t *address)
{
    uint32_t text[MOST + 4] = {NOP, NOP, NOP, NOP};
    memcpy(text + 4, code, count * sizeof *code);
    uint32_t size = (count + 4) * 4, data = 0x68;
    struct image *image = image_create(symbols ? BASE : BASE + 16);
    unsigned first = image_segment(image, BASE, BASE, PF_R | PF_X, text, size, size);
    image_segment(image, DATA_START, DATA_START, PF_R | PF_W, &data, 4, 8);
    image_loaded(image, ".text", first, BASE, size, SHF_EXECINSTR);
    if (symbols) {
        unsigned global = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE);
        image_symbol(image, "main", BASE + 16, size - 16, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), 1);
        image_symbol(image, "__global_pointer$", 0xffb007f0, 0, global, SHN_ABS);
        image_symbol(image, "__ldm_data_start", DATA_START, 0, global, SHN_ABS);
    }
    image_finish(image);
    struct loader_elf *elf = image_open(image);
    bool found =
        loader_scratch_find(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], rv32_find_operands, address);
    return found;
}

/* `found` is the address, 0 for none. */
static const struct {
    const char *what;
    uint32_t found;
    uint32_t code[8];
} cases[] = {
    {"the usual code",
     SCRATCH,
     {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), ADDI(A1, A1, SCRATCH), BEQ(A0, A1)}},
    {"other registers, the other way round",
     SCRATCH,
     {LUI(A4, SCRATCH), ADDI(A5, GP, 0x810), ADDI(A4, A4, SCRATCH), BNE(A4, A5)}},
    {"the destination made by lui",
     SCRATCH,
     {LUI(A0, DATA_START), LUI(A1, SCRATCH), ADDI(A1, A1, SCRATCH), BEQ(A0, A1)}},
    {"a call without a comparison",
     SCRATCH,
     {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), ADDI(A1, A1, SCRATCH), JAL(RA)}},
    {"a saved register survives a call",
     SCRATCH,
     {LUI(S1, SCRATCH), JAL(RA), ADDI(A0, GP, 0x810), ADDI(A1, S1, SCRATCH), BEQ(A0, A1)}},
    {"other things between",
     SCRATCH,
     {LUI(A1, SCRATCH), STORE(A1, GP), ADDI(A0, GP, 0x810), FENCE, BLTU(A0, A1),
      ADDI(A1, A1, SCRATCH), BEQ(A0, A1)}},
    {"the first copy counts",
     SCRATCH,
     {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), ADDI(A1, A1, SCRATCH), BEQ(A0, A1), ADDI(A1, A1, 16),
      BEQ(A0, A1)}},
    {"a comparison with another address first",
     SCRATCH,
     {LUI(A1, SCRATCH), ADDI(A0, GP, 0x814), ADDI(A1, A1, SCRATCH), BEQ(A0, A1),
      ADDI(A0, GP, 0x810), BEQ(A0, A1)}},
    {"a call forgets registers", 0, {LUI(A4, SCRATCH), ADDI(A5, GP, 0x810), JAL(RA), BEQ(A4, A5)}},
    {"a load overwrites", 0, {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), LOAD(A1, GP), BEQ(A0, A1)}},
    {"an addition overwrites",
     0,
     {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), ADD(A1, A1, A0), BEQ(A0, A1)}},
    {"not an equality", 0, {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), BLTU(A0, A1), NOP}},
    {"not in L1", 0, {LUI(A1, 0x180000), ADDI(A0, GP, 0x810), BEQ(A0, A1), NOP}},
    {"address 0", 0, {ADDI(A0, GP, 0x810), BEQ(A0, X0), NOP}},
    {"with itself", 0, {ADDI(A0, GP, 0x810), BEQ(A0, A0), NOP}},
    {"a tail call", 0, {LUI(A1, SCRATCH), ADDI(A0, GP, 0x810), JAL(X0), NOP}},
    {"nothing", 0, {NOP, NOP, NOP, RET}},
};

TEST_EACH(one_case, COUNT(cases))
{
    uint32_t address = 0;
    bool found = find(cases[_i].code, 8, true, &address);
    ck_assert_msg(found == (cases[_i].found != 0), "%s", cases[_i].what);
    if (found) {
        ck_assert_uint_eq(address, cases[_i].found);
    }
}

/* Every split into upper and lower part. */
TEST(addresses)
{
    for (uint32_t scratch = 16; scratch < 0x180000; scratch += 0x1230) {
        const uint32_t code[] = {LUI(A1, scratch), ADDI(A0, GP, 0x810), ADDI(A1, A1, scratch),
                                 BEQ(A0, A1)};
        uint32_t address;
        ck_assert(find(code, 4, true, &address));
        ck_assert_uint_eq(address, scratch);
    }
}

/* A stripped program: from the entry point, with gp set by the code and .data by its segment. */
TEST(without_symbols)
{
    static const uint32_t code[] = {LUI(GP, 0xffb007f0), ADDI(GP, GP, 0xffb007f0), LUI(A1, SCRATCH),
                                    ADDI(A0, GP, 0x810), ADDI(A1, A1, SCRATCH),    BEQ(A0, A1)};
    uint32_t address;
    ck_assert(find(code, 6, false, &address));
    ck_assert_uint_eq(address, SCRATCH);
}

TEST(too_far)
{
    uint32_t code[MOST], address;
    for (unsigned i = 0; i < MOST; i++) {
        code[i] = NOP;
    }
    code[MOST - 4] = LUI(A1, SCRATCH);
    code[MOST - 3] = ADDI(A0, GP, 0x810);
    code[MOST - 2] = ADDI(A1, A1, SCRATCH);
    code[MOST - 1] = BEQ(A0, A1);
    ck_assert(!find(code, MOST, true, &address));
}
