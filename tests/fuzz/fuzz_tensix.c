/*
 * Fuzzes the coprocessor on a board of its own. An input is a program for the outside world: pushes
 * of TRISCs, B and the debug bus, MOP configuration, writes of harts to configuration, GPRs and
 * semaphores, soft resets, registers that answer, wait or refuse, and runs of some cycles. For the
 * data path there are tiles in L1, address counters, configuration field by field, load macros, and
 * instructions of unpackers, Matrix Unit, Vector Unit and packer one by one, of which a fault must
 * not have done anything. fuzz_vector.c has programs for the Vector Unit alone. After every step
 * the invariants that headers and file comments promise are checked; a broken one traps.
 *
 * Bytes: flags (see enum flag), then steps, each an operation and its operands; see read_word for
 * instructions. Inputs need no seeds.
 */
#include "fuzz/fuzz_coprocessor.h"
#include "num/random.h"
#include "tensix/config/adc.h"
#include "tensix/exec.h"
#include "tensix/frontend/issue_fast.h"
#include "tile/timing.h"

const unsigned fuzz_inputs = 3000;

enum flag {
    FLAG_TIMED = 1 << 0,
    FLAG_FAULTS_STOP = 1 << 1,
    FLAG_REGISTERS_WAIT = 1 << 2, /* to begin with; operations change it */
    FLAG_REFERENCE = 1 << 6,      /* kernels in plain C */
    FLAG_LONG_MOPS = 1 << 7,      /* loop counts of MOP keep all their bits */
};

enum {
    L1_BYTES = 8192,
    STREAMS = 64,
    STREAM_REGISTERS = 1024,
    MOST_STEPS = 4096,
    MOST_IDLE_EVENTS = 64, /* without progress, while units finish: latencies are shorter */
    MOST_EVENTS = 300,     /* of one settle() */
};

struct bench {
    struct tensix tensix;
    struct tensix_board board;
    struct fuzz_input input;
    enum answer reply; /* of registers */
    bool faults_stop, long_mops;
    uint32_t stream_value, random;
    uint64_t time;
    uint64_t last_time[TENSIX_THREADS];
    unsigned faults;
    enum penrose_fault_kind latest_kind;
    /* Nothing that multiplies or discards instructions was given to the thread. */
    bool counts[TENSIX_THREADS];
};

/* --- The board --- */

static enum answer board_read(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                              uint32_t *value, const char **rule)
{
    const struct bench *bench = owner;
    REQUIRE(thread < TENSIX_THREADS);
    REQUIRE(address >= UINT32_C(0xffb11000) && address % 4 == 0);
    *value = address ^ (uint32_t)cycle;
    *rule = "the board refuses it";
    return bench->reply;
}

static enum answer board_write(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                               uint32_t value, const char **rule)
{
    (void)value;
    return board_read(owner, thread, address, cycle, &value, rule);
}

static void board_l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    (void)owner;
    (void)cycle;
    REQUIRE(size > 0 && size <= L1_BYTES && address <= L1_BYTES - size);
}

static void board_l1_watch(void *owner, uint32_t address, uint32_t size)
{
    board_l1_written(owner, address, size, 0);
}

static uint32_t board_stream(void *owner, unsigned stream, unsigned index)
{
    REQUIRE(stream < STREAMS && index < STREAM_REGISTERS);
    return ((const struct bench *)owner)->stream_value;
}

static bool board_fault(void *owner, const struct tensix_fault *fault)
{
    struct bench *bench = owner;
    fuzz_check_fault(fault);
    bench->faults++;
    bench->latest_kind = fault->kind;
    return bench->faults_stop;
}

static void board_unmodelled(void *owner, unsigned thread, unsigned index, const char *field)
{
    (void)owner;
    REQUIRE(thread < TENSIX_THREADS && index < TENSIX_CONFIG_WORDS && field);
}

static const struct tensix_board board = {
    .read = board_read,
    .write = board_write,
    .l1_written = board_l1_written,
    .l1_watch = board_l1_watch,
    .stream = board_stream,
    .fault = board_fault,
    .unmodelled = board_unmodelled,
};

/* --- Input --- */

static uint32_t take(struct bench *bench, unsigned bytes)
{
    return fuzz_take(&bench->input, bytes);
}

/* Both counts of template 1 with four bits: what takes long finds no more than what is short. */
enum { OPCODE_MOP = 0x01, OPCODE_REPLAY = 0x04 };
#define LONG_COUNTS UINT32_C(0x000fc3f0)
#define TEMPLATE_1  UINT32_C(0x00800000)

