/* Packets of GDB's protocol, and the programs of its conditions: well formed ones, and any bytes. */
#include <string.h>

#include "observe/gdb/expression.h"
#include "observe/gdb/packet.h"
#include "unit/random.h"
#include "unit/test.h"

static struct gdb_reader reader;

static void clear_reader(void)
{
    memset(&reader, 0, sizeof reader);
}

FIXTURE(clear_reader, NULL);

/* What the last of these bytes completes; the others complete nothing. */
static enum gdb_input take(const void *bytes, size_t size)
{
    enum gdb_input input = GDB_INPUT_NOTHING;
    for (size_t i = 0; i < size; i++) {
        ck_assert_int_eq(input, GDB_INPUT_NOTHING);
        input = gdb_reader_take(&reader, ((const uint8_t *)bytes)[i]);
    }
    return input;
}

static enum gdb_input take_text(const char *text)
{
    return take(text, strlen(text));
}

TEST(a_packet_has_a_sum)
{
    ck_assert_int_eq(take_text("+$g#67"), GDB_INPUT_PACKET);
    ck_assert_str_eq(reader.data, "g");
    ck_assert_int_eq(take_text("$#00"), GDB_INPUT_PACKET);
    ck_assert_uint_eq(reader.size, 0);
    ck_assert_int_eq(take_text("$g#68"), GDB_INPUT_DAMAGED);
    ck_assert_int_eq(take_text("$g#x7"), GDB_INPUT_DAMAGED);
    ck_assert_int_eq(take_text("$g#6"), GDB_INPUT_NOTHING);
    ck_assert_int_eq(take_text("7"), GDB_INPUT_PACKET);
}

TEST(a_packet_may_begin_while_another_is_under_way)
{
    ck_assert_int_eq(take_text("$m100,$g#67"), GDB_INPUT_PACKET);
    ck_assert_str_eq(reader.data, "g");
}

TEST(outside_of_packets_there_are_interrupts_and_wishes)
{
    ck_assert_int_eq(take_text("\x03"), GDB_INPUT_INTERRUPT);
    ck_assert_int_eq(take_text("-"), GDB_INPUT_AGAIN);
    ck_assert_int_eq(take_text("abc"), GDB_INPUT_NOTHING);
    ck_assert_int_eq(take_text("$\x03#03"), GDB_INPUT_PACKET);
}

TEST(what_is_too_long_is_damaged)
{
    struct gdb_text packet = {0};
    static char payload[GDB_PACKET_BYTES + 1];
    memset(payload, 'a', sizeof payload);
    gdb_put_packet(&packet, payload, sizeof payload - 1);
    ck_assert_int_eq(take(packet.data, packet.size), GDB_INPUT_PACKET);
    gdb_text_clear(&packet);
    gdb_put_packet(&packet, payload, sizeof payload);
    ck_assert_int_eq(take(packet.data, packet.size), GDB_INPUT_DAMAGED);
    gdb_text_free(&packet);
}

TEST(escapes_bring_any_byte)
{
    uint8_t bytes[256];
    struct gdb_text payload = {0}, packet = {0};
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    gdb_put_escaped(&payload, bytes, sizeof bytes);
    gdb_put_packet(&packet, payload.data, payload.size);
    ck_assert_int_eq(take(packet.data, packet.size), GDB_INPUT_PACKET);
    ck_assert_uint_eq(reader.size, sizeof bytes);
    ck_assert_mem_eq(reader.data, bytes, sizeof bytes);
    gdb_text_free(&payload);
    gdb_text_free(&packet);
}

TEST(ids_name_processes_and_threads)
{
    static const struct {
        const char *text;
        int64_t process, thread;
    } cases[] = {{"p10.2", 16, 2}, {"p-1.-1", -1, -1}, {"p5", 5, -1}, {"3", 0, 3},
                 {"-1", 0, -1},    {"0", 0, 0},        {"p0.0", 0, 0}};
    for (int i = 0; i < COUNT(cases); i++) {
        const char *at = cases[i].text;
        struct gdb_id id;
        ck_assert_msg(gdb_take_id(&at, &id), "%s", cases[i].text);
        ck_assert_int_eq(id.process, cases[i].process);
        ck_assert_int_eq(id.thread, cases[i].thread);
        ck_assert_str_eq(at, "");
    }
    static const char *const wrong[] = {"", "p", "px", "p1.", "p1.z", "99999999999999999"};
    for (int i = 0; i < COUNT(wrong); i++) {
        const char *at = wrong[i];
        ck_assert_msg(!gdb_take_id(&at, &(struct gdb_id){0}), "%s", wrong[i]);
    }
}

