/* What the host can do: see host.h. */
#include "host.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/wait.h>

#include "bench.h"

/* --- Computing --- */

/* Keeps the units of a core busy, as two threads of one core could not both. */
static double spin(void)
{
    enum { CHAINS = 8, ROUNDS = 60000000 };
    uint64_t chain[CHAINS] = {1, 2, 3, 4, 5, 6, 7, 8};
    double start = bench_wall();
    for (unsigned round = 0; round < ROUNDS; round += CHAINS) {
        for (unsigned i = 0; i < CHAINS; i++) {
            chain[i] ^= chain[i] << 13;
            chain[i] ^= chain[i] >> 7;
            chain[i] ^= chain[i] << 17;
        }
    }
    for (unsigned i = 1; i < CHAINS; i++) {
        chain[0] += chain[i];
    }
    volatile uint64_t sink = chain[0];
    (void)sink;
    return bench_wall() - start;
}

static void measure_spin(const void *what, void *result)
{
    const bool *has_company = what;
    double *seconds = result;
    pid_t other = *has_company ? fork() : -1;
    if (other == 0) {
        for (unsigned i = 0; i < 3; i++) {
            spin();
        }
        _exit(0);
    }
    spin(); /* both have started */
    *seconds = spin();
    if (other > 0) {
        waitpid(other, NULL, 0);
    }
}

double host_capacity(unsigned repetitions)
{
    double alone, together, best = 0;
    for (unsigned i = 0; i < repetitions; i++) {
        bench_in_child(measure_spin, &(bool){false}, &alone, sizeof alone);
        bench_in_child(measure_spin, &(bool){true}, &together, sizeof together);
        double capacity = 2 * alone / together;
        best = capacity > best ? capacity : best;
    }
    return best;
}

bool host_has_two_cores(double capacity)
{
    return capacity > 1.9;
}

/* --- Talking --- */

enum { TRIPS = 200000 };

/* A number that two threads count up in turns. */
struct ball {
    _Alignas(128) atomic_uint number;
    int cpu; /* of the other thread */
};

static void go_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void play(struct ball *ball, unsigned first)
{
    for (unsigned i = first; i < 2 * TRIPS; i += 2) {
        while (atomic_load(&ball->number) != i) {
        }
        atomic_store(&ball->number, i + 1);
    }
}

static void *other_player(void *argument)
{
    struct ball *ball = argument;
    go_to(ball->cpu);
    play(ball, 1);
    return NULL;
}

/* The first two CPUs that the process may use; false: there are not two. */
static bool two_cpus(int cpu[2])
{
    cpu_set_t mine;
    unsigned found = 0;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
        return false;
    }
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++) {
        if (CPU_ISSET((unsigned)i, &mine)) {
            cpu[found++] = i;
        }
    }
    return found == 2;
}

static void measure_trip(const void *what, void *result)
{
    double *nanoseconds = result;
    struct ball ball = {.number = 0};
    int cpu[2];
    pthread_t other;
    (void)what;
    *nanoseconds = 0;
    if (!two_cpus(cpu)) {
        return;
    }
    ball.cpu = cpu[1];
    go_to(cpu[0]);
    if (pthread_create(&other, NULL, other_player, &ball) != 0) {
        return;
    }
    double start = bench_wall();
    play(&ball, 0);
    pthread_join(other, NULL);
    *nanoseconds = (bench_wall() - start) / TRIPS * 1e9;
}

/* --- The report --- */

void host_report(double capacity)
{
    char line[256], model[200] = "?";
    double load = 0, trip;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) &&
           sscanf(line, "model name : %199[^\n]", model) != 1) {
    }
    if (file) {
        fclose(file);
    }
    getloadavg(&load, 1);
    bench_in_child(measure_trip, NULL, &trip, sizeof trip);
    printf("host: %ld CPUs (%s), load %.1f; two processes that only compute get %.2f times as "
           "much done as one%s\n",
           sysconf(_SC_NPROCESSORS_ONLN), model, load, capacity,
           host_has_two_cores(capacity) ? "" : ": no two cores are free");
    if (trip > 0) {
        printf("a word goes from one CPU to the other and back in %.0f ns\n", trip);
    }
}
