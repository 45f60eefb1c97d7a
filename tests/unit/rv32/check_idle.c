/*
 * Waiting by polling (rv32/idle.h). The law: a hart that sleeps in a polling loop and is woken has
 * exactly the registers, pc and count of instructions of a hart that ran all along, whenever it is
 * looked at. Two harts run the same loop, one of them sleeps where it can; places change at random
 * times, and what instructions cost is random, too. The other half: loops that do something are never taken for waiting.
 */
#include "unit/rv32/rv32_harness.h"

#include <inttypes.h>
#include <string.h>

#include "rv32/idle.h"
#include "unit/rv32/random_costs.h"

#define FLAG_ADDRESS   UINT32_C(0x3000)
#define RING_ADDRESS   UINT32_C(0x3100)
#define LOCAL_ADDRESS  RV32_LOCAL_BASE
#define CLOCK_ADDRESS  UINT32_C(0xffb12000)
#define DEVICE_ADDRESS UINT32_C(0xffb20000)
#define EFFECT_ADDRESS UINT32_C(0xffb30000)

enum { HEAD = 0x100, TRIALS = 150, DEADLINE_WORD = 12 };

/* Loops are assembled at HEAD and moved elsewhere; what follows a loop counts in t6 for ever.
 * Registers: s0 flag, s1 local RAM, s2 clock, s3 device, s4 duration, s5 time at the start,
 * s6 place with effects, s7 = 7, s8 ring of pointers, s9 and s10 deadline, s11 = 0, sp stack. */
struct loop {
    const char *name;
    const char *lines; /* with "; " between them */
    enum {
        PLAIN,
        CLOCK, /* waits for the clock: wakes by itself */
    } kind;
};

