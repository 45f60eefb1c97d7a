/* The frame of the checks, see check.h. SPEC: the mailboxes of tt-metal's firmware
 * (loader/layout.def). */
#include "observe/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "metal/buffers.h"
#include "metal/firmware.h"
#include "noc/kind.h"

/* --- The life of kernels --- */

/* What kernels set and use of the coprocessor also tells of LRegs that nobody has written. */
static bool follows_state(const struct checks *checks)
{
    return checks->does[CHECK_CONFIG] || checks->does[CHECK_UNINIT];
}

static bool is_running(const struct loader_layout *layout, struct tile *tile)
{
    uint32_t at = loader_go_signal(layout, metal_l1(tile));
    return at < tile->kind->l1_bytes && tile->l1[at] == layout->RUN_MSG_GO;
}

/* Finds out what was launched, when the kernels do something for the first time. */
static void know_launch(const struct check_scene *scene)
{
    struct checks *checks = scene->checks;
    struct tile *tile = scene->tile;
    struct check_tile *own = scene->own;
    if (own->is_known) {
        return;
    }
    const struct loader_layout *layout = check_layout(scene);
    own->launched.base = 0;
    checks->findings.blind += !layout && tile->kind->type == TILE_TENSIX;
    if (layout && tile->kind->type == TILE_TENSIX && is_running(layout, tile)) {
        own->knows_programs = false;
        check_read_launch(scene);
        own->first_stream = metal_first_buffer_stream(layout);
        checks->findings.launches += own->is_known;
        check_buffers_begin(scene);
        check_memory_begin(scene);
        check_races_begin(scene);
        if (checks->uninit) {
            check_rows_begin(scene);
        }
        if (follows_state(checks)) {
            check_config_begin(scene);
        }
    }
}

/* Does the hart tell others that its kernel has ended? */
static bool ends_kernel(const struct check_scene *scene)
{
    static const uint8_t sync_of[RV32_CORES] = {
        [RV32_NC] = 0, [RV32_T0] = 1, [RV32_T1] = 2, [RV32_T2] = 3};
    const struct loader_layout *layout = metal_layout(scene->checks->chip, scene->tile);
    uint32_t address = (uint32_t)scene->event->address;
    if (!layout) {
        return false;
    }
    if (scene->hart == RV32_B) {
        return address == loader_go_signal(layout, metal_l1(scene->tile)) &&
               scene->tile->l1[address] == layout->RUN_MSG_DONE;
    }
    const struct loader_member *sync = &layout->mailboxes_subordinate_sync;
    return address == layout->mailbox_base + sync->offset + sync_of[scene->hart] &&
           scene->tile->l1[address] == layout->RUN_SYNC_MSG_DONE;
}

/* A hart has stored to its local RAM. */
static void check_local_stored(const struct check_scene *scene)
{
    const unsigned buffer = check_buffers_sized(scene);
    if (buffer < LOADER_MOST_BUFFERS) {
        know_launch(scene);
        check_buffers_resize(scene, buffer);
    }
}

static void end_kernel(const struct check_scene *scene)
{
    check_noc_ended(scene);
    check_credits_ended(scene);
    if (scene->hart == RV32_B) { /* it waits for the others */
        check_races_ended(scene);
        check_config_ended(scene);
        check_buffers_ended(scene);
        scene->own->is_known = false;
        scene->own->memory.changes = 0; /* the kernels' code may go */
        check_buffers_forget(scene->own);
        scene->own->launched.buffers = 0;
        scene->own->unreads = 0;
    }
}

/* --- Events --- */

/* The hart that acts, or that has pushed the instruction of the unit that does. */
static unsigned hart_of(const struct observed *event)
{
    bool is_packet = event->kind == OBSERVED_SENT || event->kind == OBSERVED_DELIVERED;
    unsigned agent = is_packet ? event->asker : event->agent;
    if (agent <= OBSERVED_NCRISC) {
        return agent;
    }
    bool is_unit = agent >= OBSERVED_UNPACKER && agent <= OBSERVED_SCALAR_UNIT;
    return is_unit && event->thread < OBSERVED_NO_THREAD ? RV32_T0 + event->thread : CHECK_NO_HART;
}

