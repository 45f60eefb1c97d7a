/* A profile as tables: one that `penrose compare --perf` reads, one of launches for the vendor's
 * tt-perf-report, and one of kernels as tt-metal's profiler has it; see profile.h. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "chip/calls.h"
#include "observe/profile/profile.h"

static void print_field(const char *text, FILE *file)
{
    fputc('"', file);
    for (; text && *text; text++) {
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, file);
    }
    fputs("\",", file);
}

static void print_table_row(const char *lane, const char *kind, const struct profile_row *row,
                            uint64_t cycles, uint64_t times, FILE *file)
{
    print_field(lane, file);
    print_field(kind, file);
    print_field(row ? row->kernel : "", file);
    print_field(row ? row->symbol : "", file);
    print_field(row ? row->source : "", file);
    fprintf(file, "%u,", row ? row->line : 0);
    print_field(row ? row->waits : "", file);
    print_field(row ? row->ended : "", file);
    fprintf(file, "%" PRIu64 ",%" PRIu64 "\n", cycles, times);
}

/* A launch is a row with its cycles, and one with what bounds it. */
static void print_launch_rows(const struct profile *profile, FILE *file)
{
    char lane[32], name[PROFILE_NAME_BYTES], bound[1024];
    for (size_t i = 0; i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        const struct host_operation *host = launch->host;
        const struct profile_row length = {.symbol = name,
                                           .source = host ? host->file : "",
                                           .line = host ? host->line : 0,
                                           .waits = ""};
        struct profile_row what = length;
        what.waits = bound;
        snprintf(lane, sizeof lane, "launch %zu", i + 1);
        profile_launch_name(launch, false, name, sizeof name);
        profile_launch_bound(profile, launch, bound, sizeof bound);
        if (launch->kernels > 0) {
            print_table_row(lane, "length", &length, launch->last - launch->first, 1, file);
        }
        print_table_row(launch->kernels > 0 ? lane : "all", "bound", &what,
                        launch->last - launch->first, 1, file);
    }
}

void profile_table(const struct profile *profile, FILE *file)
{
    fputs("lane,kind,kernel,function,source,line,waits for,ended,cycles,times\n", file);
    print_table_row("all", "length", NULL,
                    profile->is_empty ? 0 : profile->last - profile->first + 1, 1, file);
    print_launch_rows(profile, file);
    if (profile->has_failed || profile->path.has_failed) {
        print_table_row("all", "missing", NULL, 0, 1, file); /* memory ran out */
    }
    if (profile->has_waits && !profile->has_causes) {
        print_table_row("all", "no causes", NULL, 0, 1, file);
    }
    if (profile->path.forgotten) {
        print_table_row("all", "forgotten", NULL, profile->path.forgotten, 1, file);
    }
    for (unsigned lane = 0; lane < PROFILE_LANES; lane++) {
        uint64_t idle = profile_lane_cycles(profile, lane).idle;
        if (profile->lane_name[lane] && idle > 0) {
            print_table_row(profile->lane_name[lane], "idle", NULL, idle, 1, file);
        }
    }
    for (size_t i = 0; i < profile->rows; i++) {
        const struct profile_row *row = &profile->row[i];
        if (row->count == 0) {
            continue; /* a wait that began: it has ended in another row */
        }
        print_table_row(profile->lane_name[row->lane], row->waits ? "waits" : "busy", row,
                        row->cycles, row->count, file);
        if (row->critical > 0) {
            print_table_row(profile->lane_name[row->lane], "critical", row, row->critical, 1, file);
        }
    }
}

/* --- Launches --- */

static uint64_t nanoseconds_of(const struct profile *profile, uint64_t cycles)
{
    return cycles * 1000 / profile->calls->arch->clock_mhz;
}

/* SPEC: tt-perf-report 1.4, names of the columns that it needs. Shapes and formats of tensors are the
 * host's, so their columns are empty. */
void profile_operations(const struct profile *profile, FILE *file)
{
    uint64_t ended = 0;
    unsigned number = 0;
    fputs("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,CORE COUNT,"
          "DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],ATTRIBUTES,MATH FIDELITY,"
          "INPUT_0_MEMORY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE\n",
          file);
    for (size_t i = 0; i < profile->launches; i++) {
        const struct profile_launch *launch = &profile->launch[i];
        if (launch->kernels == 0) {
            continue;
        }
        uint64_t gap = number > 0 && launch->first > ended ? launch->first - ended : 0;
        print_field(profile_operation_name(launch), file);
        fprintf(file, "tt_dnn_device,%u,%u,%s,%u,%" PRIu64 ",%" PRIu64 ",,,,,,\n", ++number,
                profile->chip, profile->calls->arch->name, launch->tiles[PROFILE_WORKERS],
                nanoseconds_of(profile, launch->last - launch->first),
                nanoseconds_of(profile, gap));
        ended = launch->last;
    }
}

/* --- Kernels --- */

/* "TRISC_0" of trisc0, and with `is_zone` "TRISC-KERNEL". */
static void print_processor(const char *lane, bool is_zone, FILE *file)
{
    for (; *lane && !isdigit((unsigned char)*lane); lane++) {
        fputc(toupper((unsigned char)*lane), file);
    }
    if (is_zone) {
        fputs("-KERNEL", file);
    } else if (*lane) {
        fprintf(file, "_%s", lane);
    }
}

static void print_zone_row(const struct profile *profile, const struct profile_zone *zone,
                           bool begins, FILE *file)
{
    const struct profile_tile *tile = &profile->tile[zone->tile];
    fprintf(file, "0,%u,%u,", tile->x, tile->y);
    print_processor(profile->lane_name[zone->lane], false, file);
    fprintf(file, ",%u,%" PRIu64 ",0,%" PRIu32 ",,,", zone->lane, begins ? zone->first : zone->last,
            zone->launch);
    print_processor(profile->lane_name[zone->lane], true, file);
    fputs(begins ? ",ZONE_START,0,,\n" : ",ZONE_END,0,,\n", file);
}

/* SPEC: tt-metal, profile_log_device.csv. The host's number of a run is that of the launch, and a zone is a
 * hart's stay in a kernel. */
void profile_device_log(const struct profile *profile, FILE *file)
{
    size_t workers = 0;
    for (size_t i = 0; i < profile->tiles; i++) {
        workers += profile->tile[i].lane[PENROSE_BRISC].executed > 0;
    }
    fprintf(
        file,
        "ARCH: %s, CHIP_FREQ[MHz]: %u, Max Compute Cores: %zu\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "
        "run host ID, trace id, trace id counter, zone name, type, source line, source file, "
        "meta data\n",
        profile->calls->arch->name, profile->calls->arch->clock_mhz, workers);
    for (size_t i = 0; i < profile->zones; i++) {
        if (profile->zone[i].last > 0) { /* it has ended */
            print_zone_row(profile, &profile->zone[i], true, file);
            print_zone_row(profile, &profile->zone[i], false, file);
        }
    }
}
