/* Collecting the coprocessor of a tile; see dump.h. */
#include "num/dst_format.h"
#include "num/src_format.h"
#include "observe/dump/dst_numbers.h"
#include "chip/chip.h"
#include "observe/dump/parts.h"
#include "observe/tensix_items.h"
#include "tensix/exec.h"
#include "tensix/matrix/common.h"

#include <penrose/debug.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/json_text.h"
#include "loader/tensor.h"

enum { MATH_THREAD = 1, PACK_THREAD = 2 };

/* --- Configuration --- */

/* A field that is wider than a word, as "0x" and digits: the highest word first. */
static void put_wide(json_t *object, const char *name, const uint32_t *words, unsigned count)
{
    char text[64] = "0x";
    size_t length = 2;
    for (unsigned i = count; i-- > 0;) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%08x", words[i]);
    }
    json_object_set_new(object, name, json_text(text));
}

static void put_fields(json_t *object, const struct tensix *tensix)
{
    for (unsigned id = 0; id < TENSIX_FIELDS; id++) {
        const struct tensix_field *field = &tensix_fields[id];
        unsigned banks = field->thread ? TENSIX_THREADS : TENSIX_STATES;
        for (unsigned bank = 0; bank < banks; bank++) {
            char name[96];
            snprintf(name, sizeof name, "%s%u.%s", field->thread ? "" : "config.", bank,
                     field->name);
            if (field->width > 32) {
                put_wide(object, name, &tensix->config[bank][field->word], field->width / 32);
                continue;
            }
            dump_put(object,
                     field->thread ? tensix_thread_field(tensix, bank, (enum tensix_field_id)id)
                                   : tensix_config_field(tensix, bank, (enum tensix_field_id)id),
                     "%s", name);
        }
    }
}

void dump_config(struct dump_scene *scene)
{
    static const uint32_t states[DUMP_DIMENSIONS] = {TENSIX_STATES, TENSIX_STATE_WORDS},
                          threads[DUMP_DIMENSIONS] = {TENSIX_THREADS, TENSIX_THREAD_WORDS};
    const struct tensix *tensix = &scene->tile->tensix;
    json_t *object = json_object();
    put_fields(object, tensix);
    dump_add_json(scene, "config", object);
    dump_add_array(scene, "config_words", LOADER_NPY_UNSIGNED, 4, states, tensix->config);
    dump_add_array(scene, "thread_config_words", LOADER_NPY_UNSIGNED, 2, threads,
                   tensix->thread_config);
}

/* --- Counters, semaphores, gates --- */

static json_t *collect_items(const struct tensix *tensix)
{
    json_t *object = json_object();
    struct tensix_item_at at;
    bool has_begun = false;
    while (tensix_item_next(&at, &has_begun)) {
        char name[TENSIX_ITEM_NAME];
        if (tensix_item_group(at.item) != ITEMS_THREAD_GPR) { /* which are an array */
            dump_put(object, tensix_item_value(tensix, at), "%s", tensix_item_name(at, name));
        }
    }
    return object;
}

static void put_string_of(json_t *object, unsigned thread, const char *name, const char *text)
{
    char member[32];
    snprintf(member, sizeof member, "%u.%s", thread, name);
    json_object_set_new(object, member, json_text(text));
}

static json_t *collect_gates(struct dump_scene *scene)
{
    json_t *object = json_object();
    struct penrose_gate gate;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (chip_gate_read(scene->chip, scene->tile->x, scene->tile->y, thread, &gate, NULL) !=
            PENROSE_OK) {
            continue;
        }
        put_string_of(object, thread, "instruction", gate.has_instruction ? gate.text : "");
        put_string_of(object, thread, "waits", gate.has_instruction ? gate.waits : "");
        dump_put(object, gate.has_instruction ? gate.word : 0, "%u.word", thread);
        dump_put(object, gate.has_instruction ? gate.pc : 0, "%u.pc", thread);
        dump_put(object, gate.queued, "%u.queued", thread);
    }
    return object;
}

void dump_tensix(struct dump_scene *scene)
{
    static const uint32_t gprs[DUMP_DIMENSIONS] = {TENSIX_THREADS, TENSIX_GPRS};
    dump_add_json(scene, "tensix", collect_items(&scene->tile->tensix));
    dump_add_json(scene, "gates", collect_gates(scene));
    dump_add_array(scene, "gpr", LOADER_NPY_UNSIGNED, 4, gprs, scene->tile->tensix.gpr);
}