static bool follows_races(const struct check_scene *scene)
{
    return scene->checks->does[CHECK_RACES] && scene->tile->kind->type == TILE_TENSIX;
}

static void check_packet(const struct check_scene *scene)
{
    if (scene->event->kind == OBSERVED_DELIVERED) {
        check_noc_answered(scene);
        return;
    }
    know_launch(scene);
    if (follows_races(scene) && scene->event->packet <= NOC_ATOMIC) {
        check_races_sent(scene);
    }
    if (scene->event->packet > NOC_ATOMIC || !check_is_of_kernel(scene, scene->event->pc)) {
        return;
    }
    check_noc_sent(scene);
    if (scene->checks->does[CHECK_NOC]) {
        check_credits_sent(scene);
    }
    if (scene->checks->does[CHECK_MEMORY]) {
        check_memory_sent(scene);
    }
    if (scene->checks->does[CHECK_BUFFERS] && scene->event->back < scene->tile->kind->l1_bytes) {
        check_buffers_access(scene);
    }
}

static void check_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    if (scene->checks->does[CHECK_MEMORY]) {
        check_memory_access(scene);
    }
    if (scene->checks->does[CHECK_NOC] && event->agent <= OBSERVED_NCRISC &&
        event->kind == OBSERVED_READ) {
        check_noc_loaded(scene);
    }
    uint32_t streams = scene->tile->kind->streams * STEP_STREAM;
    if (follows_races(scene)) {
        check_races_access(scene);
    }
    if (follows_state(scene->checks) && event->agent <= OBSERVED_NCRISC &&
        event->kind == OBSERVED_WRITTEN && event->address >= AT_MOP_CFG) {
        know_launch(scene);
        check_config_stored(scene);
    }
    if (event->address < scene->tile->kind->l1_bytes) {
        if (event->agent <= OBSERVED_NCRISC && event->kind == OBSERVED_WRITTEN &&
            ends_kernel(scene)) {
            end_kernel(scene);
            return;
        }
        if (scene->checks->does[CHECK_NOC]) {
            check_noc_access(scene);
        }
        if (scene->checks->does[CHECK_BUFFERS]) {
            check_buffers_access(scene);
        }
    } else if (event->address - OVERLAY_REGISTERS_ADDRESS < streams) {
        know_launch(scene);
        check_buffers_register(scene, check_is_of_kernel(scene, event->pc));
    } else if (event->address - AT_NIU < GRID_NOCS * STEP_NIU) {
        if (event->kind == OBSERVED_READ) {
            check_noc_looked(scene);
        } else {
            check_noc_prepares(scene);
        }
    }
}

static void check_starts(const struct check_scene *scene)
{
    struct check_tile *own = scene->own;
    const uint32_t word = scene->event->word;
    own->word[scene->hart] = word;
    own->insn[scene->hart] = NULL;
    if (!own->is_known && check_has_opcode(word, RV32_ROW_JALR) &&
        check_instruction(scene)->row == RV32_ROW_JALR) {
        know_launch(scene); /* firmware calls a kernel */
    }
    if (own->waits[scene->hart]) {
        bool waits_for_noc = check_noc_starts(scene), waits_for_pages = check_asked_starts(scene);
        own->waits[scene->hart] = waits_for_noc || waits_for_pages;
    }
    if (check_has_opcode(word, RV32_ROW_FENCE) || check_has_opcode(word, RV32_ROW_AMOADD_W)) {
        check_cache_starts(scene);
    }
    check_memory_starts(scene);
    if (scene->checks->uninit) {
        check_uninit_starts(scene);
    }
}