static const struct loop waiting[] = {
    {"a word", "lw a0, 0(s0); beq a0, zero, 0x100", PLAIN},
    {"a byte, a fence", "fence 3, 3; lbu a0, 1(s0); andi a1, a0, 3; beq a1, zero, 0x100", PLAIN},
    {"a signed halfword", "lh a0, 2(s0); bge a0, zero, 0x100", PLAIN},
    {"an unsigned halfword", "lhu a0, 0(s0); slli a0, a0, 30; beq a0, zero, 0x100", PLAIN},
    {"a signed byte in local RAM", "lb a0, 0(s1); mul a1, a0, s7; beq a1, zero, 0x100", PLAIN},
    {"negative bytes and halfwords",
     "lh a2, 2(s0); lb a3, 3(s0); lw a0, 4(s0); beq a0, zero, 0x100", PLAIN},
    {"three places",
     "lw a0, 0(s0); lw a1, 0(s1); lw a2, 0(s3); or a0, a0, a1; or a0, a0, a2; beq a0, zero, 0x100",
     PLAIN},
    {"a word and the flag again", "lw a0, 4(s0); lw a1, 0(s0); beq a1, a0, 0x100", PLAIN},
    {"a load into x0", "lw zero, 0(s0); lw a1, 4(s0); beq a1, zero, 0x100", PLAIN},
    {"a call",
     "jal ra, 0x10c; beq a0, zero, 0x100; jal zero, 0x114; lw a0, 0(s0); jalr zero, 0(ra)", PLAIN},
    {"a call with a stack frame",
     "jal ra, 0x110; beq a0, zero, 0x100; jal zero, 0x128; addi zero, zero, 0; addi sp, sp, -16; "
     "sw ra, 12(sp); lw a0, 0(s0); lw ra, 12(sp); addi sp, sp, 16; jalr zero, 0(ra)",
     PLAIN},
    {"a computed jump back", "lw a0, 0(s0); auipc a1, 0; bne a0, zero, 0x110; jalr zero, -4(a1)",
     PLAIN},
    {"a store of what is there", "sw s7, 8(s0); lw a0, 0(s0); beq a0, zero, 0x100", PLAIN},
    {"a byte store of what is there", "lw a0, 0(s0); sb s7, 5(s1); beq a0, zero, 0x100", PLAIN},
    {"an address that the loop makes", "lui a0, 3; lw a0, 0(a0); beq a0, zero, 0x100", PLAIN},
    {"an address that the loop finds",
     "lw a0, 0(s8); lw a0, 4(a0); lw a1, 0(s0); andi a2, a1, 4; add a0, a0, a2; lw a0, 8(a0); "
     "beq a1, zero, 0x100",
     PLAIN},
    {"a jump back", "lw a0, 0(s0); bne a0, zero, 0x10c; jal zero, 0x100", PLAIN},
    {"jumps to and fro",
     "lw a0, 0(s0); beq a0, zero, 0x114; jal zero, 0x120; lw a1, 4(s0); jal zero, 0x100; "
     "lw a2, 0(s3); jal zero, 0x10c",
     PLAIN},
    {"many jumps",
     "jal zero, 0x10c; lw a0, 0(s0); beq a0, zero, 0x114; jal zero, 0x104; jal zero, 0x118; "
     "jal zero, 0x100",
     PLAIN},
    {"a way that does more",
     "lw a0, 0(s0); bne a0, zero, 0x110; lw a1, 4(s0); beq a1, zero, 0x100; sw s11, 0(s6); "
     "jal zero, 0x100",
     PLAIN},
    {"a way as long that does more",
     "lw a0, 0(s0); bne a0, zero, 0x114; lw a1, 4(s0); lw a2, 0(s3); jal zero, 0x100; "
     "sw s11, 0(s6); addi zero, zero, 0; jal zero, 0x100",
     PLAIN},
    {"twenty steps",
     "lw a0, 0(s0); addi a1, zero, 1; addi a1, zero, 2; addi a1, zero, 3; addi a1, zero, 4; "
     "addi a1, zero, 5; addi a1, zero, 6; addi a1, zero, 7; addi a1, zero, 8; addi a1, zero, 9; "
     "addi a1, zero, 10; addi a1, zero, 11; addi a1, zero, 12; addi a1, zero, 13; "
     "addi a1, zero, 14; addi a1, zero, 15; addi a1, zero, 16; addi a1, zero, 17; "
     "addi a1, zero, 18; beq a0, zero, 0x100",
     PLAIN},
    {"twenty-one steps",
     "lw a0, 0(s0); jal zero, 0x108; addi a1, zero, 2; addi a1, zero, 3; addi a1, zero, 4; "
     "addi a1, zero, 5; addi a1, zero, 6; addi a1, zero, 7; addi a1, zero, 8; addi a1, zero, 9; "
     "addi a1, zero, 10; addi a1, zero, 11; addi a1, zero, 12; addi a1, zero, 13; "
     "addi a1, zero, 14; addi a1, zero, 15; addi a1, zero, 16; addi a1, zero, 17; "
     "addi a1, zero, 18; addi a1, zero, 19; beq a0, zero, 0x100",
     PLAIN},
    {"nothing is added", "lw a0, 0(s0); add a1, a1, s11; beq a0, zero, 0x100", PLAIN},
    {"a ring of pointers", "lw a0, 0(a0); lw a1, 0(s0); beq a1, zero, 0x100", PLAIN},
    {"two ways through",
     "lw a0, 0(s0); beq a0, zero, 0x110; lw a1, 0(s3); bne a1, zero, 0x118; lw a2, 4(s0); "
     "beq a2, zero, 0x100",
     PLAIN},
    {"a branch to itself", "beq zero, zero, 0x100", PLAIN},
    {"the clock", "lw a1, 0(s2); sub a2, a1, s5; bltu a2, s4, 0x100", CLOCK},
    {"the clock, compared by sltu",
     "lw a1, 0(s2); sub a2, a1, s5; sltu a3, a2, s4; bne a3, zero, 0x100", CLOCK},
    {"the clock, compared by slt",
     "lw a1, 0(s2); sub a2, a1, s5; slt a3, a2, s4; bne a3, zero, 0x100", CLOCK},
    {"the clock, compared by sltiu",
     "lw a1, 0(s2); sub a2, a1, s5; sltiu a3, a2, 700; bne a3, zero, 0x100", CLOCK},
    {"the clock, compared by slti",
     "lw a1, 0(s2); sub a2, a1, s5; slti a3, a2, 700; bne a3, zero, 0x100", CLOCK},
    {"the clock, counted down", "lw a1, 0(s2); sub a2, s10, a1; blt zero, a2, 0x100", CLOCK},
    {"the clock, counted down to an equality", "lw a1, 0(s2); sub a2, s10, a1; bge a2, zero, 0x100",
     CLOCK},
    {"the clock plus something",
     "lw a1, 0(s2); add a2, a1, s7; addi a2, a2, -3; bltu a2, s10, 0x100", CLOCK},
    {"the clock against a constant of the loop",
     "lui a3, 1; lw a1, 0(s2); addi a3, a3, -1000; sub a2, a1, s5; bgeu a3, a2, 0x100", CLOCK},
    {"the clock against a polled deadline",
     "lw a0, 12(s0); lw a1, 0(s2); sub a2, a1, s5; bltu a2, a0, 0x100", CLOCK},
    {"the clock in two words",
     "lw a3, 4(s2); lw a1, 0(s2); lw a4, 4(s2); bne a3, a4, 0x100; bltu a3, s9, 0x100; "
     "bne a3, s9, 0x11c; bltu a1, s10, 0x100",
     CLOCK},
    {"a word or the clock",
     "lw a0, 0(s0); bne a0, zero, 0x114; lw a1, 0(s2); sub a2, a1, s5; bltu a2, s4, 0x100", CLOCK},
    {"the clock or a word",
     "lw a1, 0(s2); sub a2, a1, s5; bgeu a2, s4, 0x114; lw a0, 0(s0); beq a0, zero, 0x100", CLOCK},
    {"the clock's sign", "lw a1, 0(s2); blt zero, a1, 0x100", PLAIN},
    {"the clock's wrap", "lw a1, 0(s2); bltu s4, a1, 0x100", PLAIN},
    {"the clock, an iteration later",
     "jal zero, 0x10c; sub a2, a1, s5; bgeu a2, s4, 0x114; lw a1, 0(s2); jal zero, 0x104", CLOCK},
    {"the clock, not compared", "sub a2, a1, s5; lw a1, 0(s2); jal zero, 0x100", PLAIN},
    {"a word, and the clock before it", "lw a1, 0(s2); lw a0, 0(s0); beq a0, zero, 0x100", PLAIN},
    {"a word, and the clock after it",
     "lw a0, 0(s0); bne a0, zero, 0x110; lw a1, 0(s2); jal zero, 0x100", PLAIN},
    {"a word, and what the clock did between",
     "lw a1, 0(s2); lw a2, 0(s2); sub a3, a2, a1; lw a0, 0(s0); beq a0, zero, 0x100", PLAIN},
    {"a word, and a byte of the clock",
     "lbu a1, 0(s2); xori a2, a1, 85; lw a0, 0(s0); beq a0, zero, 0x100", PLAIN},
};