/* What load macros have scheduled until now is done before somebody looks at Dst or LRegs. */
static void settle_vector(struct dump_scene *scene)
{
    struct tensix *tensix = &scene->tile->tensix;
    tensix_vector_settle(tensix, &tensix->vector,
                         scene->chip->shares_time ? tensix->now : scene->tile->now);
}

/* --- Dst --- */

/* What the configuration says that Dst holds, and which fields do. */
struct dst_content {
    enum num_format format;
    bool is_32bit;
    const char *from;
};

/* The format of 16-bit data that a code of the configuration means. */
static enum num_format format_of_halves(unsigned code)
{
    switch (code) {
    case NUM_FORMAT_FLOAT16:
    case NUM_FORMAT_BFP8:
    case NUM_FORMAT_BFP4:
    case NUM_FORMAT_BFP2:
    case NUM_FORMAT_LF8:
        return NUM_FORMAT_FLOAT16;
    case NUM_FORMAT_INT8:
        return NUM_FORMAT_INT8;
    case NUM_FORMAT_UINT16:
        return NUM_FORMAT_UINT16;
    default:
        return NUM_FORMAT_FLOAT16_B;
    }
}

static bool is_integer_code(unsigned code)
{
    return code == NUM_FORMAT_INT32 || code == NUM_FORMAT_INT8;
}

/* The packer's configuration says what leaves Dst; where it says nothing, the Matrix Unit's what it
 * computes. */
static struct dst_content find_dst_content(const struct tensix *tensix)
{
    unsigned math = tensix_state_id(tensix, MATH_THREAD),
             pack = tensix_state_id(tensix, PACK_THREAD);
    unsigned code = tensix_get_ALU_FORMAT_SPEC_REG_Dstacc_override(tensix, pack)
                        ? tensix_get_ALU_FORMAT_SPEC_REG_Dstacc_val(tensix, pack)
                        : tensix_get_ALU_FORMAT_SPEC_REG2_Dstacc(tensix, pack);
    bool is_32bit = tensix_matrix_has_dst32(tensix, math) ||
                    tensix_get_PCK_DEST_RD_CTRL_Read_32b_data(tensix, pack);
    if (is_32bit) {
        bool is_integer =
            is_integer_code(code) || tensix_get_ALU_ACC_CTRL_INT8_math_enabled(tensix, math);
        return (struct dst_content){is_integer ? NUM_FORMAT_INT32 : NUM_FORMAT_FLOAT32, true,
                                    "ALU_ACC_CTRL_Fp32_enabled, ALU_ACC_CTRL_INT8_math_enabled, "
                                    "PCK_DEST_RD_CTRL_Read_32b_data, ALU_FORMAT_SPEC_REG2_Dstacc"};
    }
    if (code != NUM_FORMAT_FLOAT32) {
        return (struct dst_content){format_of_halves(code), false, "ALU_FORMAT_SPEC_REG2_Dstacc"};
    }
    code = tensix_matrix_format_a(tensix, MATH_THREAD, math, TENSIX_SRC_A);
    return (struct dst_content){format_of_halves(code), false,
                                "ALU_FORMAT_SPEC_REG0_SrcA, or what unpackers said of SrcA"};
}

static void read_dst(const struct tensix *tensix, uint16_t *half, uint32_t *whole)
{
    struct tensix_dst_map map = tensix_dst_map_now(tensix);
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        tensix_dst_read_row16(&tensix->dst, map, row, TENSIX_DST_READS_ZERO,
                              half + row * (size_t)TENSIX_DST_COLUMNS);
    }
    for (unsigned row = 0; row < TENSIX_DST_ROWS / 2; row++) {
        tensix_dst_read_row32(&tensix->dst, map, row, TENSIX_DST_READS_ZERO,
                              whole + row * (size_t)TENSIX_DST_COLUMNS);
    }
}