static void check_unit(const struct check_scene *scene)
{
    if (scene->checks->uninit) {
        check_uninit_rows(scene);
    }
    if (scene->checks->uninit && !scene->event->work->continues) {
        check_uninit_unit_over(scene);
    }
    if (follows_races(scene)) {
        check_races_unit(scene);
    }
    if (follows_state(scene->checks)) {
        know_launch(scene);
        check_config_unit(scene);
    }
    if (scene->checks->does[CHECK_CONFIG]) {
        check_ignored_unit(scene);
    }
    if (scene->checks->does[CHECK_BUFFERS]) {
        check_buffers_unit(scene);
    }
    if (scene->checks->uninit) {
        check_rows_unit(scene);
    }
}

static void check_finished(const struct check_scene *scene)
{
    check_memory_finished(scene);
    if (scene->checks->uninit) {
        check_uninit_finished(scene);
    }
}

/* Does a hart store to Dst? */
static bool stores_to_dst(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    return event->kind == OBSERVED_WRITTEN && event->agent <= OBSERVED_NCRISC && !event->is_gddr &&
           scene->tile->kind->type == TILE_TENSIX &&
           tile_is_dst(scene->tile, (enum tile_agent)scene->hart, (uint32_t)event->address);
}

/* Also what other tiles and hosts do. */
static void check_definedness(const struct check_scene *scene)
{
    switch (scene->event->kind) {
    case OBSERVED_READ:
    case OBSERVED_WRITTEN:
    case OBSERVED_LOADED:
        check_uninit_access(scene);
        if (stores_to_dst(scene)) {
            check_rows_lost(scene);
        }
        return;
    case OBSERVED_SENT:
        check_uninit_sent(scene);
        return;
    default:
        return;
    }
}

/* Also what other tiles do. */
static void check_arrivals(const struct check_scene *scene)
{
    bool is_access = scene->event->kind == OBSERVED_READ || scene->event->kind == OBSERVED_WRITTEN;
    if (is_access) {
        check_cache_access(scene);
    }
    if (is_access || scene->event->kind == OBSERVED_SENT) {
        check_credits_access(scene);
    }
}

/* The NoC has written memory or a register of the tile. */
static void check_arrived(const struct check_scene *scene)
{
    if (scene->checks->does[CHECK_NOC]) {
        check_noc_arrived(scene);
    }
    if (scene->checks->does[CHECK_RACES]) {
        check_races_arrived(scene);
        check_unread_brought(scene);
    }
    if (scene->checks->does[CHECK_MEMORY]) {
        check_memory_arrived(scene);
    }
}

/* Does a hart read or write its own local RAM? */
static bool is_local(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    return (event->kind == OBSERVED_READ || event->kind == OBSERVED_WRITTEN) &&
           event->agent <= OBSERVED_NCRISC &&
           event->address - RV32_LOCAL_BASE < scene->tile->hart[scene->hart].told_local_size;
}

static void check_local(const struct check_scene *scene)
{
    if (scene->checks->uninit) {
        check_uninit_access(scene);
    }
    if (scene->checks->does[CHECK_MEMORY]) {
        check_memory_access(scene);
    }
    if (scene->checks->does[CHECK_NOC]) {
        check_noc_local(scene);
    }
    if (scene->checks->does[CHECK_BUFFERS] && scene->event->kind == OBSERVED_WRITTEN) {
        check_local_stored(scene);
    }
}

/* Does a hart push an instruction to the coprocessor? */
static bool is_push(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    return event->kind == OBSERVED_WRITTEN && event->agent <= OBSERVED_NCRISC &&
           event->address - RV32_PUSH_BASE < RV32_PUSH_END - RV32_PUSH_BASE;
}

static void check_push(const struct check_scene *scene)
{
    if (scene->checks->uninit) {
        check_uninit_access(scene);
    }
    if (follows_races(scene)) {
        check_races_pushed(scene);
    }
    if (follows_state(scene->checks)) {
        know_launch(scene);
    }
}