static const struct loop busy[] = {
    {"counting", "addi a0, a0, 1; jal zero, 0x100", PLAIN},
    {"counting and polling", "lw a1, 0(s0); addi a0, a0, -1; jal zero, 0x100", PLAIN},
    {"counting in memory", "lw a1, 16(s0); addi a1, a1, 1; sw a1, 16(s0); jal zero, 0x100", PLAIN},
    {"storing two values", "sw s7, 8(s0); sw s11, 8(s0); jal zero, 0x100", PLAIN},
    {"storing the clock", "lw a1, 0(s2); sw a1, 8(s0); jal zero, 0x100", PLAIN},
    {"storing where the clock says",
     "lw a1, 0(s2); andi a1, a1, 15; add a1, a1, s0; sb s11, 8(a1); jal zero, 0x100", PLAIN},
    {"storing to a device", "sw s11, 0(s3); jal zero, 0x100", PLAIN},
    {"pushing", ".ttinsn 0x2000000; jal zero, 0x100", PLAIN},
    {"reading a CSR that counts", "csrrs a0, mcycle, zero; jal zero, 0x100", PLAIN},
    {"reading a CSR that does not", "csrrs a0, cfg0, zero; jal zero, 0x100", PLAIN},
    {"atomics", "amoor.w a0, zero, (s0); jal zero, 0x100", PLAIN},
    {"loading with effects", "lw a0, 0(s6); beq a0, zero, 0x100; jal zero, 0x100", PLAIN},
    {"loading where the clock says",
     "lw a1, 0(s2); andi a1, a1, 12; add a1, a1, s0; lw a2, 0(a1); jal zero, 0x100", PLAIN},
    {"testing a bit of the clock",
     "lw a1, 0(s2); andi a1, a1, 64; beq a1, zero, 0x100; jal zero, 0x100", PLAIN},
    {"testing a byte of the clock", "lbu a1, 0(s2); beq a1, zero, 0x100; jal zero, 0x100", PLAIN},
    {"comparing clocks", "lw a1, 0(s2); lw a2, 0(s2); bltu a1, a2, 0x100; jal zero, 0x100", PLAIN},
    {"comparing clocks by slt", "lw a1, 0(s2); lw a2, 0(s2); slt a0, a1, a2; jal zero, 0x100",
     PLAIN},
    {"comparing twice the clock",
     "lw a1, 0(s2); add a1, a1, a1; bltu a1, s4, 0x100; jal zero, 0x100", PLAIN},
    {"adding up the clock", "lw a1, 0(s2); add a0, a0, a1; jal zero, 0x100", PLAIN},
    {"jumping where the clock says",
     "lw a1, 0(s2); andi a1, a1, 0; auipc a2, 0; add a2, a2, a1; jalr zero, -8(a2)", PLAIN},
    {"pausing", "lw a0, 0(s0); ebreak; jal zero, 0x100", PLAIN},
    {"faulting", "lw a0, 1(s0); jal zero, 0x100", PLAIN},
    {"a long way round",
     "addi a0, zero, 50; addi a0, a0, -1; bne a0, zero, 0x104; lw a1, 0(s0); jal zero, 0x100",
     PLAIN},
    {"many places",
     "lw a1, 0(s0); lw a1, 4(s0); lw a1, 8(s0); lw a1, 12(s0); lw a1, 16(s0); lw a1, 20(s0); "
     "lw a1, 24(s0); lw a1, 28(s0); lw a1, 32(s0); lw a1, 36(s0); lw a1, 40(s0); lw a1, 44(s0); "
     "lw a1, 48(s0); lw a1, 52(s0); lw a1, 56(s0); lw a1, 60(s0); lw a1, 64(s0); jal zero, 0x100",
     PLAIN},
};