/* An instruction: a row and its operands, or, for row numbers that do not exist, any word. */
static uint32_t read_word(struct bench *bench)
{
    unsigned row = take(bench, 1);
    uint32_t word = take(bench, 3);
    if (row >= TENSIX_ROWS) {
        return row << 24 | word;
    }
    word = fuzz_match_row(row, word);
    bool is_loop = word >> 24 == OPCODE_MOP && word & TEMPLATE_1;
    return is_loop && !bench->long_mops ? word & ~LONG_COUNTS : word;
}

static unsigned read_thread(struct bench *bench)
{
    return take(bench, 1) % TENSIX_THREADS;
}

/* --- Invariants --- */

static void check_counters(const struct tensix_thread *thread)
{
    const struct tensix_rwc *rwc = &thread->rwc;
    REQUIRE((rwc->dst | rwc->dst_cr) < 1 << 10);
    REQUIRE((rwc->src_a | rwc->src_a_cr | rwc->src_b | rwc->src_b_cr) < 1 << 6);
    REQUIRE(rwc->fidelity < 4 && rwc->extra_mod < 2);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        for (unsigned i = 0; i < 2; i++) {
            const struct tensix_adc_channel *channel = &thread->adc[unit].channel[i];
            REQUIRE((channel->x | channel->x_cr) < 1 << 18);
            REQUIRE((channel->y | channel->y_cr | channel->z | channel->z_cr | channel->w |
                     channel->w_cr) < 1 << 13);
        }
    }
}

static void check_front_end(const struct tensix *tensix, unsigned i)
{
    const struct tensix_thread *thread = &tensix->thread[i];
    const struct replay_buffer *replay = &thread->replay;
    REQUIRE(thread->front.count <= TENSIX_FIFO_DEPTH && thread->front.head < TENSIX_FIFO_DEPTH);
    REQUIRE(thread->back.count <= TENSIX_BACK_DEPTH && thread->back.head < TENSIX_FIFO_DEPTH);
    REQUIRE(!thread->blocked || thread->has_next);
    REQUIRE(replay->index < REPLAY_ENTRIES && replay->left <= REPLAY_ENTRIES);
    REQUIRE((replay->left == 0) == (replay->state == REPLAY_IDLE));
    REQUIRE(thread->latch.block_mask <= TENSIX_BLOCK_MASK);
    for (unsigned j = 0; j < TENSIX_CLASSES; j++) {
        REQUIRE(thread->declared[j] < 1 << 9);
    }
}

/* Every instruction that was pushed has drained or is still there. */
static void check_count(const struct bench *bench, unsigned i)
{
    const struct tensix_thread *thread = &bench->tensix.thread[i];
    uint64_t queued = thread->front.count + thread->back.count + thread->has_next;
    REQUIRE(!bench->counts[i] || thread->pushed == thread->drained + queued);
}

static void check_shared(const struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        REQUIRE(tensix->semaphore[i].value <= TENSIX_SEMAPHORE_MOST);
        REQUIRE(tensix->semaphore[i].max <= TENSIX_SEMAPHORE_MOST);
    }
    for (unsigned i = 0; i < TENSIX_MUTEXES; i++) {
        REQUIRE(tensix->mutex[i] <= TENSIX_MUTEX_FREE && tensix->mutex_next[i] < TENSIX_THREADS);
    }
    REQUIRE(tensix->mutex[1] == TENSIX_MUTEX_FREE);
    for (unsigned i = TENSIX_GLOBAL_WORD; i < TENSIX_STATE_WORDS; i++) {
        REQUIRE(tensix->config[0][i] == tensix->config[1][i]);
    }
    for (unsigned i = 0; i < TENSIX_SRCS; i++) {
        REQUIRE(tensix->src[i].matrix_bank < 2 && tensix->src[i].unpack_bank < 2);
    }
    REQUIRE(tensix->results <= TENSIX_RESULTS && (tensix->timing || tensix->results == 0));
    REQUIRE(tensix->scalar_held_by <= TENSIX_THREADS);
    if (tensix->scalar_held_by) {
        const struct tensix_thread *holder = &tensix->thread[tensix->scalar_held_by - 1];
        unsigned row = tensix_row_of(holder->next);
        REQUIRE(holder->has_next);
        REQUIRE(row < TENSIX_ROWS && tensix_row_infos[row].unit == TENSIX_UNIT_SCALAR);
    }
}

