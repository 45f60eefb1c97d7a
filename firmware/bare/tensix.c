/*
 * The three Tensix threads at work on common data, for T0, T1 and T2 at once: a result that does
 * not depend on who runs when. Built three times: HART is 1..3 for T0..T2.
 *
 *   chain      T0 makes numbers, T1 and T2 work them over: two rings in L1 between semaphores. T0
 *              pushes instructions one by one, T1 replays them, T2 has one MOP that replays.
 *   mutexes    all threads read, change and write back common words under mutexes 0 and 2, and
 *              draw tickets by ATINCGET: MOPs of two replayed pieces in turns
 *   expansions MOPs of both templates and a replay that wraps around, on GPRs
 *   posts      T0's hart gives words to T1's thread, which gives sums to T2's hart, by semaphores
 *   tokens     a word goes round by hart mailboxes and is changed by each thread
 *
 * Every part is free of races by what the ISA says: loads and stores of a thread are finished
 * (STALLWAIT C0) before a semaphore or a mutex tells of them, harts order what they store, and
 * results that depend on the order of threads are not kept.
 *
 * Each hart computes the same in C. The exit value counts the differences; mailbox results are that
 * count, and of the first one the value, what was expected, and the line here. Everything that is
 * kept lies in L1 from RESULTS on.
 */
#include "tensix.h"

MAILBOX = {.parameter = {0}};

enum {
    THREAD = HART - 1,
    ITEMS = 48,
    SLOTS = 4, /* of a ring */
    TURNS = 32,
    THREADS = 3,
    POSTS = 8,
    TOKENS = 8,
};

/* L1, each in 16 bytes of its own unless it says otherwise */
enum {
    RESULTS = 0x60000,
    RING0 = RESULTS, /* SLOTS times 16 bytes */
    RING1 = RESULTS + 0x40,
    COUNTED = RESULTS + 0x80,     /* under mutex 0 */
    MAPPED = RESULTS + 0x90,      /* under mutex 2 */
    TICKETS = RESULTS + 0xa0,     /* how many were drawn */
    TICKET_SUM = RESULTS + 0xb0,  /* of all that were drawn */
    CHAIN = RESULTS + 0x100,      /* ITEMS words */
    EXPANSIONS = RESULTS + 0x200, /* 8 words a thread */
    POSTED = RESULTS + 0x280,     /* POSTS words */
    SUMS = RESULTS + 0x2a0,       /* POSTS words */
    TOKEN = RESULTS + 0x2c0,      /* TOKENS words */
    RESULTS_END = RESULTS + 0x300,
};

/* Semaphores */
enum { FULL0 = 1 << 0, FULL1 = 1 << 1, POST = 5, SUM = 6 };

/* GPRs. OFFSET holds the offset in a ring in its low half, OUT the other one's. */
enum {
    X = 4,
    Y,
    Z,
    PRODUCT,
    STEP,
    FACTOR,
    OFFSET = 12,
    OUT,
    IN_BASE = 16,
    OUT_BASE,
    ONE = 20,
    SUM_OF
};
enum { A = 32, B, C, D, E, F, G, H }; /* two aligned groups of four */

#define expect(value, expected) expect_at(value, expected, __LINE__)

static void expect_at(uint32_t value, uint32_t expected, uint32_t line)
{
    if (value == expected) {
        return;
    }
    if (mailbox.result[0] == 0) {
        mailbox.result[1] = value;
        mailbox.result[2] = expected;
        mailbox.result[3] = line;
    }
    mailbox.result[0]++;
}

static uint32_t product(uint32_t a, uint32_t b)
{
    return (a & 0xffff) * (b & 0xffff);
}

/* --- Chain --- */

enum { X_FACTOR = 25173, X_STEP = 0x10013849, Y_FACTOR = 40961, Z_FACTOR = 31 };