/* --- The bench: the harness with a clock, a device and a place with effects --- */

struct bench {
    struct harness *h;
    struct rv32_bus inner, bus;
    struct rv32_timing costs;
    uint32_t device;
    unsigned effects;
};

static enum answer bench_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    struct bench *bench = owner;
    unsigned shift = 8 * (access->address & 3);
    if (!access->store && access->address - CLOCK_ADDRESS < 4) {
        access->value = (uint32_t)access->cycle >> shift;
    } else if (!access->store && access->address == CLOCK_ADDRESS + 4) {
        access->value = (uint32_t)(access->cycle >> 32);
    } else if (!access->store && access->address == DEVICE_ADDRESS) {
        access->value = bench->device;
    } else {
        bench->effects += access->address >= HARNESS_L1_BYTES;
        return bench->inner.access(bench->h, hart, access);
    }
    if (access->size < 4) {
        access->value &= (UINT32_C(1) << 8 * access->size) - 1;
    }
    return ANSWER_DONE;
}

static bool bench_push(void *owner, struct rv32_hart *hart, uint32_t address, uint32_t word,
                       uint64_t cycle)
{
    struct bench *bench = owner;
    return bench->inner.push(bench->h, hart, address, word, cycle);
}

static enum answer bench_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    (void)owner, (void)hart, (void)cycle;
    return ANSWER_DONE;
}

static enum rv32_poll bench_poll(void *owner, struct rv32_hart *hart, uint32_t address,
                                 unsigned size, uint32_t *value)
{
    const struct bench *bench = owner;
    (void)hart;
    if (address - CLOCK_ADDRESS < 4) {
        return RV32_POLL_CLOCK_LOW;
    }
    if (address == CLOCK_ADDRESS + 4) {
        return RV32_POLL_CLOCK_HIGH;
    }
    if (address != DEVICE_ADDRESS) {
        return RV32_POLL_EFFECT;
    }
    ck_assert_uint_eq(size, 4);
    *value = bench->device;
    return RV32_POLL_STATE;
}

static void bench_create(struct bench *bench)
{
    *bench = (struct bench){.h = harness_create(RV32_B)};
    bench->inner = bench->h->bus;
    bench->bus = (struct rv32_bus){
        .access = bench_access, .push = bench_push, .fence = bench_fence, .poll = bench_poll};
    bench->h->hart.bus = &bench->bus;
    bench->h->hart.owner = bench;
}

static void bench_destroy(struct bench *bench)
{
    harness_destroy(bench->h);
}

struct setting {
    uint32_t base;
    uint64_t start;
    uint32_t duration;
};