static void check_units(const struct tensix *tensix)
{
    const struct tensix_packer *packer = &tensix->packer[0];
    const struct tensix_pack_output *output = &packer->output;
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            REQUIRE(tensix->unpacker[i].context_counter[thread] < TENSIX_UNPACK_CONTEXTS);
            REQUIRE(tensix->unpacker[i].src_row[thread] < TENSIX_SRC_FILE_ROWS);
        }
        REQUIRE(tensix->unpacker[i].latest_format < 16);
        REQUIRE(tensix->src_file[i].format[0] < 16 && tensix->src_file[i].format[1] < 16);
    }
    REQUIRE(output->data.fill < TENSIX_PACK_LINE && output->exponents.fill < TENSIX_PACK_LINE &&
            output->rows.fill < TENSIX_PACK_LINE);
    REQUIRE(output->block_count < NUM_BLOCK_DATUMS && output->group < TENSIX_PACK_GROUP);
    REQUIRE(packer->metadata_count <= TENSIX_PACK_METADATA &&
            packer->metadata_first < TENSIX_PACK_METADATA);
    REQUIRE(packer->last_thread < TENSIX_THREADS && packer->max_exponent < 256);
}

static void check_vector(const struct tensix *tensix)
{
    const struct tensix_vector *vector = &tensix->vector;
    fuzz_check_vector(vector);
    for (unsigned i = 0; i < vector->entries; i++) {
        REQUIRE(vector->scheduled[i].lanes && vector->scheduled[i].delay < 8);
    }
    for (unsigned lane = 0; lane < NUM_LANES; lane++) {
        REQUIRE(vector->lreg[TENSIX_LREG_ZERO][lane] == 0);
    }
}

/* What is too much to look at after every step. */
static void check_data(const struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_SRCS * TENSIX_SRC_FILE_BANKS; i++) {
        const struct tensix_src_file *file = &tensix->src_file[i / TENSIX_SRC_FILE_BANKS];
        unsigned bank = i % TENSIX_SRC_FILE_BANKS;
        const uint32_t *datum = &file->bank[bank][0][0];
        uint32_t bits = 0;
        for (unsigned j = 0; j < sizeof file->bank[bank] / sizeof *datum; j++) {
            bits |= datum[j];
        }
        REQUIRE((bits & ~(uint32_t)NUM_SRC_BITS) == 0);
        REQUIRE(bits == 0 || file->filled >> bank & 1);
    }
    for (unsigned i = 0; i < sizeof tensix->dst.cleared / sizeof tensix->dst.cleared[0]; i++) {
        uint8_t cleared;
        memcpy(&cleared, &tensix->dst.cleared[i], sizeof cleared);
        REQUIRE(cleared <= 1);
    }
}

static void check(struct bench *bench)
{
    check_units(&bench->tensix);
    check_vector(&bench->tensix);
    check_shared(&bench->tensix);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        check_counters(&bench->tensix.thread[i]);
        check_front_end(&bench->tensix, i);
        check_count(bench, i);
        REQUIRE(bench->tensix.thread[i].time >= bench->last_time[i]);
        bench->last_time[i] = bench->tensix.thread[i].time;
    }
}

/* --- Running --- */

static uint64_t all_drained(const struct tensix *tensix)
{
    uint64_t drained = 0;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        drained += tensix->thread[i].drained;
    }
    return drained;
}

/* What harts wait for, or poll in their sleep: they look again only where a run says that something
 * has changed. */
struct seen {
    uint32_t busy, mop_busy, accepts, held_back, status[2];
};

static struct seen seen_by_harts(const struct tensix *tensix)
{
    struct seen seen = {0};
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        seen.busy |= (uint32_t)tensix_thread_busy(tensix, i) << i;
        seen.mop_busy |= (uint32_t)tensix_mop_busy(tensix, i) << i;
        seen.accepts |= (uint32_t)tensix_accepts(tensix, i) << i;
        seen.held_back |= (uint32_t)tensix_must_wait(tensix, i, TENSIX_TRACKS_GPRS, 0, true) << i;
    }
    seen.status[0] = tensix_status(tensix, TENSIX_THREADS, 0);
    seen.status[1] = tensix_status(tensix, TENSIX_THREADS, 1);
    return seen;
}

static void run(struct bench *bench, uint64_t end)
{
    struct tensix *tensix = &bench->tensix;
    const struct seen before = seen_by_harts(tensix);
    tensix->outcome.changed = tensix->outcome.moved = false;
    const struct tensix_outcome outcome = tensix_run(tensix, end);
    const struct seen after = seen_by_harts(tensix);
    REQUIRE(outcome.passed || outcome.changed || outcome.moved ||
            memcmp(&before, &after, sizeof before) == 0);
    REQUIRE(tensix->stopped || tensix_next_event(tensix) >= end);
    REQUIRE(!tensix->stopped || bench->faults_stop);
    bench->time = end > bench->time ? end : bench->time;
    check(bench);
}

