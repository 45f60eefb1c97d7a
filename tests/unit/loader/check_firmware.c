/* Opening sets of firmware, the boot writes, the ready test. */
#include "unit/loader/loader_set.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "geometry.h"
#include "unit/loader/cached_firmware.h"

FIXTURE(NULL, loader_release);

/* L1 that writes are applied to. */
struct memory {
    uint8_t bytes[TILE_L1_BYTES];
    uint32_t broken; /* reads of this byte fail, unless 0 */
};

static bool read_memory(void *context, uint32_t address, void *bytes, size_t size)
{
    const struct memory *memory = context;
    if (address + size > sizeof memory->bytes || memory->broken - address - 1 < size) {
        return false;
    }
    memcpy(bytes, memory->bytes + address, size);
    return true;
}

static struct memory *apply(const struct loader_writes *writes)
{
    static struct memory memory; /* of the latest boot */
    memset(memory.bytes, 0xa5, sizeof memory.bytes);
    memory.broken = 0;
    for (unsigned i = 0; i < writes->count; i++) {
        const struct loader_write *write = &writes->write[i];
        ck_assert_uint_le((uint64_t)write->address + write->size, TILE_L1_BYTES);
        memcpy(memory.bytes + write->address, write->bytes, write->size);
    }
    return &memory;
}

static uint32_t word_at(const struct memory *memory, uint32_t address)
{
    uint32_t word;
    memcpy(&word, memory->bytes + address, sizeof word);
    return word;
}

static struct memory *boot(const struct loader_firmware *firmware, const struct loader_boot *how)
{
    struct loader_writes writes = {0};
    struct penrose_error error = {0};
    ck_assert_int_eq(loader_firmware_boot(firmware, how, &writes, &error), PENROSE_OK);
    struct memory *memory = apply(&writes);
    loader_writes_free(&writes);
    return memory;
}

/* Both ways to lay files out, both layouts. */
TEST_EACH(opened, 4)
{
    struct set_options options = set_defaults();
    options.flat = _i & 1;
    options.newer = _i & 2;
    struct loader_firmware *firmware = set_opened(&options);
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        ck_assert_uint_eq(firmware->entry[i], options.text[i]);
        ck_assert_uint_eq(firmware->scratch[i], options.scratch[i]);
    }
    ck_assert_uint_eq(firmware->ring_base, 0x82b0);
    ck_assert_uint_eq(firmware->layout.launch_msg_size, options.newer ? 144 : 96);
    ck_assert_uint_eq(firmware->tables.bank_address, 0x112b0);
    ck_assert_uint_eq(firmware->tables.map_address, 0x11ab0);
    ck_assert_uint_eq(firmware->tables.dram_banks, 7);
    ck_assert_uint_eq(firmware->tables.l1_banks, 110);
    ck_assert_uint_eq(firmware->tables.columns, 18);
    ck_assert_uint_eq(firmware->tables.rows, 12);
    loader_firmware_close(NULL);
}

/* Any one core tells where all scratch areas are. */
TEST_EACH(scratch_of_one_core, LOADER_PROCESSORS)
{
    struct set_options options = set_defaults();
    for (int i = 0; i < LOADER_PROCESSORS; i++) {
        options.scratch[i] = i == _i ? options.scratch[i] : 0;
    }
    struct loader_firmware *firmware = set_opened(&options);
    const struct set_options full = set_defaults();
    ck_assert_mem_eq(firmware->scratch, full.scratch, sizeof full.scratch);
}

/* A kind of chip with other memories, and firmware that is laid out for it. */
TEST(sizes_are_those_of_the_chip)
{
    static const uint32_t scratch[LOADER_PROCESSORS] = {0x82b0, 0x92b0, 0xa2b0, 0xaab0, 0xb2b0};
    struct arch other = arch;
    struct set_options options = set_defaults();
    other.compiler_mark = "xtttensixwh";
    other.iram_image_bytes = 0x4000;
    for (unsigned i = 0; i < PENROSE_HARTS; i++) {
        other.hart_local_bytes[i] = i == PENROSE_BRISC || i == PENROSE_NCRISC ? 0x1000 : 0x800;
    }
    options.facts = &other;
    options.attributes = "rv32im_xtttensixwh1p0";
    memcpy(options.scratch, scratch, sizeof scratch);
    struct loader_firmware *firmware = set_opened(&options);
    ck_assert_mem_eq(firmware->scratch, scratch, sizeof scratch);
    ck_assert_uint_eq(firmware->tables.bank_address, 0x82b0 + 0x3800 + 0x4000);
    struct penrose_error error = {0};
    other.l1_bytes[PENROSE_TILE_TENSIX] = 0x10000;
    ck_assert_int_eq(set_open(&options, &firmware, &error), PENROSE_E_FORMAT);
    check_words(error.text, (const char *const[]){"multiple of 16 in L1", NULL});
}