static void see_other(const struct check_scene *scene, bool is_own)
{
    const struct checks *checks = scene->checks;
    const struct tile *tile = scene->tile;
    const struct observed *event = scene->event;
    if (checks->uninit && (scene->own || !is_own)) {
        check_definedness(scene);
    }
    if (checks->does[CHECK_NOC] && (scene->own || !is_own)) {
        check_arrivals(scene);
    }
    if (checks->does[CHECK_NOC] && event->kind == OBSERVED_DELIVERED &&
        event->packet <= NOC_ATOMIC) {
        check_noc_delivered(scene);
    }
    if (checks->does[CHECK_BUFFERS] && event->kind == OBSERVED_WRITTEN && !event->is_gddr &&
        event->address < tile->kind->l1_bytes) {
        check_buffers_written(scene);
    }
    bool has_arrived = event->agent == OBSERVED_NOC && event->kind == OBSERVED_WRITTEN;
    if (has_arrived && !event->is_gddr && scene->own) {
        check_arrived(scene);
    }
    if (!is_own || !scene->own || event->kind == OBSERVED_LOADED) {
        return;
    }
    if (scene->own->unreads && event->kind != OBSERVED_DELIVERED) {
        check_unread_access(scene);
    }
    if (event->kind == OBSERVED_POLLS || event->kind == OBSERVED_GOES_ON) {
        if (event->thread == OBSERVED_NO_THREAD) {
            check_cache_polls(scene);
        }
    } else if (event->kind == OBSERVED_SENT || event->kind == OBSERVED_DELIVERED) {
        check_packet(scene);
    } else if (event->kind == OBSERVED_EXPANDS) {
        know_launch(scene);
        check_config_expands(scene);
    } else {
        check_access(scene);
    }
}

static bool see(void *context, struct tile *tile, const struct observed *event)
{
    struct checks *checks = context;
    struct check_scene scene = {
        .checks = checks, .tile = tile, .event = event, .at = tile, .hart = hart_of(event)};
    bool is_own = scene.hart < RV32_CORES && !event->is_gddr && tile->kind->type != TILE_DRAM;
    scene.own = checks->tile[tile->node];
    if (is_own && !scene.own) {
        scene.own = check_take_tile(checks, tile);
    }
    checks->others = 0;
    if (!is_own || !scene.own) {
        see_other(&scene, is_own);
    } else if (event->kind == OBSERVED_STARTS) {
        check_starts(&scene);
    } else if (event->kind == OBSERVED_FINISHED) {
        check_finished(&scene);
    } else if (event->kind == OBSERVED_UNIT) {
        check_unit(&scene);
    } else if (is_local(&scene)) {
        check_local(&scene);
    } else if (is_push(&scene)) {
        check_push(&scene);
    } else {
        see_other(&scene, is_own);
    }
    return false;
}

/* --- Beginning and end --- */

static void free_checks(void *context)
{
    struct checks *checks = context;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        if (checks->tile[i]) {
            check_buffers_forget(checks->tile[i]);
            check_races_free(checks->tile[i]->races);
            check_rows_free(checks->tile[i]->rows);
            free(checks->tile[i]->config);
        }
        free(checks->tile[i]);
    }
    check_uninit_free(checks);
    check_ranges_free(checks);
    check_config_free(checks);
    findings_end(&checks->findings);
    free(checks->credits);
    free(checks->heard);
    free(checks->decoded);
    free(checks);
}