/* Nothing goes on by itself: what is there waits and can say for what, and goes on waiting. */
static void check_quiet(struct bench *bench)
{
    struct tensix *tensix = &bench->tensix;
    char text[256];
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *thread = &tensix->thread[i];
        bool has_more = thread->has_next || thread->front.count || thread->back.count ||
                        mop_busy(&thread->mop) || replay_is_playing(&thread->replay);
        REQUIRE(!has_more || (thread->blocked && thread->wait != TENSIX_WAITS_FOR_NOTHING));
        REQUIRE((has_more || tensix_unpack_holds_any(tensix, i)) == tensix_thread_busy(tensix, i));
        REQUIRE(!has_more || tensix_wait_text(tensix, i, text, sizeof text));
    }
    for (unsigned i = 0; i < 2; i++) {
        REQUIRE(tensix_held_text(tensix, i, text, sizeof text) == tensix_unpack_is_held(tensix, i));
    }
    uint64_t drained = all_drained(tensix);
    REQUIRE(!tensix_run(tensix, bench->time + 1).passed);
    REQUIRE(drained == all_drained(tensix));
    bench->time++;
    check(bench);
}

/* Runs until nothing goes on, as a tile does: from event to event. */
static void settle(struct bench *bench)
{
    struct tensix *tensix = &bench->tensix;
    unsigned idle = 0;
    for (unsigned i = 0; i < MOST_EVENTS && !tensix->stopped; i++) {
        uint64_t next = tensix_next_event(tensix), drained = all_drained(tensix);
        if (next == UINT64_MAX) {
            check_quiet(bench);
            return;
        }
        run(bench, (next > bench->time ? next : bench->time) + 1 + i / 16);
        idle = drained == all_drained(tensix) ? idle + 1 : 0;
        REQUIRE(idle < MOST_IDLE_EVENTS);
    }
}

/* --- Operations --- */

/* MOP and REPLAY make several instructions of one. */
static void note_word(struct bench *bench, unsigned thread, uint32_t word)
{
    unsigned opcode = word >> 24;
    bench->counts[thread] &= opcode != OPCODE_MOP && opcode != OPCODE_REPLAY;
}

static unsigned read_words(struct bench *bench, unsigned thread, uint32_t words[TENSIX_FUSED])
{
    unsigned count = 1 + take(bench, 1) % TENSIX_FUSED;
    for (unsigned i = 0; i < count; i++) {
        words[i] = read_word(bench);
        note_word(bench, thread, words[i]);
    }
    return count;
}

/* A push as a tile makes it: executes or queues, and may run the thread. */
static void push(struct bench *bench, unsigned thread, unsigned pusher, bool at_once)
{
    struct tensix *tensix = &bench->tensix;
    struct tensix_origin origin = {.pc = 0x1000, .pusher = (uint8_t)pusher};
    uint32_t words[TENSIX_FUSED];
    unsigned count = read_words(bench, thread, words), done = 0;
    uint64_t end = bench->time + TENSIX_FIFO_DEPTH;
    bool is_own = pusher == TENSIX_BY_T0 + thread;
    at_once &= !tensix->timing;
    if (SHORTCUTS_BUILT && at_once && is_own) {
        const struct tensix_pushed pushed = {
            .thread = thread, .word = words[0], .origin = origin, .cycle = bench->time, .end = end};
        done = tensix_execute(tensix, &pushed).is_taken;
        check(bench);
    }
    if (done < count) {
        bool accepts = tensix_accepts(tensix, thread);
        bool pushed = tensix_push(tensix, thread, origin, words + done, count - done, bench->time);
        REQUIRE(!is_own || pushed == accepts);
        check(bench);
    }
    if (at_once) {
        (void)tensix_run_thread(tensix, thread, end);
    }
}

static void write_config(struct bench *bench, unsigned thread)
{
    (void)thread;
    unsigned index = take(bench, 2) % (TENSIX_CONFIG_WORDS + 8);
    uint32_t value = take(bench, 4);
    enum answer answer = tensix_config_write(&bench->tensix, index, value);
    REQUIRE((answer == ANSWER_READ_ONLY) == (index >= TENSIX_CONFIG_THREAD));
    (void)tensix_config_read(&bench->tensix, index);
}