static void wormhole(struct set_options *options)
{
    options->attributes = "rv32im_xtttensixwh1p0";
}

static void without_signal(struct set_options *options)
{
    options->without = "signal";
}

static void odd_scratch(struct set_options *options)
{
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        options->scratch[i] += 4;
    }
}

static void no_scratch(struct set_options *options)
{
    memset(options->scratch, 0, sizeof options->scratch);
}

static void scratch_too_high(struct set_options *options)
{
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        options->scratch[i] += 0x170000;
    }
}

/* An option that is another one, or a function that changes several. */
#define SET(option, value)                                                                         \
    offsetof(struct set_options, option), sizeof((struct set_options *)NULL)->option, value, NULL
#define CHANGED_BY(function) 0, 0, 0, function

static const struct {
    size_t at, size;
    uint32_t value;
    void (*change)(struct set_options *options);
    enum penrose_status status;
    const char *words[6];
} refusals[] = {
    {SET(left_out, LOADER_NCRISC),
     PENROSE_E_FILE,
     {P_tmpdir "/penrose-set-", "ncrisc/ncrisc.elf", "pre-compiled"}},
    {SET(left_out, LOADER_BRISC),
     PENROSE_E_FILE,
     {"no firmware for brisc", "neither", "brisc.elf"}},
    {CHANGED_BY(wormhole),
     PENROSE_E_FORMAT,
     {"brisc.elf", "xtttensixwh", "expected blackhole (xtttensixbh)"}},
    {CHANGED_BY(without_signal), PENROSE_E_LAYOUT, {"brisc.elf", "member signal", "go_msg_t"}},
    {SET(scratch[3], 0xd2c0),
     PENROSE_E_FORMAT,
     {"trisc1.elf", "0xd2c0", "0xd2b0", "brisc.elf", "builds"}},
    {CHANGED_BY(odd_scratch), PENROSE_E_FORMAT, {"brisc.elf", "0x82b4", "multiple of 16"}},
    {CHANGED_BY(no_scratch), PENROSE_E_FORMAT, {"brisc.elf", "copies no data", "unmodified"}},
    {CHANGED_BY(scratch_too_high), PENROSE_E_FORMAT, {"brisc.elf", "0x1782b0", "in L1"}},
    {SET(text[4], 0x6050),
     PENROSE_E_FORMAT,
     {"trisc2.elf", "overlaps", "trisc1.elf", "different builds"}},
    {SET(text[2], 0x3220), PENROSE_E_FORMAT, {"trisc0.elf", "overlaps the mailboxes", "0x3240"}},
    {SET(text[1], 0x112b0), PENROSE_E_FORMAT, {"ncrisc.elf", "overlaps the initialisation area"}},
    {SET(text[2], 0x17fff0), PENROSE_E_FORMAT, {"trisc0.elf", "0x180010", "expected L1"}},
    {SET(text[2], 0xffc00000), PENROSE_E_FORMAT, {"trisc0.elf", "0xffc00000", "expected L1"}},
    {SET(text[0], 0x140000), PENROSE_E_FORMAT, {"brisc.elf", "0x140000", "jump", "0x100000"}},
    {SET(l1_banks, 250), PENROSE_E_FORMAT, {"brisc.elf", "250 L1 banks", "do not fit"}},
    {SET(dram_banks, 0x20000000), PENROSE_E_FORMAT, {"brisc.elf", "DRAM banks", "do not fit"}},
};

TEST_EACH(refused, COUNT(refusals))
{
    struct set_options options = set_defaults();
    memcpy((char *)&options + refusals[_i].at, &refusals[_i].value, refusals[_i].size);
    if (refusals[_i].change) {
        refusals[_i].change(&options);
    }
    struct loader_firmware *firmware;
    struct penrose_error error = {0};
    ck_assert_int_eq(set_open(&options, &firmware, &error), refusals[_i].status);
    ck_assert_ptr_null(firmware);
    check_words(error.text, refusals[_i].words);
}

