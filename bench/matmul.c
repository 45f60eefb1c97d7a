/*
 * Speed of a whole matrix product on one tile: the guest program firmware/tensor/matmul.c, whose
 * three TRISCs unpack, multiply and pack tiles of 32x32, on our library and on any other with the
 * libttsim ABI. Both must compute the same bits.
 *
 * Figure: products of two tiles a second, of a 128x128x128 product of BF16 matrices in four
 * fidelity phases (HiFi4) or one (LoFi).
 */
#include <stdio.h>

#include "product.h"

enum {
    PRODUCTS = PRODUCT_ROWS * PRODUCT_ROWS * PRODUCT_ROWS,
    REPETITIONS = 5,
};

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

/* Starts the three TRISCs and lets time pass until all of them have ended. */
static void launch(struct bench_device *device, unsigned x, unsigned y, const struct job *job,
                   struct answer *answer)
{
    bench_reset(device, x, y, BENCH_ALL_HELD);
    for (unsigned i = 0; i < PRODUCT_TRISCS; i++) {
        product_rewind(device, x, y, i);
    }
    bench_reset(device, x, y, BENCH_ALL_HELD & ~PRODUCT_HELD);
    for (unsigned done = 0; done < PRODUCT_TRISCS; answer->cycles += job->slice) {
        if (answer->cycles > UINT64_C(1) << 36) {
            bench_die(job->library, "the program does not end");
        }
        device->clock(job->slice);
        while (done < PRODUCT_TRISCS && product_is_done(device, x, y, done)) {
            done++;
        }
    }
}

static void measure(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    static uint8_t bytes[PRODUCT_RESULT_BYTES];
    const unsigned x = 1, y = 2;
    bench_open(&device, job->library);
    bench_reset(&device, x, y, BENCH_ALL_HELD);
    product_load(&device, x, y, job->options->guests, job->phases, PRODUCT_ROWS);
    double start = bench_now();
    for (unsigned i = 0; i < job->launches; i++) {
        launch(&device, x, y, job, answer);
    }
    answer->seconds = bench_now() - start;
    bench_read(&device, x, y, PRODUCT_RESULT, bytes, sizeof bytes);
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
static struct job calibrate(const struct bench_options *options, const char *library,
                            unsigned phases)
{
    struct job job = {
        .options = options, .library = library, .phases = phases, .launches = 1, .slice = 1000};
    struct answer answer;
    bench_in_child(measure, &job, &answer, sizeof answer);
    job.launches = (unsigned)(options->seconds / answer.seconds) + 1;
    return job;
}

static struct bench_figure figure(const struct bench_options *options, unsigned phases)
{
    struct bench_figure figure = {.unit = "k products/s", .has_reference = options->reference};
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
        bench_report(figure(&options, 4), "hifi4", "32x32x32 product, BF16, HiFi4"),
        bench_report(figure(&options, 1), "lofi", "32x32x32 product, BF16, LoFi"),
    };
    return bench_finish(&options, figures, sizeof figures / sizeof figures[0]);
}