static void look(struct bench *bench, unsigned thread)
{
    (void)thread;
    const struct tensix *tensix = &bench->tensix;
    unsigned what = take(bench, 1), index = take(bench, 2);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        char text[256], little[9];
        bool waits = tensix_wait_text(tensix, i, text, sizeof text);
        REQUIRE(waits == tensix_wait_text(tensix, i, little, sizeof little));
        REQUIRE(waits == tensix->thread[i].has_next);
        (void)tensix_status(tensix, i, what % 3);
        REQUIRE(tensix_status_stream(tensix, i, what % 4) < STREAMS);
        REQUIRE(tensix_thread_busy(tensix, i) || !tensix_mop_busy(tensix, i));
        (void)tensix_must_wait(tensix, i, TENSIX_TRACKS_CONFIG, index % TENSIX_CONFIG_WORDS,
                               what & 1);
        (void)tensix_must_wait(tensix, i, TENSIX_TRACKS_GPRS, index % TENSIX_GPRS, what & 1);
        (void)tensix_must_wait(tensix, i, TENSIX_TRACKS_TDMA, 0, what & 1);
    }
    uint32_t data[4];
    (void)tensix_debug_signals(tensix, what % 16, index % 32, data);
    (void)tensix_watches(tensix);
}

/* What a TRISC's reset does. */
static void discard(struct bench *bench, unsigned thread)
{
    tensix_discard(&bench->tensix, thread);
    bench->counts[thread] = false;
    REQUIRE(!tensix_mop_busy(&bench->tensix, thread));
}

static void soft_reset(struct bench *bench, unsigned thread)
{
    (void)thread;
    uint32_t old = bench->tensix.held;
    tensix_soft_reset(&bench->tensix, old, take(bench, 1) & 1 ? take(bench, 3) : 0);
}

/* Outside: what a thread may wait for changes, and the coprocessor is told. */
static void change_outside(struct bench *bench, unsigned thread)
{
    (void)thread;
    static const enum answer answers[] = {ANSWER_DONE, ANSWER_WAIT, ANSWER_REFUSED};
    unsigned what = take(bench, 1);
    bench->reply = answers[what % 3];
    bench->stream_value = what & 4 ? take(bench, 4) : 0;
    if (what & 8) {
        unsigned address = take(bench, 2) % (L1_BYTES / 4) * 4;
        uint32_t value = take(bench, 1);
        memcpy(bench->tensix.l1 + address, &value, sizeof value);
    }
}

static void write_gpr(struct bench *bench, unsigned thread)
{
    unsigned index = take(bench, 1) % TENSIX_GPRS;
    uint32_t value = take(bench, 2); /* mostly an address in L1, in lines */
    bench->tensix.gpr[thread][index] = value & 0x8000 ? value << 16 | value : value & 0x1ff;
}

static void write_mop_config(struct bench *bench, unsigned thread)
{
    unsigned word = take(bench, 1) % MOP_WORDS;
    bench->tensix.thread[thread].mop.config[word] =
        word <= MOP_INNER_COUNT ? take(bench, 1) % 16 : read_word(bench);
}

static void change_semaphore(struct bench *bench, unsigned thread)
{
    (void)thread;
    unsigned what = take(bench, 1), index = what / 2 % TENSIX_SEMAPHORES;
    if (what & 1) {
        tensix_semaphore_get(&bench->tensix, index, bench->time);
    } else {
        tensix_semaphore_post(&bench->tensix, index, bench->time);
    }
}

static void resume(struct bench *bench, unsigned thread)
{
    (void)thread;
    bench->tensix.stopped = false;
    bench->faults_stop = take(bench, 1) & 1;
}

/* --- The data path --- */

static uint32_t random_bits(struct bench *bench)
{
    return num_random_next(&bench->random);
}

/* A field of Config or ThreadConfig, as a hart or SETC16 writes it; most values are small. */
static void set_field(struct bench *bench, unsigned thread)
{
    unsigned number = take(bench, 2), id = number % TENSIX_FIELDS;
    const struct tensix_field *field = &tensix_fields[id];
    uint32_t value = take(bench, number & 0x8000 ? 4 : 1), mask = tensix_field_mask(field);
    if (field->thread) {
        tensix_set_thread_field(&bench->tensix, thread, (enum tensix_field_id)id, value);
        return;
    }
    unsigned index = number & 0x4000 ? TENSIX_CONFIG_DUAL + field->word : field->word;
    uint32_t word = tensix_config_read(&bench->tensix, field->word);
    word = (word & ~mask) | (value << field->shift & mask);
    (void)tensix_config_write(&bench->tensix, index, word);
}