TEST(texts_and_data)
{
    struct set_options options = set_defaults();
    struct loader_firmware *firmware = set_opened(&options);
    struct memory *memory = boot(firmware, &(struct loader_boot){0});
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        unsigned count;
        const struct loader_segment *text = loader_elf_segments(firmware->elf[i], &count);
        ck_assert_mem_eq(memory->bytes + options.text[i], text->bytes, text->filesz);
    }
    ck_assert_uint_eq(word_at(memory, 0x82b0), 0x68);
    ck_assert_uint_eq(word_at(memory, 0xa2b0), 0x68);
    ck_assert_uint_eq(word_at(memory, 0xc2b0), 0xa5a5a5a5); /* the TRISCs have no data */
    ck_assert_uint_eq(word_at(memory, 0), 0x0410306f);      /* jal x0, 0x3840 */
}

/* The jump at 0 for entries all over its range, decoded again. */
TEST(jump)
{
    for (uint32_t entry = 0x20000; entry < 0x100000; entry += 0x11234) {
        struct set_options options = set_defaults();
        options.text[LOADER_BRISC] = entry & ~3U;
        struct loader_firmware *firmware = set_opened(&options);
        struct memory *memory = boot(firmware, &(struct loader_boot){0});
        uint32_t word = word_at(memory, 0);
        ck_assert_uint_eq(word & 0x80000fff, 0x6f);
        ck_assert_uint_eq((word & 0xff000) | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1,
                          entry & ~3U);
    }
}

TEST_EACH(mailboxes, 2)
{
    struct set_options options = set_defaults();
    options.newer = _i;
    struct loader_firmware *firmware = set_opened(&options);
    struct memory *memory = boot(firmware, &(struct loader_boot){.logical_x = 5, .logical_y = 9});
    const struct loader_layout *layout = &firmware->layout;
    uint32_t go = 0x60 + layout->mailboxes_go_messages.offset;
    uint32_t x = 0x60 + (_i ? 2672 + 235 : 2136 + 232);
    for (uint32_t at = 0x60; at < 0x60 + layout->mailboxes_size; at++) {
        unsigned expected = at == go + 3 ? 0x40 : at == x ? 5 : at == x + 1 ? 9 : 0;
        ck_assert_msg(memory->bytes[at] == expected, "0x%x", at);
    }
    ck_assert_uint_eq(memory->bytes[0x5f], 0xa5);
    ck_assert_uint_eq(memory->bytes[0x60 + layout->mailboxes_size], 0xa5);
}

TEST(tables)
{
    struct set_options options = set_defaults();
    options.dram_banks = 2;
    options.l1_banks = 3;
    struct loader_firmware *firmware = set_opened(&options);
    static const uint16_t dram_xy[4] = {1, 2, 3, 4}, l1_xy[6] = {11, 12, 13, 14, 15, 16};
    static const int32_t dram_offset[2] = {-1, 0x100}, l1_offset[3] = {7, 8, -9};
    static const uint8_t column[18] = {1, 2, 3, [17] = 99}, row[12] = {4, 5, [11] = 77};
    struct loader_boot how = {
        .dram_bank_to_noc_xy = dram_xy,
        .l1_bank_to_noc_xy = l1_xy,
        .bank_to_dram_offset = dram_offset,
        .bank_to_l1_offset = l1_offset,
        .column_to_virtual = column,
        .row_to_virtual = row,
    };
    struct memory *memory = boot(firmware, &how);
    ck_assert_mem_eq(memory->bytes + 0x112b0, dram_xy, 8);
    ck_assert_mem_eq(memory->bytes + 0x112b8, l1_xy, 12);
    ck_assert_mem_eq(memory->bytes + 0x112c4, dram_offset, 8);
    ck_assert_mem_eq(memory->bytes + 0x112cc, l1_offset, 12);
    ck_assert_uint_eq(memory->bytes[0x112d8], 0xa5);
    ck_assert_mem_eq(memory->bytes + 0x11ab0, column, 18);
    ck_assert_mem_eq(memory->bytes + 0x11ab0 + 20, row, 12); /* at the next multiple of 4 */
    memory = boot(firmware, &(struct loader_boot){0});
    for (uint32_t at = 0x112b0; at < 0x112d8; at++) {
        ck_assert_uint_eq(memory->bytes[at], 0);
    }
}

TEST(no_tables)
{
    struct set_options options = set_defaults();
    options.dram_banks = options.l1_banks = 0;
    struct loader_firmware *firmware = set_opened(&options);
    struct memory *memory = boot(firmware, &(struct loader_boot){0});
    ck_assert_uint_eq(word_at(memory, 0x112b0), 0xa5a5a5a5);
}