/* Memory and registers at the head of a loop that lies at setting->base. */
static void bench_set(struct bench *bench, const struct loop *loop, const struct setting *setting)
{
    struct harness *h = bench->h;
    uint64_t deadline = setting->start + setting->duration;
    const uint32_t s[] = {FLAG_ADDRESS,       LOCAL_ADDRESS,
                          CLOCK_ADDRESS,      DEVICE_ADDRESS,
                          setting->duration,  (uint32_t)setting->start,
                          EFFECT_ADDRESS,     7,
                          RING_ADDRESS,       (uint32_t)(deadline >> 32),
                          (uint32_t)deadline, 0};
    uint32_t at = setting->base;
    harness_reset(h);
    memset(h->l1 + FLAG_ADDRESS, 0, 0x80);
    memset(h->local, 0, sizeof h->local);
    bench->device = 0;
    bench->effects = 0;
    harness_store(h, FLAG_ADDRESS + DEADLINE_WORD, 4, setting->duration);
    for (uint32_t i = 0; i < 3; i++) {
        harness_store(h, RING_ADDRESS + 4 * i, 4, RING_ADDRESS + 4 * ((i + 1) % 3));
    }
    char text[600], *rest = text;
    uint32_t pc = HEAD;
    ck_assert_uint_lt(strlen(loop->lines), sizeof text);
    strcpy(text, loop->lines);
    for (char *line; (line = strsep(&rest, ";")); at += 4, pc += 4) {
        harness_put_word(h, at, harness_encode(line + strspn(line, " "), pc));
    }
    harness_put_word(h, at, harness_encode("addi t6, t6, 1", 4));
    harness_put_word(h, at + 4, harness_encode("jal zero, 0", 4));
    h->now = setting->start;
    rv32_reset(&h->hart, setting->base, setting->start);
    memcpy(&h->hart.x[8], s, 2 * sizeof s[0]); /* s0 and s1, then s2 to s11 */
    memcpy(&h->hart.x[18], s + 2, sizeof s - 2 * sizeof s[0]);
    h->hart.x[SP] = LOCAL_ADDRESS + 0x800;
    h->hart.x[A0] = RING_ADDRESS;
}

static struct setting draw_setting(uint64_t *random)
{
    static const uint64_t starts[] = {0, 1000, UINT32_MAX - UINT64_C(900), UINT64_C(0x7ffffe00),
                                      UINT64_C(0x1234567890)};
    struct setting setting = {
        .base = HEAD + 4 * (harness_random(random) % 64), /* also across a page boundary */
        .start = starts[harness_random(random) % 5] + harness_random(random) % 600,
        .duration = 1 + harness_random(random) % 900,
    };
    if (harness_random(random) % 4 == 0) {
        setting.duration += harness_random(random) % 100000;
    }
    return setting;
}

/* --- A hart that sleeps where it can --- */

struct sleeper {
    bool asleep;
    struct rv32_idle idle;
    struct rv32_probe probe;
    unsigned sleeps;
};

/* Looks for a loop, at once or in slices. */
static void probe(struct bench *bench, struct sleeper *sleeper, uint64_t until, uint64_t *random)
{
    struct harness *h = bench->h;
    enum rv32_probe_result result = RV32_PROBE_MORE;
    if (harness_random(random) % 2) {
        sleeper->asleep = rv32_idle_probe(&h->hart, &h->now, until, &sleeper->idle);
        sleeper->sleeps += sleeper->asleep;
        return;
    }
    sleeper->probe = (struct rv32_probe){0};
    while (result == RV32_PROBE_MORE && h->now < until) {
        uint64_t slice = h->now + 1 + harness_random(random) % 6;
        result = rv32_idle_search(&h->hart, &h->now, slice < until ? slice : until, RV32_IDLE_STEPS,
                                  &sleeper->probe, &sleeper->idle);
    }
    sleeper->asleep = result == RV32_PROBE_IDLE;
    sleeper->sleeps += sleeper->asleep;
}