/* Words of Config at random, or of all units. */
static void scramble(struct bench *bench, unsigned thread)
{
    (void)thread;
    unsigned first = take(bench, 1), count = take(bench, 1);
    bench->random = take(bench, 4) | 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned index = (first + i) % TENSIX_STATE_WORDS;
        (void)tensix_config_write(&bench->tensix, index, random_bits(bench));
    }
}

/* The next legal pair of formats, unless the input wants what it says. */
static void choose_unpack(uint32_t *in, uint32_t *out, bool is_any)
{
    for (unsigned i = 0; i < 256 && !is_any && !num_unpack_is_legal(*in, *out, false); i++) {
        *out = (*out + 1) & 0xf;
        *in = *out ? *in : (*in + 1) & 0xf;
    }
}

static void choose_pack(uint32_t *dst, uint32_t *to, bool is_any)
{
    for (unsigned i = 0; i < 256 && !is_any; i++) {
        const struct num_pack_early early = {.format = (uint8_t)*dst, .output = (uint8_t)*to};
        if (num_format_info(*to) &&
            num_pack_late_is_legal(num_pack_early_kind(&early), (enum num_format)(*to))) {
            return;
        }
        *to = (*to + 1) & 0xf;
        *dst = *to ? *dst : (*dst + 1) & 0xf;
    }
}

/* Something that works: from it one step leads to what does not. */
static void make_tiles(struct bench *bench, unsigned thread)
{
    enum {
        SECTION =
            TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor - TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor
    };
    struct tensix *tensix = &bench->tensix;
    uint32_t formats = take(bench, 2), shape = take(bench, 2);
    uint32_t in = formats & 0xf, out = formats >> 4 & 0xf, dst = formats >> 8 & 0xf,
             to = formats >> 12;
    uint32_t x = 1 + (shape & 0x3f), is_plain = shape >> 6 & 1, y = 1 + (shape >> 7 & 3);
    choose_unpack(&in, &out, (shape & 0x1f) == 3);
    choose_pack(&dst, &to, (shape & 0x1f) == 4);
    const struct {
        unsigned word;
        uint32_t value;
    } settings[] = {
        {TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor, x << 16 | is_plain << 4 | in},
        {TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor + 1, 1 << 16 | y},
        {TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor + 2, 1},
        {TENSIX_WORD_THCON_SEC0_REG2_Out_data_format, out},
        {TENSIX_WORD_THCON_SEC0_REG3_Base_address, shape >> 10},
        {TENSIX_WORD_THCON_SEC0_REG2_Unpack_limit_address, 0x1ffff},
    };
    for (unsigned i = 0; i < 2 * sizeof settings / sizeof settings[0]; i++) {
        unsigned word = settings[i / 2].word + i % 2 * SECTION;
        (void)tensix_config_write(tensix, word, settings[i / 2].value);
    }
    (void)tensix_config_write(tensix, TENSIX_WORD_ALU_FORMAT_SPEC_REG2_Dstacc, dst << 25);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG1_L1_Dest_addr, shape >> 9);
    (void)tensix_config_write(tensix, TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask, UINT16_MAX);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG1_In_data_format,
                              dst << 8 | to << 4 | is_plain);
    (void)tensix_config_write(tensix, TENSIX_WORD_THCON_SEC0_REG9_Pack_0_2_limit_address, 0x1ffff);
    for (unsigned i = 0; i < TENSIX_ADCS; i++) {
        struct tensix_adc *adc = &tensix->thread[thread].adc[i];
        memset(adc, 0, sizeof *adc);
        tensix_adc_put(&adc->channel[1], TENSIX_ADC_X, i == TENSIX_ADC_PACKER ? 15 : x * y - 1);
    }
}

static void set_adc(struct bench *bench, unsigned thread)
{
    unsigned what = take(bench, 1);
    struct tensix_adc *adc = &bench->tensix.thread[thread].adc[what % TENSIX_ADCS];
    uint32_t value = take(bench, what & 0x80 ? 3 : 1);
    tensix_adc_put(&adc->channel[what >> 2 & 1], (enum tensix_adc_axis)(what >> 3 & 3),
                   what & 0x40 ? ~value : value);
}

static void fill_l1(struct bench *bench, unsigned thread)
{
    (void)thread;
    unsigned at = take(bench, 2) % L1_BYTES, count = take(bench, 2) % (L1_BYTES - at);
    uint32_t mask = take(bench, 1);
    bench->random = take(bench, 2) | 1;
    for (unsigned i = at; i < at + count; i++) {
        bench->tensix.l1[i] = (uint8_t)(random_bits(bench) & mask);
    }
}