/* Signal, go index and the four bytes of subordinate_sync against the rule of the ready state. */
TEST(ready)
{
    static const uint8_t values[] = {0, 1, 3, 0x40, 0x80};
    struct set_options options = set_defaults();
    struct loader_firmware *firmware = set_opened(&options);
    struct memory *memory = boot(firmware, &(struct loader_boot){0});
    struct loader_memory access = {read_memory, memory};
    ck_assert(!loader_firmware_ready(firmware, access)); /* the signal is INIT */
    for (unsigned i = 0; i < 5 * 5 * 5; i++) {
        uint8_t signal = values[i % 5], trisc0 = values[i / 5 % 5], other = values[i / 25];
        for (unsigned j = 0; j < 4; j++) {
            memory->bytes[0x68 + j] = 0;
        }
        memory->bytes[0x68 + 2 + i % 2] = other; /* TRISC1 or TRISC2 */
        memory->bytes[0x69] = trisc0;
        memory->bytes[0x373] = signal;
        bool expected = !signal && !other && (trisc0 == 0 || trisc0 == 3);
        ck_assert_msg(loader_firmware_ready(firmware, access) == expected, "%u", i);
        memory->bytes[0x68] = 1; /* NCRISC */
        ck_assert(!loader_firmware_ready(firmware, access));
    }
    memset(memory->bytes + 0x68, 0, 4);
    memory->bytes[0x373] = 0;
    memory->bytes[0x3a0] = 2; /* go_message_index */
    memory->bytes[0x37b] = 0x40;
    ck_assert(!loader_firmware_ready(firmware, access));
    memory->bytes[0x37b] = 0;
    ck_assert(loader_firmware_ready(firmware, access));
    memory->bytes[0x3a0] = 9; /* out of range */
    ck_assert(!loader_firmware_ready(firmware, access));
}

TEST(ready_without_memory)
{
    struct set_options options = set_defaults();
    struct loader_firmware *firmware = set_opened(&options);
    struct memory *memory = boot(firmware, &(struct loader_boot){0});
    memory->bytes[0x373] = 0;
    struct loader_memory access = {read_memory, memory};
    const uint32_t entry = firmware->entry[LOADER_BRISC], read[] = {0x3a0, 0x373, 0x68, entry};
    for (unsigned i = 0; i < 4; i++) {
        memory->broken = read[i] + 1;
        ck_assert(!loader_firmware_ready(firmware, access));
    }
    memory->broken = 0;
    ck_assert(loader_firmware_ready(firmware, access));
    memory->bytes[entry] ^= 1; /* another program */
    ck_assert(!loader_firmware_ready(firmware, access));
    memset(memory->bytes, 0, sizeof memory->bytes); /* never booted */
    ck_assert(!loader_firmware_ready(firmware, access));
}

TEST(names)
{
    ck_assert_str_eq(loader_processor_name(LOADER_BRISC), "brisc");
    ck_assert_str_eq(loader_processor_name(LOADER_TRISC2), "trisc2");
    ck_assert_str_eq(loader_processor_name(LOADER_PROCESSORS), "no processor");
}

/* Every set in the cache: Blackhole's open and boot, Wormhole's are refused as such. */
TEST(real_sets)
{
    const char *folder = cached_firmware();
    if (!folder) {
        return;
    }
    DIR *sets = opendir(folder);
    ck_assert_msg(sets != NULL, "%s", folder);
    unsigned opened_sets = 0;
    for (struct dirent *entry = readdir(sets); entry; entry = readdir(sets)) {
        char path[1000], drisc[1100];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(drisc, sizeof drisc, "%s/drisc", path);
        struct loader_firmware *firmware;
        struct penrose_error error = {0};
        if (entry->d_name[0] == '.') {
            continue;
        }
        enum penrose_status status =
            loader_firmware_open(&arch, rv32_find_operands, path, &firmware, &error);
        if (access(drisc, F_OK) != 0) {
            ck_assert_int_eq(status, PENROSE_E_FORMAT);
            check_words(error.text, (const char *const[]){"xtttensixwh", NULL});
            continue;
        }
        ck_assert_msg(status == PENROSE_OK, "%s", error.text);
        struct memory *memory = boot(firmware, &(struct loader_boot){0});
        ck_assert_uint_eq(word_at(memory, 0) & 0x80000fff, 0x6f);
        ck_assert_uint_eq(word_at(memory, firmware->scratch[LOADER_BRISC]), 0x68);
        const char *file;
        unsigned line;
        ck_assert(loader_elf_source(firmware->elf[0], firmware->entry[0] + 0x100, &file, &line));
        loader_firmware_close(firmware);
        opened_sets++;
    }
    closedir(sets);
    ck_assert_uint_gt(opened_sets, 0);
}
