/*
 * Speed of a whole matrix product on one tile: the guest program firmware/tensor/matmul.c, whose
 * three TRISCs unpack, multiply and pack tiles of 32x32, on our library and on any other with the
 * libttsim ABI. Both must compute the same bits.
 *
 * Figure: products of two tiles a second, of a 128x128x128 product of BF16 matrices in four fidelity
 * phases (HiFi4) or one (LoFi).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../firmware/tensor/arguments.h"
#include "image.h"
#include "num/tensix_format.h"

enum {
    TRISCS = 3,
    SIDE = 4, /* tiles */
    PRODUCTS = SIDE * SIDE * SIDE,
    TILE_BYTES = 2048,
    MATRIX_BYTES = SIDE * SIDE * TILE_BYTES,
    MATRIX_A = 0x40000,
    MATRIX_B = 0x60000,
    RESULT = 0x80000,
    MAILBOX = 0x8100, /* of T0; the others follow in steps of MAILBOX_STEP */
    MAILBOX_STEP = 0x100,
    MAILBOX_DONE = 0x7c,
    REPETITIONS = 5,
};

#define TRISC_RESET_PC          UINT32_C(0xffb12228) /* T1 and T2 follow */
#define TRISC_RESET_PC_OVERRIDE UINT32_C(0xffb12234)

struct job {
    const struct bench_options *options;
    const char *library;
    unsigned phases, launches;
    uint32_t slice; /* cycles of one call of libttsim_clock */
};

struct answer {
    double seconds;
    uint64_t cycles;
    uint32_t sum; /* over the bytes of the result */
};

/* Random BF16 numbers of ordinary size. */
static void fill(uint16_t matrix[MATRIX_BYTES / 2], uint32_t state)
{
    for (unsigned i = 0; i < MATRIX_BYTES / 2; i++) {
        state = state * 1664525 + 1013904223;
        matrix[i] = (uint16_t)((state >> 8 & 0x807f) | (124 + (state >> 24) % 6) << 7);
    }
}

static void prepare(struct bench_device *device, unsigned x, unsigned y, const struct job *job)
{
    static const char *const programs[TRISCS] = {
        "tensor/matmul-flag-trisc0", "tensor/matmul-flag-trisc1", "tensor/matmul-flag-trisc2"};
    const uint32_t arguments[ARGUMENTS_END] = {
        [ARGUMENT_A] = MATRIX_A,
        [ARGUMENT_B] = MATRIX_B,
        [ARGUMENT_RESULT] = RESULT,
        [ARGUMENT_ROWS] = SIDE,
        [ARGUMENT_COLUMNS] = SIDE,
        [ARGUMENT_INNER] = SIDE,
        [ARGUMENT_FORMAT_A] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_B] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_SRC_A] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_SRC_B] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_PACK] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_FORMAT_RESULT] = NUM_FORMAT_FLOAT16_B,
        [ARGUMENT_PHASES] = job->phases,
    };
    static uint16_t matrix[MATRIX_BYTES / 2];
    fill(matrix, 1);
    bench_write(device, x, y, MATRIX_A, matrix, sizeof matrix);
    fill(matrix, 2);
    bench_write(device, x, y, MATRIX_B, matrix, sizeof matrix);
    bench_write(device, x, y, ARGUMENTS, arguments, sizeof arguments);
    bench_write_word(device, x, y, TRISC_RESET_PC_OVERRIDE, 7);
    for (unsigned i = 0; i < TRISCS; i++) {
        struct image *image = image_open(job->options->guests, programs[i]);
        image_load(device, x, y, image);
        bench_write_word(device, x, y, TRISC_RESET_PC + 4 * i, image->entry);
        image_close(image);
    }
}

/* Starts the three TRISCs and lets time pass until all of them have ended. */
static void launch(struct bench_device *device, unsigned x, unsigned y, const struct job *job,
                   struct answer *answer)
{
    bench_reset(device, x, y, BENCH_ALL_HELD);
    for (unsigned i = 0; i < TRISCS; i++) {
        bench_write_word(device, x, y, MAILBOX + i * MAILBOX_STEP + MAILBOX_DONE, 0);
    }
    bench_reset(device, x, y, BENCH_ALL_HELD & ~(((1u << TRISCS) - 1) * BENCH_T0_HELD));
    for (unsigned done = 0; done < TRISCS; answer->cycles += job->slice) {
        if (answer->cycles > UINT64_C(1) << 36) {
            bench_die(job->library, "the program does not end");
        }
        device->clock(job->slice);
        while (done < TRISCS &&
               bench_word(device, x, y, MAILBOX + done * MAILBOX_STEP + MAILBOX_DONE) != 0) {
            done++;
        }
    }
}

static void measure(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    static uint8_t bytes[MATRIX_BYTES];
    const unsigned x = 1, y = 2;
    bench_open(&device, job->library);
    bench_reset(&device, x, y, BENCH_ALL_HELD);
    prepare(&device, x, y, job);
    double start = bench_now();
    for (unsigned i = 0; i < job->launches; i++) {
        launch(&device, x, y, job, answer);
    }
    answer->seconds = bench_now() - start;
    bench_read(&device, x, y, RESULT, bytes, sizeof bytes);
    for (unsigned i = 0; i < sizeof bytes; i++) {
        answer->sum = (answer->sum << 1 | answer->sum >> 31) ^ bytes[i];
    }
    device.exit();
}

/* Thousands of tile products a second; *best becomes the greatest. Answers the sum. */
static uint32_t once(const struct job *job, double *best)
{
    struct answer answer;
    bench_in_child(measure, job, &answer, sizeof answer);
    double speed = (double)PRODUCTS * job->launches / answer.seconds / 1e3;
    *best = speed > *best ? speed : *best;
    return answer.sum;
}

/* A job that takes about as long as the options ask for. */
static struct job calibrate(const struct bench_options *options, const char *library, unsigned phases)
{
    struct job job = {.options = options,
                      .library = library,
                      .phases = phases,
                      .launches = 1,
                      .slice = 1000};
    struct answer answer;
    bench_in_child(measure, &job, &answer, sizeof answer);
    job.launches = (unsigned)(options->seconds / answer.seconds) + 1;
    return job;
}

static struct bench_figure figure(const struct bench_options *options, unsigned phases,
                                  double goal)
{
    struct bench_figure figure = {
        .unit = "k products/s", .has_reference = options->reference, .good = true};
    struct job ours = calibrate(options, options->library, phases);
    struct job reference = {0};
    if (figure.has_reference) {
        reference = calibrate(options, options->reference, phases);
    }
    for (unsigned i = 0; i < REPETITIONS; i++) {
        uint32_t sum = once(&ours, &figure.ours);
        if (figure.has_reference && once(&reference, &figure.reference) != sum) {
            bench_die(options->reference, "computes other bits");
        }
    }
    if (figure.has_reference) {
        figure.ratio = figure.ours / figure.reference;
        figure.good = figure.ratio >= goal;
    }
    return figure;
}

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        .parser = bench_parse_none,
        .doc = "Measures the speed of matrix products on one tile, from end to end.",
        .children = children,
    };
    struct bench_options options = bench_defaults();
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    bench_headings();
    const struct bench_figure figures[] = {
        bench_report(figure(&options, 4, 10), "hifi4", "32x32x32 product, BF16, HiFi4",
                     "goal: ratio 10"),
        bench_report(figure(&options, 1, 0), "lofi", "32x32x32 product, BF16, LoFi", ""),
    };
    return bench_finish(&options, figures, sizeof figures / sizeof figures[0]);
}