/* What a fault must leave alone. */
struct before {
    struct tensix_dst dst;
    struct tensix_src_file src_file[TENSIX_SRCS];
    struct tensix_src_banks src[TENSIX_SRCS];
    struct tensix_adc adc[TENSIX_THREADS][TENSIX_ADCS];
    struct tensix_rwc rwc;
    struct tensix_matrix matrix;
    struct tensix_vector vector;
    struct tensix_pack_output output;
    uint32_t pack_generator, histogram[32], max_exponent;
    uint32_t src_row[TENSIX_UNPACKERS][TENSIX_THREADS];
    uint8_t position, face, metadata_count;
    uint8_t l1[L1_BYTES];
};

static struct before *note_all(const struct tensix *tensix, unsigned thread)
{
    struct before *before = calloc(1, sizeof *before);
    const struct tensix_packer *packer = &tensix->packer[0];
    REQUIRE(before);
    before->dst = tensix->dst;
    memcpy(before->src_file, tensix->src_file, sizeof before->src_file);
    memcpy(before->src, tensix->src, sizeof before->src);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        memcpy(before->adc[i], tensix->thread[i].adc, sizeof before->adc[i]);
    }
    before->rwc = tensix->thread[thread].rwc;
    before->matrix = tensix->matrix;
    memcpy(&before->vector, &tensix->vector, sizeof before->vector);
    before->output = packer->output;
    before->pack_generator = packer->generator;
    memcpy(before->histogram, packer->histogram, sizeof before->histogram);
    before->max_exponent = packer->max_exponent;
    for (unsigned i = 0; i < TENSIX_UNPACKERS; i++) {
        memcpy(before->src_row[i], tensix->unpacker[i].src_row, sizeof before->src_row[i]);
    }
    before->position = packer->position;
    before->face = packer->face;
    before->metadata_count = packer->metadata_count;
    memcpy(before->l1, tensix->l1, sizeof before->l1);
    return before;
}

/* Half of them are UNPACR and PACR; the unit has the banks that it needs, or whoever has them. */
static uint32_t read_data_word(struct bench *bench)
{
    enum { UNUSUAL_BITS = 1 << 10, WAITS = 1 << 11 };
    static const enum tensix_unit units[] = {TENSIX_UNIT_MATRIX, TENSIX_UNIT_VECTOR,
                                             TENSIX_UNIT_UNPACK, TENSIX_UNIT_PACK};
    unsigned choice = take(bench, 2), row = choice % TENSIX_ROWS;
    unsigned what = choice >> 8 & 3;
    uint32_t operands = take(bench, 3);
    for (unsigned i = 0; i < TENSIX_ROWS && tensix_row_infos[row].unit != units[what]; i++) {
        row = (row + 1) % TENSIX_ROWS;
    }
    if (choice & 0x80 && what >= 2) {
        row = what == 2 ? TENSIX_ROW_UNPACR : TENSIX_ROW_PACR;
    }
    for (unsigned i = 0; i < TENSIX_SRCS && !(choice & WAITS); i++) {
        bench->tensix.src[i].matrix_may[0] = bench->tensix.src[i].matrix_may[1] = what < 2;
    }
    operands &= choice & UNUSUAL_BITS ? UINT32_MAX : UINT32_C(0xf81f5f);
    return fuzz_match_row(row, operands);
}

/* An instruction of the data path that starts at once, where there is nothing before it. */
static void execute_data(struct bench *bench, unsigned thread)
{
    struct tensix *tensix = &bench->tensix;
    struct tensix_origin origin = {.pc = 0x1000, .pusher = (uint8_t)(TENSIX_BY_T0 + thread)};
    uint32_t word = read_data_word(bench);
    unsigned faults = bench->faults;
    if (!SHORTCUTS_BUILT || tensix->timing || tensix_thread_busy(tensix, thread) ||
        tensix->stopped) {
        return;
    }
    struct before *before = note_all(tensix, thread);
    uint64_t time = tensix->thread[thread].time;
    bench->time = time > bench->time ? time : bench->time;
    const struct tensix_pushed pushed = {.thread = thread,
                                         .word = word,
                                         .origin = origin,
                                         .cycle = bench->time,
                                         .end = bench->time + TENSIX_FIFO_DEPTH};
    (void)tensix_execute(tensix, &pushed);
    /* What is scheduled may fault as well; neither a hazard nor a doubt keeps an instruction from
     * executing. */
    if (bench->faults > faults && bench->latest_kind != PENROSE_FAULT_VECTOR_HAZARD &&
        bench->latest_kind != PENROSE_FAULT_TENSIX_DOUBTFUL && !before->vector.schedules) {
        struct before *after = note_all(tensix, thread);
        REQUIRE(bench->faults == faults + 1 && memcmp(before, after, sizeof *after) == 0);
        free(after);
    }
    free(before);
    check_data(tensix);
}