#define TAKE(full, result)                                                                         \
    TT(SEMWAIT(TT_ALL_BLOCKS, full, TT_WHILE_ZERO));                                               \
    TT(LOADIND(TT_32_BITS, LOW_HALF(OFFSET), TT_NEXT_16_BYTES, result, IN_BASE));                  \
    TT_FINISH_REQUESTS;                                                                            \
    TT(SEMGET(full))
#define GIVE(full, data)                                                                           \
    TT(SEMWAIT(TT_ALL_BLOCKS, full, TT_WHILE_MAX));                                                \
    TT(STOREIND(TT_32_BITS, LOW_HALF(OUT), TT_NEXT_16_BYTES, data, OUT_BASE));                     \
    TT_FINISH_REQUESTS;                                                                            \
    TT(SEMPOST(full))

static void chain_of_t0(void)
{
    TT_SET(X, 1);
    TT_SET(FACTOR, X_FACTOR);
    TT_SET(STEP, X_STEP);
    TT_SET(OUT_BASE, RING0 / 16);
    for (unsigned i = 0; i < ITEMS; i++) {
        if (i % SLOTS == 0) {
            tensix_push(TT_SETDMAREG(LOW_HALF(OUT), 0));
        }
        tensix_push(TT_MUL(PRODUCT, X, FACTOR));
        TT(ADD(X, PRODUCT, STEP));
        GIVE(FULL0, X);
    }
}

static void chain_of_t1(void)
{
    TT_SET(Y, 0);
    TT_SET(FACTOR, Y_FACTOR);
    TT_SET(IN_BASE, RING0 / 16);
    TT_SET(OUT_BASE, RING1 / 16);
    TT(REPLAY(0, 11, 0, 1));
    TAKE(FULL0, X);
    TT(MUL(PRODUCT, X, FACTOR));
    TT(ADD(Y, Y, PRODUCT));
    TT(ADD(Y, Y, X));
    GIVE(FULL1, Y);
    for (unsigned i = 0; i < ITEMS; i++) {
        if (i % SLOTS == 0) {
            TT(SETDMAREG(LOW_HALF(OFFSET), 0));
            TT(SETDMAREG(LOW_HALF(OUT), 0));
        }
        TT(REPLAY(0, 11, 0, 0));
    }
}

static void chain_of_t2(void)
{
    static const uint32_t mop[9] = {ITEMS / SLOTS,
                                    SLOTS,
                                    TT_SETDMAREG(LOW_HALF(OFFSET), 0),
                                    TT_NOP,
                                    TT_NOP,
                                    TT_REPLAY(25, 7, 0, 0),
                                    TT_NOP,
                                    TT_REPLAY(25, 7, 0, 0),
                                    TT_REPLAY(25, 7, 0, 0)};
    uint32_t x = 1, y = 0, z = 0;
    mop_configure(mop);
    TT_SET(Z, 0);
    TT_SET(FACTOR, Z_FACTOR);
    TT_SET(IN_BASE, RING1 / 16);
    TT_SET(OUT_BASE, CHAIN / 16);
    TT(SETDMAREG(LOW_HALF(OUT), 0));
    TT(REPLAY(25, 7, 0, 1));
    TAKE(FULL1, Y);
    TT(MUL(PRODUCT, Z, FACTOR));
    TT(ADD(Z, PRODUCT, Y));
    TT(STOREIND(TT_32_BITS, LOW_HALF(OUT), TT_NEXT_WORD, Z, OUT_BASE));
    TT(MOP(1, 0, 0));
    TT_FINISH_REQUESTS;
    TT(NOP);
    tensix_wait();
    for (unsigned i = 0; i < ITEMS; i++) {
        x = product(x, X_FACTOR) + X_STEP;
        y += product(x, Y_FACTOR) + x;
        z = product(z, Z_FACTOR) + y;
        expect(l1_read(CHAIN + 4 * i), z);
    }
}

/* --- Mutexes --- */

enum { COUNTED_STEP = 1 + 256 * THREAD, MAP_FACTOR = 21, MAP_STEP = 13 };

