/*
 * Fuzzes the reader of traces, and profiles of what it reads. The first byte chooses what the rest is: a file, or the records of a
 * block, past its compression.
 */
#include <zstd.h>

#include "chip/calls.h"
#include "fuzz/fuzz.h"
#include "observe/profile/profile.h"
#include "observe/trace/reader.h"
#include "observe/trace/record.h"
#include "observe/trace/text.h"
#include "observe/trace/writer.h"

const unsigned fuzz_inputs = 5000;

/* --- Seeds --- */

static void append_to(void *context, const void *bytes, size_t size)
{
    fuzz_append(context, bytes, size);
}

static void append_trace(struct fuzz_bytes *file)
{
    struct trace_writer *writer = trace_writer_create(append_to, file);
    REQUIRE(writer);
    for (unsigned i = 0; i < 60; i++) {
        const struct penrose_trace_event event = {
            .kind = (enum penrose_trace_kind)(i % PENROSE_TRACE_KINDS),
            .begins = i & 1,
            .x = 1 + i % 3,
            .y = 2,
            .agent_name = "brisc",
            .thread = (int)(i % 4) - 1,
            .cycle = 100 + 7 * i,
            .pc = 0x1000 + 4 * (i % 8),
            .word = 0x13,
            .has_result = i % 2,
            .address = 0x4000 + 64 * i,
            .size = 4,
            .value = i,
            .what = i % 3 ? "write" : "",
            .symbol = "main",
            .source = "main.c",
            .inlined_at = i % 2 ? "a.h:3\nmain.c:8" : "",
            .kernel = i % 3 ? "reader" : "",
            .line = i % 9,
            .route = {.is_known = true,
                      .is_multicast = i % 4 == 1,
                      .from_x = 1,
                      .from_y = (uint8_t)(i % 16),
                      .last_x = 3}};
        trace_writer_add(writer, &event);
    }
    trace_writer_flush(writer);
    trace_writer_destroy(writer);
}

static void append_records(struct fuzz_bytes *seed, const struct fuzz_bytes *file)
{
    uint8_t *records = malloc(TRACE_BLOCK_BYTES);
    REQUIRE(records);
    size_t size = ZSTD_decompress(records, TRACE_BLOCK_BYTES, file->bytes + TRACE_HEADER_BYTES,
                                  file->size - TRACE_HEADER_BYTES);
    REQUIRE(!ZSTD_isError(size));
    fuzz_append(seed, records, size);
    free(records);
}

bool fuzz_seed(unsigned number, struct fuzz_bytes *seed)
{
    struct fuzz_bytes file = {0};
    append_trace(&file);
    fuzz_append_byte(seed, number & 1);
    if (number & 1) {
        append_records(seed, &file);
    } else {
        fuzz_append(seed, file.bytes, file.size);
    }
    free(file.bytes);
    return number < 2;
}

/* --- Inputs --- */

static void put_word(uint8_t *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(word >> 8 * i);
    }
}

/* One block of these records. */
static void make_block(struct fuzz_bytes *file, const uint8_t *records, size_t size)
{
    uint8_t header[TRACE_HEADER_BYTES] = TRACE_MAGIC;
    size_t room = ZSTD_compressBound(size);
    uint8_t *packed = malloc(room);
    REQUIRE(packed);
    size_t length = ZSTD_compress(packed, room, records, size, 1);
    REQUIRE(!ZSTD_isError(length));
    put_word(header + 8, TRACE_VERSION);
    put_word(header + 12, (uint32_t)length);
    put_word(header + 16, (uint32_t)size);
    memset(header + 32, 0xff, 8);
    fuzz_append(file, header, sizeof header);
    fuzz_append(file, packed, length);
    free(packed);
}

static struct trace_text *formatter;
static struct profile *profile; /* of one input */

static void take_event(void *context, const struct penrose_trace_event *event)
{
    char text[TRACE_LINE_BYTES + 1];
    size_t length = trace_text_line(formatter, event, text);
    (void)context;
    REQUIRE(length > 0 && length < sizeof text);
    profile_take(profile, event);
}

static void show_profile(void)
{
    FILE *file = fopen("/dev/null", "we");
    REQUIRE(file);
    profile_end(profile);
    profile_page(profile, file);
    fclose(file);
    profile_destroy(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trace_reading reading = {.take = take_event};
    struct penrose_error error;
    struct fuzz_bytes file = {0};
    formatter = formatter ? formatter : trace_text_create(&chip_calls);
    if (size == 0) {
        return 0;
    }
    if (bytes[0] & 1) {
        make_block(&file, bytes + 1, size - 1);
    } else {
        fuzz_append(&file, bytes + 1, size - 1);
    }
    profile = profile_create(&chip_calls, 0, &(struct profile_peaks){.niu = 62});
    REQUIRE(profile);
    trace_read_bytes(file.bytes, file.size, NULL, &reading, &error);
    show_profile();
    free(file.bytes);
    return 0;
}