TEST(any_bytes_are_read)
{
    static const char alphabet[] = "$#}+-\x03gmXZ0,;:pP.1fF*";
    uint64_t random = 1;
    for (unsigned i = 0; i < 1000000; i++) {
        uint8_t byte = random_below(&random, 4)
                           ? (uint8_t)alphabet[random_below(&random, sizeof alphabet - 1)]
                           : (uint8_t)random_next(&random);
        enum gdb_input input = gdb_reader_take(&reader, byte);
        EXPECT(reader.size <= GDB_PACKET_BYTES);
        EXPECT(input != GDB_INPUT_PACKET || reader.data[reader.size] == '\0');
    }
}

/* --- Conditions --- */

static bool find_register(void *context, unsigned number, uint64_t *value)
{
    (void)context;
    *value = 100 + number;
    return number < 33;
}

static bool find_memory(void *context, uint64_t address, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, 0, size);
    memcpy(bytes, &address, size < 2 ? size : 2);
    return address < 0x10000;
}

static const struct gdb_values values = {find_register, find_memory, NULL};

/* A program in hexadecimal, and what is left on top; "" is a program that fails. */
struct condition {
    const char *code;
    int64_t value;
    bool fails;
};

static const struct condition conditions[] = {
    {"222a27", 42, false},                          /* const8 */
    {"23123427", 0x1234, false},                    /* const16 */
    {"248000000027", 0x80000000, false},            /* const32 */
    {"25ffffffffffffffff27", -1, false},            /* const64 */
    {"26000527", 105, false},                       /* reg */
    {"26004027", 0, true},                          /* no such register */
    {"220222030227", 5, false},                     /* add */
    {"220222030327", -1, false},                    /* sub */
    {"220222030427", 6, false},                     /* mul */
    {"22fe160822020527", -1, false},                /* div_signed: -2 / 2 */
    {"220922020627", 4, false},                     /* div_unsigned */
    {"22f7160822020727", -1, false},                /* rem_signed: -9 % 2 */
    {"220922020827", 1, false},                     /* rem_unsigned */
    {"220122000527", 0, true},                      /* by 0 */
    {"220122040927", 16, false},                    /* lsh */
    {"22f0160822040a27", -1, false},                /* rsh_signed */
    {"22f022040b27", 15, false},                    /* rsh_unsigned */
    {"22010927", 0, true},                          /* one value too few */
    {"22000e27", 1, false},                         /* log_not */
    {"220c220a0f27", 8, false},                     /* and */
    {"220c220a1027", 14, false},                    /* or */
    {"220c220a1127", 6, false},                     /* xor */
    {"22001227", -1, false},                        /* bit_not */
    {"220522051327", 1, false},                     /* equal */
    {"22ff160822011427", 1, false},                 /* less_signed: -1 < 1 */
    {"22ff160822011527", 0, false},                 /* less_unsigned */
    {"22ff2a0427", 15, false},                      /* zero_ext 4 */
    {"2208160027", 0, true},                        /* ext of no bits */
    {"2312341727", 0x34, false},                    /* ref8 */
    {"2312341827", 0x1234, false},                  /* ref16 */
    {"2312341927", 0x1234, false},                  /* ref32 */
    {"2312341a27", 0x1234, false},                  /* ref64 */
    {"24000100001927", 0, true},                    /* nothing answers */
    {"210005ffff220727", 7, false},                 /* goto */
    {"21000927", 0, true},                          /* goto behind the end */
    {"22012000092202270022032722032722", 3, false}, /* if_goto */
    {"22002000092202270022032722032722", 2, false}, /* the same, not taken */
    {"2205280227", 10, false},                      /* dup */
    {"220522062927", 5, false},                     /* pop */
    {"220522062b0327", 1, false},                   /* swap, sub */
    {"220122022203320227", 1, false},               /* pick 2 */
    {"220122022203330327", -1, false},              /* rot: 3 1 2, sub */
    {"210000", 0, true},                            /* for ever */
    {"27", 0, true},                                /* nothing */
    {"22", 0, true},                                /* cut */
    {"2201", 0, true},                              /* no end */
    {"ff27", 0, true},                              /* unknown */
};

TEST_EACH(a_condition_has_a_value, COUNT(conditions))
{
    const struct condition *condition = &conditions[_i];
    const char *at = condition->code;
    uint8_t code[64];
    uint64_t value = 0;
    size_t size = strlen(at) / 2;
    ck_assert(gdb_take_bytes(&at, code, size));
    ck_assert_int_eq(gdb_evaluate(code, size, &values, &value), !condition->fails);
    if (!condition->fails) {
        ck_assert_int_eq((int64_t)value, condition->value);
    }
}

TEST(any_program_ends)
{
    uint64_t random = 2;
    for (unsigned i = 0; i < 200000; i++) {
        uint8_t code[40];
        uint64_t value;
        size_t size = random_below(&random, sizeof code);
        for (size_t k = 0; k < size; k++) {
            code[k] = (uint8_t)random_below(&random, random_below(&random, 4) ? 0x34 : 256);
        }
        (void)gdb_evaluate(code, size, &values, &value);
    }
}