/* Records: COUNTED += STEP under mutex 0 (8 instructions from 0 on); MAPPED = MAPPED * MAP_FACTOR +
 * MAP_STEP under mutex 2, a ticket, and SUM_OF += the ticket (12 from 8 on). All threads map alike,
 * so that their order does not count. */
static void record_turns(void)
{
    TT(REPLAY(0, 8, 0, 1));
    TT(ATGETM(0));
    TT(LOADIND(TT_32_BITS, LOW_HALF(OFFSET), TT_KEEP, X, IN_BASE));
    TT_FINISH_REQUESTS;
    TT(ADD(X, X, STEP));
    TT(STOREIND(TT_32_BITS, LOW_HALF(OFFSET), TT_KEEP, X, IN_BASE));
    TT_FINISH_REQUESTS;
    TT(ATRELM(0));
    TT(INCADCZW(4, 1, 0, 1, 0));
    TT(REPLAY(8, 12, 0, 1));
    TT(ATGETM(2));
    TT(LOADIND(TT_32_BITS, LOW_HALF(OFFSET), TT_KEEP, Y, OUT_BASE));
    TT_FINISH_REQUESTS;
    TT(MUL_IMM(Y, Y, MAP_FACTOR));
    TT(ADD_IMM(Y, Y, MAP_STEP));
    TT(STOREIND(TT_32_BITS, LOW_HALF(OFFSET), TT_KEEP, Y, OUT_BASE));
    TT_FINISH_REQUESTS;
    TT(ATRELM(2));
    TT(SETDMAREG(LOW_HALF(ONE), 1)); /* the high half is 0: tickets are small */
    TT(ATINCGET(ONE, Z));
    TT_FINISH_REQUESTS;
    TT(ADD(SUM_OF, SUM_OF, ONE));
}

static void mutexes(void)
{
    static const uint32_t mop[9] = {TURNS / 8,
                                    8,
                                    TT_INCRWC(0, 1, 0, 1),
                                    TT_NOP,
                                    TT_NOP,
                                    TT_REPLAY(0, 8, 0, 0),
                                    TT_REPLAY(8, 12, 0, 0),
                                    TT_REPLAY(8, 12, 0, 0),
                                    TT_REPLAY(8, 12, 0, 0)};
    mop_configure(mop);
    TT_SET(IN_BASE, COUNTED / 16);
    TT_SET(OUT_BASE, MAPPED / 16);
    TT_SET(Z, TICKETS / 16);
    TT_SET(STEP, COUNTED_STEP);
    TT_SET(OFFSET, 0);
    TT_SET(ONE, 0);
    TT_SET(SUM_OF, 0);
    record_turns();
    TT(MOP(1, 0, 0));
    TT_SET(Z, TICKET_SUM / 16);
    TT(ATINCGET(SUM_OF, Z));
    TT_FINISH_REQUESTS;
    TT(NOP);
    tensix_wait();
}

/* By T0, when all have done their turns. */
static void check_mutexes(void)
{
    uint32_t mapped = 0, tickets = THREADS * TURNS;
    for (unsigned i = 0; i < THREADS * TURNS; i++) {
        mapped = product(mapped, MAP_FACTOR) + MAP_STEP;
    }
    expect(l1_read(COUNTED), TURNS * (1 + 257 + 513));
    expect(l1_read(MAPPED), mapped);
    expect(l1_read(TICKETS), tickets);
    expect(l1_read(TICKET_SUM), tickets * (tickets - 1) / 2);
}

/* --- Expansions --- */

#define ZERO_MASK (UINT32_C(0x9e3779b1) * HART)