static void live_until(struct bench *bench, struct sleeper *sleeper, uint64_t until,
                       uint64_t *random)
{
    struct harness *h = bench->h;
    while (h->now < until) {
        if (sleeper->asleep && sleeper->idle.wake > until) {
            return;
        }
        if (sleeper->asleep) {
            ck_assert_uint_ge(sleeper->idle.wake, h->now);
            h->now = rv32_idle_resume(&h->hart, &sleeper->idle, sleeper->idle.wake);
            sleeper->asleep = false;
        }
        if (h->now < until && harness_random(random) % 4 == 0) {
            uint64_t cycles = 1 + harness_random(random) % 20;
            h->now = rv32_run(&h->hart, h->now, h->now + cycles < until ? h->now + cycles : until);
        } else if (h->now < until) {
            probe(bench, sleeper, until, random);
        }
        ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
    }
}

static void run_until(struct bench *bench, uint64_t until)
{
    struct harness *h = bench->h;
    if (h->now < until) {
        h->now = rv32_run(&h->hart, h->now, until);
    }
    ck_assert_uint_ge(h->now, until);
    ck_assert_int_eq(h->hart.stop, RV32_RUNNING);
}

static void check_same(const struct loop *loop, const struct rv32_hart *sleeping,
                       const struct rv32_hart *awake, uint64_t now)
{
    for (unsigned r = 1; r < 32; r++) {
        ck_assert_msg(sleeping->x[r] == awake->x[r],
                      "%s, cycle %" PRIu64 ": %s is %#" PRIx32 " after sleep, %#" PRIx32 " without",
                      loop->name, now, rv32_x_names[r], sleeping->x[r], awake->x[r]);
    }
    ck_assert_msg(sleeping->pc == awake->pc,
                  "%s, cycle %" PRIu64 ": pc is %#" PRIx32 " after sleep, %#" PRIx32 " without",
                  loop->name, now, sleeping->pc, awake->pc);
    ck_assert_uint_eq(sleeping->retired, awake->retired);
}

struct change {
    uint32_t address, value;
};

static struct change draw_change(uint64_t *random)
{
    static const uint32_t addresses[] = {FLAG_ADDRESS,      FLAG_ADDRESS,     FLAG_ADDRESS + 4,
                                         LOCAL_ADDRESS,     LOCAL_ADDRESS,    DEVICE_ADDRESS,
                                         FLAG_ADDRESS + 12, FLAG_ADDRESS + 64};
    static const uint32_t values[] = {0, 1, 2, 0x100, 0x80000000};
    return (struct change){.address = addresses[harness_random(random) % 8],
                           .value = values[harness_random(random) % 5]};
}

static void apply(struct bench *bench, const struct change *change)
{
    if (change->address == DEVICE_ADDRESS) {
        bench->device = change->value;
    } else {
        harness_store(bench->h, change->address, 4, change->value);
    }
}

static bool find_sleep(struct bench *bench, const struct loop *loop, const struct setting *setting,
                       struct rv32_idle *idle)
{
    bench_set(bench, loop, setting);
    uint64_t limit = setting->start + 4 * RV32_IDLE_STEPS;
    while (bench->h->now < limit) {
        if (rv32_idle_probe(&bench->h->hart, &bench->h->now, limit, idle)) {
            return true;
        }
        bench->h->now = rv32_run(&bench->h->hart, bench->h->now, bench->h->now + 1);
    }
    return false;
}

/* Runs both harts through some changes and looks at them at each. */
static void check_trial(const struct loop *loop, struct bench *sleeping, struct bench *awake,
                        struct sleeper *sleeper, uint64_t *random, bool is_timed)
{
    struct setting setting = draw_setting(random);
    uint64_t now = setting.start;
    sleeper->asleep = false;
    if (is_timed) {
        random_costs(&sleeping->costs, random);
        awake->h->hart.timing = sleeping->h->hart.timing = &sleeping->costs;
    }
    bench_set(sleeping, loop, &setting);
    bench_set(awake, loop, &setting);
    for (unsigned changes = 1 + harness_random(random) % 4; changes; changes--) {
        struct rv32_hart *hart = &sleeping->h->hart;
        struct change change = draw_change(random);
        now += 1 + harness_random(random) % (harness_random(random) % 2 ? 80 : 2000);
        live_until(sleeping, sleeper, now, random);
        run_until(awake, now);
        struct rv32_hart before = *hart;
        uint64_t reached =
            sleeper->asleep ? rv32_idle_resume(hart, &sleeper->idle, now) : sleeping->h->now;
        check_same(loop, hart, &awake->h->hart, now);
        ck_assert_uint_eq(reached, awake->h->now);
        apply(sleeping, &change);
        apply(awake, &change);
        if (sleeper->asleep && rv32_idle_unchanged(&before, &sleeper->idle)) {
            *hart = before; /* sleeps on */
        } else {
            sleeper->asleep = false;
            sleeping->h->now = reached;
        }
    }
    ck_assert_uint_eq(sleeping->effects, awake->effects);
}

