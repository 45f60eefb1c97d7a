/*
 * Runs a fuzz target without libFuzzer, as a unit test: its seeds, and then inputs that are made of
 * them by chance, the same ones in each run.
 *
 * Before an input is tried it is written to fuzz_<subject>.input in the current folder, and that file
 * is removed at the end: what it holds after a failure is the input that did it. FUZZ_INPUT=FILE in
 * the environment tries that one alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "unit/random.h"
#include "unit/test.h"

enum { MOST_SECONDS = 20, MOST_MEMORY = 1 << 20 /* KiB */, MOST_SEEDS = 64, LONG = 50, DRAWN = 64 };

static struct fuzz_bytes seeds[MOST_SEEDS];
static unsigned seed_count;
static uint64_t state = 1;

static uint32_t draw_below(size_t limit)
{
    return random_below(&state, (uint32_t)limit);
}

/* --- Making inputs --- */

static void remove_bytes(struct fuzz_bytes *input, size_t at, size_t count)
{
    memmove(input->bytes + at, input->bytes + at + count, input->size - at - count);
    input->size -= count;
}

/* Bytes of another input, or of this one, at any place. */
static void insert_part(struct fuzz_bytes *input, const struct fuzz_bytes *from)
{
    enum { MOST_PART = 256 };
    uint8_t part[MOST_PART];
    size_t start = draw_below(from->size), count = from->size - start, at = draw_below(input->size);
    count = 1 + draw_below(count < MOST_PART ? count : MOST_PART);
    memcpy(part, from->bytes + start, count);
    fuzz_append(input, part, count);
    memmove(input->bytes + at + count, input->bytes + at, input->size - count - at);
    memcpy(input->bytes + at, part, count);
}

/* Numbers at the edge of something, of one to eight bytes. */
static void put_number(struct fuzz_bytes *input, size_t at)
{
    static const uint64_t numbers[] = {0,          1,          0x7f,       0x80,       0xff,
                                       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
                                       0x80000000, 0xfffffff0, 0xffffffff, UINT64_MAX, 1ull << 40};
    uint64_t number = numbers[draw_below(sizeof numbers / sizeof numbers[0])];
    size_t size = (size_t)1 << draw_below(4), left = input->size - at;
    memcpy(input->bytes + at, &number, size < left ? size : left);
}

/* A decimal digit becomes several, which only texts notice. */
static void lengthen_number(struct fuzz_bytes *input, size_t at)
{
    static const char *const digits[] = {"99999999", "4294967296", "18446744073709551616", "1e300",
                                         "-1"};
    for (size_t i = 0; i < input->size; i++, at = (at + 1) % input->size) {
        if (input->bytes[at] >= '0' && input->bytes[at] <= '9') {
            const char *text = digits[draw_below(sizeof digits / sizeof digits[0])];
            struct fuzz_bytes rest = {0};
            fuzz_append(&rest, input->bytes + at + 1, input->size - at - 1);
            input->size = at;
            fuzz_append(input, text, strlen(text));
            fuzz_append(input, rest.bytes, rest.size);
            free(rest.bytes);
            return;
        }
    }
}

static void change_once(struct fuzz_bytes *input)
{
    size_t at = draw_below(input->size);
    switch (draw_below(8)) {
    case 0:
        input->bytes[at] ^= (uint8_t)(1u << draw_below(8));
        break;
    case 1:
    case 2:
        input->bytes[at] = (uint8_t)draw_below(256);
        break;
    case 3:
        put_number(input, at);
        break;
    case 4:
        lengthen_number(input, at);
        break;
    case 5:
        insert_part(input, input);
        break;
    case 6:
        insert_part(input, &seeds[draw_below(seed_count)]);
        break;
    default:
        remove_bytes(input, at, draw_below(input->size - at < 64 ? input->size - at : 64));
        break;
    }
}

/* Targets without seeds get bytes by chance. */
static void make_drawn_seeds(void)
{
    for (seed_count = 0; seed_count < DRAWN; seed_count++) {
        for (unsigned i = 16 + 16 * seed_count; i > 0; i--) {
            fuzz_append_byte(&seeds[seed_count], (uint8_t)draw_below(256));
        }
    }
}

static void make_seeds(void)
{
    while (seed_count < MOST_SEEDS && fuzz_seed(seed_count, &seeds[seed_count])) {
        REQUIRE(seeds[seed_count].size > 0);
        seed_count++;
    }
    if (seed_count == 0) {
        make_drawn_seeds();
    }
}

/* --- Trying them --- */

static void keep_input(int file, const struct fuzz_bytes *input)
{
    EXPECT(pwrite(file, input->bytes, input->size, 0) == (ssize_t)input->size &&
           ftruncate(file, (off_t)input->size) == 0);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A copy of just its size, so that AddressSanitizer guards its end. */
static void try_input(const struct fuzz_bytes *input)
{
    struct rusage usage;
    uint8_t *bytes = malloc(input->size ? input->size : 1);
    double start = now();
    REQUIRE(bytes);
    if (input->size > 0) {
        memcpy(bytes, input->bytes, input->size);
    }
    LLVMFuzzerTestOneInput(bytes, input->size);
    free(bytes);
    getrusage(RUSAGE_SELF, &usage);
    EXPECT(usage.ru_maxrss < MOST_MEMORY);
    EXPECT(now() - start < MOST_SECONDS);
}

static void try_many(void)
{
    char path[64];
    unsigned count = getenv("PENROSE_LONG") ? LONG * fuzz_inputs : fuzz_inputs;
    snprintf(path, sizeof path, "%s.input", program_invocation_short_name);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ck_assert_int_ge(file, 0);
    make_seeds();
    for (unsigned i = 0; i < count; i++) {
        struct fuzz_bytes input = {0};
        const struct fuzz_bytes *from = &seeds[i < seed_count ? i : draw_below(seed_count)];
        unsigned changes = i < seed_count ? 0 : 1 + draw_below(8);
        fuzz_append(&input, from->bytes, from->size);
        for (; changes > 0 && input.size > 0; changes--) {
            change_once(&input);
        }
        keep_input(file, &input);
        try_input(&input);
        free(input.bytes);
    }
    close(file);
    unlink(path);
    for (unsigned i = 0; i < seed_count; i++) {
        free(seeds[i].bytes);
    }
}

static void try_file(const char *path)
{
    struct fuzz_bytes input = {0};
    uint8_t part[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    while ((size = fread(part, 1, sizeof part, file)) > 0) {
        fuzz_append(&input, part, size);
    }
    fclose(file);
    try_input(&input);
    free(input.bytes);
}

TEST(no_input_does_harm)
{
    const char *path = getenv("FUZZ_INPUT");
    if (path) {
        try_file(path);
    } else {
        try_many();
    }
}