void dump_dst(struct dump_scene *scene)
{
    static const uint32_t halves[DUMP_DIMENSIONS] = {TENSIX_DST_ROWS, TENSIX_DST_COLUMNS},
                          wholes[DUMP_DIMENSIONS] = {TENSIX_DST_ROWS / 2, TENSIX_DST_COLUMNS},
                          flags[DUMP_DIMENSIONS] = {TENSIX_DST_ROWS};
    enum { DATA = TENSIX_DST_ROWS * TENSIX_DST_COLUMNS };
    struct tensix *tensix = &scene->tile->tensix;
    uint16_t *half = malloc(DATA * sizeof *half);
    uint32_t *whole = malloc(DATA / 2 * sizeof *whole);
    struct loader_npy numbers = {0};
    scene->to->failed |= !half || !whole;
    if (half && whole) {
        const struct dst_content content = find_dst_content(tensix);
        const struct loader_tensor_form form = {.format = content.format};
        settle_vector(scene);
        read_dst(tensix, half, whole);
        dump_add_array(scene, "dst_bits16", LOADER_NPY_UNSIGNED, 2, halves, half);
        dump_add_array(scene, "dst_bits32", LOADER_NPY_UNSIGNED, 4, wholes, whole);
        dump_add_array(scene, "dst_stored", LOADER_NPY_UNSIGNED, 2, halves, tensix->dst.bits);
        dump_add_array(scene, "dst_cleared", LOADER_NPY_BOOL, 1, flags, tensix->dst.cleared);
        (void)dump_decode_dst(content.format, content.is_32bit ? NULL : half, whole,
                              content.is_32bit ? TENSIX_DST_ROWS / 2 : TENSIX_DST_ROWS, &numbers);
        json_t *about = dump_add_made(scene, "dst", &numbers, content.is_32bit ? wholes : halves);
        json_object_set_new(about, "num_format", json_text(loader_tensor_format_name(&form)));
        json_object_set_new(about, "format_from", json_text(content.from));
    }
    free(half);
    free(whole);
}

/* --- SrcA, SrcB, LRegs --- */

/* The number of a datum in Src. TF32 has BF16 in it. */
static float src_number(unsigned code, uint32_t stored)
{
    enum num_format format = format_of_halves(code);
    uint32_t pattern = num_fp32_from_src(stored);
    float number;
    if (code == NUM_FORMAT_INT8 || code == NUM_FORMAT_INT32) {
        return (float)num_int8_from_src(stored);
    }
    if (format == NUM_FORMAT_UINT16) {
        return (float)num_int16_from_src(stored);
    }
    if (format == NUM_FORMAT_FLOAT16) {
        uint16_t half = num_fp16_from_src(stored);
        unsigned exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
        number = ldexpf((float)(exponent ? fraction | 0x400 : fraction),
                        (int)(exponent ? exponent : 1) - 25);
        return half >> 15 ? -number : number;
    }
    memcpy(&number, &pattern, sizeof number);
    return number;
}

static void collect_src(struct dump_scene *scene, enum tensix_src src, const char *name,
                        const char *bits_name)
{
    static const uint32_t shape[DUMP_DIMENSIONS] = {TENSIX_SRC_FILE_BANKS, TENSIX_SRC_FILE_ROWS,
                                                    TENSIX_SRC_FILE_COLUMNS};
    enum { DATA = TENSIX_SRC_FILE_ROWS * TENSIX_SRC_FILE_COLUMNS };
    const struct tensix *tensix = &scene->tile->tensix;
    const struct tensix_src_file *file = &tensix->src_file[src];
    struct loader_npy numbers;
    json_t *formats = json_array();
    dump_add_array(scene, bits_name, LOADER_NPY_UNSIGNED, 4, shape, file->bank);
    if (!loader_npy_make(&numbers, LOADER_NPY_FLOAT, 4, 1, TENSIX_SRC_FILE_BANKS * DATA)) {
        numbers = (struct loader_npy){0};
    }
    for (unsigned bank = 0; bank < TENSIX_SRC_FILE_BANKS; bank++) {
        const uint32_t *datum = file->bank[bank][0];
        unsigned code = file->format[bank];
        const struct num_format_info *info = num_format_info(code);
        json_array_append_new(formats, json_text(info ? info->name : "none"));
        for (unsigned i = 0; numbers.data && i < DATA; i++) {
            float number = src_number(code, datum[i]);
            memcpy(numbers.data + 4 * (bank * (size_t)DATA + i), &number, sizeof number);
        }
    }
    json_t *about = dump_add_made(scene, name, &numbers, shape);
    json_object_set_new(about, "num_formats", formats);
}

void dump_src(struct dump_scene *scene)
{
    collect_src(scene, TENSIX_SRC_A, "srca", "srca_bits");
    collect_src(scene, TENSIX_SRC_B, "srcb", "srcb_bits");
}

void dump_lregs(struct dump_scene *scene)
{
    static const uint32_t shape[DUMP_DIMENSIONS] = {TENSIX_LREGS, NUM_LANES};
    struct tensix *tensix = &scene->tile->tensix;
    settle_vector(scene);
    dump_add_array(scene, "lregs_bits", LOADER_NPY_UNSIGNED, 4, shape, tensix->vector.lreg);
    dump_add_array(scene, "lregs", LOADER_NPY_FLOAT, 4, shape, tensix->vector.lreg);
}