/* Template 0: A and so on for bits of the mask that are 0, others for those that are 1. */
static void mask_expansion(void)
{
    static const uint32_t mop[9] = {0,
                                    3,
                                    TT_ADD_IMM(C, C, 3), /* B */
                                    TT_ADD_IMM(A, A, 1),
                                    TT_ADD(B, B, A), /* A0 to A3 */
                                    TT_INCRWC(4, 8, 0, 0),
                                    TT_INCADCXY(3, 0, 1, 0, 1),
                                    TT_ADD_IMM(D, D, 5),
                                    TT_ADD(C, C, D)};
    uint32_t a = 0, b = 0, c = 0, d = 0;
    mop_configure(mop);
    TT(MOP_CFG(ZERO_MASK >> 16));
    TT(MOP(0, 31, ZERO_MASK & 0xffff));
    for (unsigned i = 0; i < 32; i++) {
        if (ZERO_MASK >> i & 1) {
            d += 5;
            c += d;
        } else {
            a++;
            b += a;
            c += 3;
        }
    }
    expect(gpr_read(A), a);
    expect(gpr_read(B), b);
    expect(gpr_read(C), c);
    expect(gpr_read(D), d);
}

/* Template 1 with a long inner loop. */
static void loop_expansion(void)
{
    enum { OUTER = 5 + THREAD, INNER = 100 };
    static const uint32_t mop[9] = {OUTER,
                                    INNER,
                                    TT_INCRWC(0, 1, 1, 1), /* start */
                                    TT_MUL_IMM(F, E, 7),
                                    TT_ADD(G, G, F), /* end */
                                    TT_ADD_IMM(E, E, 3),
                                    TT_NOP, /* loop */
                                    TT_ADD_IMM(E, E, 63),
                                    TT_ADD_IMM(E, E, 11)}; /* last of all, last of the others */
    uint32_t e = 0, f = 0, g = 0;
    mop_configure(mop);
    TT(MOP(1, 0, 0));
    for (unsigned i = 0; i < OUTER; i++) {
        e += 3 * (INNER - 1) + (i == OUTER - 1 ? 63 : 11);
        f = product(e, 7);
        g += f;
    }
    expect(gpr_read(E), e);
    expect(gpr_read(F), f);
    expect(gpr_read(G), g);
}

/* Records around the end of the buffer while executing, and plays that. */
static void replay_expansion(void)
{
    uint32_t h = HART;
    TT(SETDMAREG(LOW_HALF(H), HART));
    TT(REPLAY(29, 6, 1, 1));
    TT(MUL_IMM(H, H, 37));
    TT(ADD_IMM(H, H, 1));
    TT(MUL_IMM(H, H, 11));
    TT(ADD(H, H, A));
    TT(INCRWC(0, 1, 2, 3));
    TT(ADD_IMM(H, H, HART));
    for (unsigned i = 0; i < 4; i++) {
        TT(REPLAY(29, 6, 0, 0));
    }
    uint32_t a = gpr_read(A);
    for (unsigned i = 0; i < 5; i++) {
        h = product(product(h, 37) + 1, 11) + a + HART;
    }
    expect(GPR(H), h);
}

static void expansions(void)
{
    for (unsigned half = LOW_HALF(A); half <= HIGH_HALF(H); half++) {
        tensix_push(TT_SETDMAREG(half, 0));
    }
    mask_expansion();
    loop_expansion();
    replay_expansion();
    TT_SET(OUT_BASE, EXPANSIONS / 16 + 2 * THREAD);
    TT_SET(OUT, 0);
    TT(STOREIND(TT_128_BITS, LOW_HALF(OUT), TT_NEXT_16_BYTES, A, OUT_BASE));
    TT(STOREIND(TT_128_BITS, LOW_HALF(OUT), TT_NEXT_16_BYTES, E, OUT_BASE));
}

/* --- Posts --- */

static uint32_t posted(unsigned i)
{
    return UINT32_C(0x01000193) * (i + 1);
}

static void posts_of_t0(void)
{
    for (unsigned i = 0; i < POSTS; i++) {
        l1_write(POSTED + 4 * i, posted(i));
        SEMAPHORE(POST) = 0;
    }
}