TEST_EACH(sleep_changes_nothing, 2 * COUNT(waiting))
{
    const struct loop *loop = &waiting[_i / 2];
    struct bench sleeping, awake;
    uint64_t random = 0x9e3779b9 + (uint64_t)_i;
    struct sleeper sleeper = {.asleep = false};
    bench_create(&sleeping);
    bench_create(&awake);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        check_trial(loop, &sleeping, &awake, &sleeper, &random, _i % 2);
    }
    ck_assert_msg(sleeper.sleeps > TRIALS / 4, "%s: slept %u times", loop->name, sleeper.sleeps);
    bench_destroy(&sleeping);
    bench_destroy(&awake);
}

/* --- What a sleep knows --- */

TEST_EACH(wakes_for_the_clock_only, COUNT(waiting))
{
    const struct loop *loop = &waiting[_i];
    const struct setting setting = {.base = HEAD, .start = 5000, .duration = 600};
    struct rv32_idle idle;
    struct bench bench;
    bench_create(&bench);
    ck_assert_msg(find_sleep(&bench, loop, &setting, &idle), "%s: no sleep", loop->name);
    if (loop->kind == CLOCK) { /* close to the time at which the loop is left, but not after it */
        ck_assert_uint_gt(idle.wake, bench.h->now + 300);
        ck_assert_uint_lt(idle.wake, setting.start + 4096 - 1000);
    } else {
        ck_assert_msg(idle.wake > UINT64_C(1) << 30, "%s wakes at %" PRIu64, loop->name, idle.wake);
    }
    ck_assert_uint_eq(idle.since, bench.h->now);
    bench_destroy(&bench);
}

TEST(places_are_what_the_loop_reads)
{
    const struct loop three = {"three",
                               "lw a0, 0(s0); lbu a1, 1(s1); lw a2, 0(s3); jal zero, 0x100", PLAIN};
    const struct setting setting = {.base = HEAD, .start = 0, .duration = 1};
    const uint32_t addresses[] = {FLAG_ADDRESS, LOCAL_ADDRESS + 1, DEVICE_ADDRESS};
    const uint8_t sizes[] = {4, 1, 4};
    struct rv32_idle idle;
    struct bench bench;
    bench_create(&bench);
    ck_assert(find_sleep(&bench, &three, &setting, &idle));
    ck_assert_uint_eq(idle.period, 4);
    ck_assert_uint_eq(idle.places, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(idle.place[i].address, addresses[i]);
        ck_assert_uint_eq(idle.place[i].size, sizes[i]);
        ck_assert_uint_eq(idle.place[i].value, 0);
    }
    ck_assert(rv32_idle_unchanged(&bench.h->hart, &idle));
    harness_store(bench.h, LOCAL_ADDRESS + 2, 1, 1); /* not the byte that is polled */
    harness_store(bench.h, FLAG_ADDRESS + 4, 4, 1);
    ck_assert(rv32_idle_unchanged(&bench.h->hart, &idle));
    harness_store(bench.h, LOCAL_ADDRESS + 1, 1, 1);
    ck_assert(!rv32_idle_unchanged(&bench.h->hart, &idle));
    harness_store(bench.h, LOCAL_ADDRESS + 1, 1, 0);
    bench.device = 1;
    ck_assert(!rv32_idle_unchanged(&bench.h->hart, &idle));
    bench_destroy(&bench);
}

/* A place that changes between two slices of a search must not be slept over. */
TEST(change_during_a_search)
{
    const struct loop *loop = &waiting[0];
    const struct setting setting = {.base = HEAD, .start = 0, .duration = 1};
    struct rv32_probe search = {0};
    struct rv32_idle idle;
    struct bench bench;
    bench_create(&bench);
    bench_set(&bench, loop, &setting);
    struct harness *h = bench.h;
    enum rv32_probe_result result =
        rv32_idle_search(&h->hart, &h->now, h->now + 1, RV32_IDLE_STEPS, &search, &idle);
    ck_assert_int_eq(result, RV32_PROBE_MORE);
    harness_store(h, FLAG_ADDRESS, 4, 1);
    while (result == RV32_PROBE_MORE) {
        result = rv32_idle_search(&h->hart, &h->now, h->now + 1, RV32_IDLE_STEPS, &search, &idle);
    }
    ck_assert_int_eq(result, RV32_PROBE_BUSY);
    bench_destroy(&bench);
}