enum penrose_status chip_check(struct penrose_chip *chip, const char *names,
                               struct penrose_error *error)
{
    struct checks *checks = calloc(1, sizeof *checks);
    if (!checks) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for checks");
    }
    checks->chip = chip;
    checks->is_late = chip->head.time.now > 0;
    checks->observer = (struct observer){
        .kinds = 1 << OBSERVED_READ | 1 << OBSERVED_WRITTEN | 1 << OBSERVED_SENT |
                 1 << OBSERVED_DELIVERED,
        .lets_sleep = true,
        .asks = true,
        .see = see,
        .context = checks,
    };
    checks->judge = (struct chip_judge){
        .fault = check_fault, .free = free_checks, .context = checks, .next = chip->judges};
    struct check_settings settings;
    enum penrose_status status = check_settings_parse(names, &settings, error);
    memcpy(checks->does, settings.does, sizeof checks->does);
    status = status ? status : findings_begin(&checks->findings, &settings, error);
    checks->observer.kinds |=
        checks->does[CHECK_NOC] ? 1 << OBSERVED_POLLS | 1 << OBSERVED_GOES_ON : 0;
    bool wants_units =
        checks->does[CHECK_RACES] || checks->does[CHECK_BUFFERS] || follows_state(checks);
    checks->observer.kinds |= (unsigned)wants_units << OBSERVED_UNIT;
    checks->observer.kinds |= (unsigned)follows_state(checks) << OBSERVED_EXPANDS;
    if (checks->does[CHECK_UNINIT] && checks->is_late) {
        status = error_set(error, PENROSE_E_STATE,
                           "the check uninit does not know what was written before it began: turn "
                           "it on before the first cycle, or name the other checks only");
    } else if (checks->does[CHECK_UNINIT]) {
        checks->observer.kinds |= 1 << OBSERVED_LOADED | 1 << OBSERVED_UNIT;
        status = check_uninit_make(checks)
                     ? status
                     : error_set(error, PENROSE_E_MEMORY, "no memory for checks");
    }
    if (checks->does[CHECK_MEMORY] || checks->does[CHECK_UNINIT] || checks->does[CHECK_NOC] ||
        checks->does[CHECK_BUFFERS]) {
        checks->decoded = calloc(CHECK_DECODED, sizeof *checks->decoded);
        bool follows_results = checks->does[CHECK_MEMORY] || checks->does[CHECK_UNINIT];
        checks->observer.kinds |= 1 << OBSERVED_STARTS | (unsigned)follows_results
                                                             << OBSERVED_FINISHED;
        status =
            checks->decoded ? status : error_set(error, PENROSE_E_MEMORY, "no memory for checks");
    }
    bool is_of_core_only = true;
    for (unsigned i = CHECK_CORE + 1; i < CHECKS; i++) {
        is_of_core_only &= !checks->does[i];
    }
    checks->findings.is_of_core_only = is_of_core_only;
    status = status || is_of_core_only ? status : chip_observe(chip, &checks->observer, error);
    if (status != PENROSE_OK) {
        findings_drop(&checks->findings);
        free_checks(checks);
        return status;
    }
    chip->judges = &checks->judge;
    return PENROSE_OK;
}

static struct checks *checks_of(const struct penrose_chip *chip)
{
    const struct chip_judge *judge = chip->judges;
    while (judge && judge->fault != check_fault) {
        judge = judge->next;
    }
    return judge ? judge->context : NULL;
}

bool check_allocated(struct penrose_chip *chip, const struct check_allocation *allocation)
{
    struct checks *checks = checks_of(chip);
    return !checks || !checks->does[CHECK_MEMORY] || check_ranges_add(checks, allocation);
}

/* Of programs that run firmware it is known where their kernels end. */
void check_programs_ended(struct penrose_chip *chip)
{
    struct checks *checks = checks_of(chip);
    const struct observed event = {.kind = OBSERVED_FINISHED, .cycle = chip->head.time.now};
    for (unsigned i = 0; checks && i < NOC_NODES; i++) {
        const struct check_scene scene = {
            .checks = checks, .tile = chip->place[i].tile, .own = checks->tile[i], .event = &event};
        if (scene.tile && scene.own && !scene.own->is_known && !metal_layout(chip, scene.tile)) {
            check_races_ended(&scene);
        }
    }
}

bool check_tell(struct penrose_chip *chip, struct check_result *result)
{
    const struct checks *checks = checks_of(chip);
    if (!checks) {
        return false;
    }
    const struct findings *findings = &checks->findings;
    result->findings = findings_reported(findings);
    result->is_blind = findings_are_blind(findings);
    findings_summary(findings, result->text, sizeof result->text);
    return true;
}