static void posts_of_t1(void)
{
    TT_SET(IN_BASE, POSTED / 16);
    TT_SET(OUT_BASE, SUMS / 16);
    TT_SET(OFFSET, 0);
    TT_SET(OUT, 0);
    TT_SET(SUM_OF, 0);
    for (unsigned i = 0; i < POSTS; i++) {
        TT(SEMWAIT(TT_ALL_BLOCKS, 1 << POST, TT_WHILE_ZERO));
        TT(LOADIND(TT_32_BITS, LOW_HALF(OFFSET), TT_NEXT_WORD, X, IN_BASE));
        TT(SEMGET(1 << POST));
        TT_FINISH_REQUESTS;
        TT(ADD(SUM_OF, SUM_OF, X));
        TT(STOREIND(TT_32_BITS, LOW_HALF(OUT), TT_NEXT_WORD, SUM_OF, OUT_BASE));
        TT_FINISH_REQUESTS;
        TT(SEMPOST(1 << SUM));
    }
}

static void posts_of_t2(void)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < POSTS; i++) {
        while (SEMAPHORE(SUM) == 0) {
        }
        SEMAPHORE(SUM) = 1;
        sum += posted(i);
        expect(l1_read(SUMS + 4 * i), sum);
    }
}

/* --- Tokens --- */

/* What a thread makes of a token, by its hart and by the thread. */
static uint32_t changed(uint32_t token, unsigned thread)
{
    return product(token, 3 + thread) + 1000 * (thread + 1);
}

static uint32_t change(uint32_t token)
{
    gpr_write(X, token);
    TT(MUL_IMM(X, X, 3 + THREAD));
    TT(ADD(X, X, STEP));
    return gpr_read(X);
}

static void tokens_of_t0(void)
{
    for (unsigned i = 0; i < TOKENS; i++) {
        uint32_t expected = 77 * i;
        HART_MAILBOX(2) = change(expected);
        for (unsigned thread = 0; thread < THREADS; thread++) {
            expected = changed(expected, thread);
        }
        uint32_t token = HART_MAILBOX(3);
        expect(token, expected);
        l1_write(TOKEN + 4 * i, token);
    }
}

/* Of T1 and T2: from the hart before, to the one behind. */
static void tokens_of(unsigned before, unsigned behind)
{
    for (unsigned i = 0; i < TOKENS; i++) {
        HART_MAILBOX(behind) = change(HART_MAILBOX(before));
    }
}

/* --- All of it --- */

/* Nobody goes on before all are here. */
static void meet(void)
{
    if (HART == 1) {
        consume(HART_MAILBOX(2));
        consume(HART_MAILBOX(3));
        HART_MAILBOX(2) = 0;
        HART_MAILBOX(3) = 0;
    } else {
        HART_MAILBOX(1) = 0;
        consume(HART_MAILBOX(1));
    }
}

/* What all share. */
static void prepare(void)
{
    for (uint32_t address = RESULTS; address < RESULTS_END; address += 4) {
        l1_write(address, 0);
    }
    TT(SEMINIT(SLOTS, 0, FULL0 | FULL1));
    TT(SEMINIT(15, 0, 1 << POST | 1 << SUM));
    tensix_wait();
}

static void chain(void)
{
    if (HART == 1) {
        chain_of_t0();
    } else if (HART == 2) {
        chain_of_t1();
    } else {
        chain_of_t2();
    }
}

static void posts(void)
{
    if (HART == 1) {
        posts_of_t0();
    } else if (HART == 2) {
        posts_of_t1();
    } else {
        posts_of_t2();
    }
}

static void tokens(void)
{
    tensix_wait();
    TT_SET(STEP, 1000 * HART);
    if (HART == 1) {
        tokens_of_t0();
    } else if (HART == 2) {
        tokens_of(1, 3);
    } else {
        tokens_of(2, 1);
    }
}

int main(void)
{
    if (HART == 1) {
        prepare();
    }
    meet();
    chain();
    meet();
    mutexes();
    meet();
    if (HART == 1) {
        check_mutexes();
    }
    expansions();
    posts();
    tokens();
    TT_FINISH_REQUESTS;
    TT(NOP);
    tensix_wait();
    return (int)mailbox.result[0];
}