/* Short searches find no loops that store, though it is what is there already. */
TEST(short_searches_take_no_stores)
{
    const struct loop stores = {"stores", "lw a0, 0(s0); sb s11, 5(s1); beq a0, zero, 0x100",
                                PLAIN};
    const struct setting setting = {.base = HEAD, .start = 0, .duration = 1};
    struct bench bench;
    bench_create(&bench);
    for (unsigned most = 20; most <= RV32_IDLE_STEPS; most += RV32_IDLE_STEPS - 20) {
        struct rv32_probe probe = {0};
        struct rv32_idle idle;
        bench_set(&bench, &stores, &setting);
        struct harness *h = bench.h;
        enum rv32_probe_result result =
            rv32_idle_search(&h->hart, &h->now, 1000, most, &probe, &idle);
        ck_assert_int_eq(result, most == RV32_IDLE_STEPS ? RV32_PROBE_IDLE : RV32_PROBE_BUSY);
    }
    bench_destroy(&bench);
}

/* A search that a snapshot has made up ends in no loop of any length but those it can find. */
TEST(search_is_forged)
{
    const struct setting setting = {.base = HEAD, .start = 5000, .duration = 1};
    const uint64_t starts[] = {0, 5001, 5002, UINT64_MAX, UINT64_MAX - 5000};
    struct bench bench;
    bench_create(&bench);
    for (unsigned i = 0; i < COUNT(starts); i++) {
        struct rv32_probe probe = {.steps = 1, .has_turned = true, .start_pc = HEAD + 4};
        struct rv32_idle idle = {.places = 0};
        bench_set(&bench, &waiting[0], &setting);
        struct harness *h = bench.h;
        memcpy(probe.start_x, h->hart.x, sizeof probe.start_x);
        probe.start = starts[i];
        probe.steady = i % 2 ? 5 : UINT64_MAX;
        if (rv32_idle_search(&h->hart, &h->now, 6000, RV32_IDLE_STEPS, &probe, &idle) ==
            RV32_PROBE_IDLE) {
            ck_assert_uint_gt(idle.period, 0);
            ck_assert_uint_le(idle.period, RV32_IDLE_MOST_CYCLES);
            ck_assert_uint_le(idle.instructions, RV32_IDLE_STEPS);
        }
    }
    bench_destroy(&bench);
}

/* --- What is no waiting --- */

TEST_EACH(busy_is_not_idle, COUNT(busy))
{
    const struct loop *loop = &busy[_i];
    struct bench bench;
    uint64_t random = 77 + (uint64_t)_i;
    bench_create(&bench);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        const struct setting setting = draw_setting(&random);
        struct rv32_idle idle;
        bench_set(&bench, loop, &setting);
        struct harness *h = bench.h;
        h->now = rv32_run(&h->hart, h->now, h->now + 1 + harness_random(&random) % 40);
        h->hart.stop = RV32_RUNNING;
        bool is_idle = rv32_idle_probe(&h->hart, &h->now, UINT64_MAX, &idle);
        ck_assert_msg(!is_idle, "%s is taken for waiting", loop->name);
    }
    bench_destroy(&bench);
}

/* A loop that the clock ends very soon is not worth a sleep; and a search ends at its limit. */
TEST(soon_over)
{
    const struct loop clock = {"clock", "lw a1, 0(s2); sub a2, a1, s5; bltu a2, s4, 0x100", CLOCK};
    struct setting setting = {.base = HEAD, .start = 0, .duration = 9};
    struct rv32_idle idle;
    struct bench bench;
    bench_create(&bench);
    bench_set(&bench, &clock, &setting);
    ck_assert(!rv32_idle_probe(&bench.h->hart, &bench.h->now, UINT64_MAX, &idle));
    setting.duration = 100000;
    bench_set(&bench, &clock, &setting);
    ck_assert(!rv32_idle_probe(&bench.h->hart, &bench.h->now, 2, &idle));
    ck_assert_uint_eq(bench.h->now, 2);
    ck_assert_uint_eq(bench.h->hart.retired, 2);
    bench_destroy(&bench);
}