/* LoadMacroConfig of some columns, or LaneConfig. */
static void set_lanes(struct bench *bench, unsigned thread)
{
    (void)thread;
    unsigned columns = take(bench, 1), what = take(bench, 1);
    struct tensix_macro_config macro = {.misc = (uint16_t)(take(bench, 2) & 0xfff)};
    for (unsigned i = 0; i < TENSIX_MACRO_TEMPLATES; i++) {
        macro.instruction[i] = read_word(bench);
        macro.sequence[i] = take(bench, 4);
    }
    for (unsigned column = 0; column < TENSIX_LANE_COLUMNS; column++) {
        if (!(columns >> column & 1)) {
            continue;
        }
        if (what & 3) {
            bench->tensix.vector.macro[column] = macro;
        } else {
            bench->tensix.vector.lane_config[column] = macro.sequence[0] & TENSIX_LANE_CONFIG_MASK;
        }
    }
    tensix_vector_derive(&bench->tensix.vector);
}

static void push_queued(struct bench *bench, unsigned thread)
{
    push(bench, thread, TENSIX_BY_T0 + thread, false);
}

static void push_at_once(struct bench *bench, unsigned thread)
{
    push(bench, thread, TENSIX_BY_T0 + thread, true);
}

static void push_by_b(struct bench *bench, unsigned thread)
{
    push(bench, thread, TENSIX_BY_B, true);
}

static void push_by_debug_bus(struct bench *bench, unsigned thread)
{
    push(bench, thread, TENSIX_BY_DEBUG_BUS, false);
}

static void run_all(struct bench *bench, unsigned thread)
{
    (void)thread;
    tensix_wake(&bench->tensix, bench->time);
    run(bench, bench->time + 1 + take(bench, 1));
}

static void run_one(struct bench *bench, unsigned thread)
{
    if (!bench->tensix.timing) {
        (void)tensix_run_thread(&bench->tensix, thread, bench->time + 1 + take(bench, 1));
    }
}

static void run_and_settle(struct bench *bench, unsigned thread)
{
    (void)thread;
    tensix_wake(&bench->tensix, bench->time);
    run(bench, bench->time + 1);
    settle(bench);
}

/* The data path gets half of all steps. */
static void (*const operations[])(struct bench *bench, unsigned thread) = {
    push_queued,  push_at_once,     push_by_b,    push_by_debug_bus, write_mop_config, write_config,
    write_gpr,    change_semaphore, soft_reset,   change_outside,    discard,          resume,
    look,         run_all,          run_one,      run_and_settle,    set_field,        set_field,
    scramble,     make_tiles,       set_adc,      set_adc,           fill_l1,          execute_data,
    execute_data, execute_data,     execute_data, set_lanes,
};

static void step(struct bench *bench)
{
    unsigned operation = take(bench, 1) % (sizeof operations / sizeof operations[0]);
    operations[operation](bench, read_thread(bench));
    check(bench);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct bench *bench = calloc(1, sizeof *bench);
    uint8_t *l1 = calloc(1, L1_BYTES); /* of its own, so that ASan guards its ends */
    REQUIRE(bench && l1);
    bench->input = (struct fuzz_input){.byte = bytes, .left = size};
    bench->tensix.l1 = l1;
    bench->tensix.l1_size = L1_BYTES;
    bench->tensix.board = &board;
    bench->tensix.owner = bench;
    unsigned flags = take(bench, 1);
    bench->tensix.timing = flags & FLAG_TIMED ? &tile_costs : NULL;
    bench->faults_stop = flags & FLAG_FAULTS_STOP;
    bench->long_mops = flags & FLAG_LONG_MOPS;
    bench->reply = flags & FLAG_REGISTERS_WAIT ? ANSWER_WAIT : ANSWER_DONE;
    bench->tensix.shortcuts = true;
    tensix_reset(&bench->tensix);
    if (flags & FLAG_REFERENCE) {
        bench->tensix.kernels = num_kernels_find("reference");
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        bench->counts[i] = true;
    }
    for (unsigned i = 0; i < MOST_STEPS && bench->input.left > 0; i++) {
        step(bench);
    }
    check_data(&bench->tensix);
    free(l1);
    free(bench);
    return 0;
}
