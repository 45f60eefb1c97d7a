/* What checks report, see check.h. */
#include "observe/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "metal/firmware.h"
#include "tile/fault.h"

static const enum check_kind check_of[PENROSE_FAULT_KINDS] = {
    [PENROSE_FAULT_NOC_BUSY] = CHECK_NOC,           [PENROSE_FAULT_NOC_UNWAITED] = CHECK_NOC,
    [PENROSE_FAULT_NOC_SOURCE] = CHECK_NOC,         [PENROSE_FAULT_NOC_OPEN] = CHECK_NOC,
    [PENROSE_FAULT_NOC_ORDER] = CHECK_NOC,          [PENROSE_FAULT_NOC_COUNT] = CHECK_NOC,
    [PENROSE_FAULT_STALE_LOAD] = CHECK_NOC,         [PENROSE_FAULT_CB_COUNT] = CHECK_BUFFERS,
    [PENROSE_FAULT_CB_ACCESS] = CHECK_BUFFERS,      [PENROSE_FAULT_CB_FORMAT] = CHECK_BUFFERS,
    [PENROSE_FAULT_NULL_ACCESS] = CHECK_MEMORY,     [PENROSE_FAULT_CODE_OVERWRITTEN] = CHECK_MEMORY,
    [PENROSE_FAULT_STACK_OVERFLOW] = CHECK_MEMORY,  [PENROSE_FAULT_RETURN_ADDRESS] = CHECK_MEMORY,
    [PENROSE_FAULT_ARGUMENT_RANGE] = CHECK_MEMORY,  [PENROSE_FAULT_OUT_OF_BOUNDS] = CHECK_MEMORY,
    [PENROSE_FAULT_UNDEFINED_DATA] = CHECK_UNINIT,  [PENROSE_FAULT_CONFIG_LEAK] = CHECK_CONFIG,
    [PENROSE_FAULT_CONFIG_UNSET] = CHECK_CONFIG,    [PENROSE_FAULT_DST_SECTION] = CHECK_CONFIG,
    [PENROSE_FAULT_TENSIX_DOUBTFUL] = CHECK_CONFIG, [PENROSE_FAULT_RACE_DST] = CHECK_RACES,
    [PENROSE_FAULT_RACE_L1] = CHECK_RACES,          [PENROSE_FAULT_CONFIG_RACE] = CHECK_RACES,
    [PENROSE_FAULT_GPR_HAZARD] = CHECK_RACES,       [PENROSE_FAULT_RACE_OPEN] = CHECK_RACES,
    [PENROSE_FAULT_RACE_STATE] = CHECK_RACES,       [PENROSE_FAULT_MOP_RACE] = CHECK_RACES,
};

/* The lines of an instruction, the innermost first, cut out of `text`. */
static unsigned find_lines(const struct check_scene *scene, uint32_t pc, char *text, size_t size,
                           char *line[FINDING_LINES])
{
    static const char between[] = ", inlined at ";
    const struct tile *tile = scene->tile;
    char source[256];
    chip_locate(scene->checks->chip, tile->x, tile->y, pc, NULL, 0, source, sizeof source);
    int used = snprintf(text, size, "%s", source);
    images_calls_text(chip_images(scene->checks->chip), tile->x, tile->y, pc, true, text + used,
                      size - (size_t)used);
    unsigned count = 0;
    char *calls = strstr(text, between);
    if (calls) {
        *calls = '\0';
        calls += sizeof between - 1;
    }
    line[count++] = text;
    for (char *comma; calls && count < FINDING_LINES; calls = comma) {
        line[count++] = calls;
        comma = strstr(calls, ", ");
        if (comma) {
            *comma = '\0';
            comma += 2;
        }
    }
    return *text ? count : 0;
}

void check_concerns(const struct check_scene *scene, unsigned hart, uint32_t pc)
{
    struct checks *checks = scene->checks;
    if (checks->others < FINDING_OTHERS && pc) {
        checks->other[checks->others++] =
            (struct finding_other){tile_agent_name((enum tile_agent)hart), pc};
    }
}

/* Who else has to do with a finding, if it is reported and that was not known when it was found. */
static void add_others(struct checks *checks, unsigned index)
{
    struct finding *finding = index < FINDINGS ? &checks->findings.finding[index] : NULL;
    if (finding && finding->others == 0) {
        finding->others = checks->others;
        memcpy(finding->other, checks->other, sizeof finding->other);
    }
}

static unsigned find_or_add(const struct check_scene *scene, const struct check_told *told,
                            const struct tile_fault *fault, bool stops, bool *is_new)
{
    const struct tile *tile = scene->tile;
    char function[128] = "", source[256], lines[4096];
    char message[sizeof fault->text];
    memcpy(message, fault->text, sizeof message);
    chip_name_places(scene->checks->chip, tile->x, tile->y, message, sizeof message);
    struct finding finding = {.kind = told->kind,
                              .is_of_check = fault->is_of_check,
                              .stops = stops,
                              .hart = tile_agent_name((enum tile_agent)told->hart),
                              .x = tile->x,
                              .y = tile->y,
                              .launch = told->launch,
                              .pc = told->pc,
                              .message = message,
                              .function = function};
    chip_locate(scene->checks->chip, tile->x, tile->y, told->pc, function, sizeof function, source,
                sizeof source);
    function[strcspn(function, "+")] = '\0';
    finding.lines = find_lines(scene, told->pc, lines, sizeof lines, finding.line);
    return findings_add(&scene->checks->findings, &finding, is_new);
}

void check_know_programs(const struct check_scene *scene)
{
    struct penrose_chip *chip = scene->checks->chip;
    const struct tile *tile = scene->tile;
    struct check_tile *own = scene->own;
    const unsigned forgettings = chip->head.images.forgettings;
    bool knows = own && own->knows_programs && own->forgettings == forgettings;
    if (own && !knows && chip->head.find_programs) {
        own->knows_programs = true;
        own->forgettings = forgettings;
        images_forget_found(&chip->head.images, tile->x, tile->y);
        chip->head.find_programs(chip->head.find_context, tile->x, tile->y);
    }
}

/* A fault that was told before, here or on another tile; NULL: it was not. */
static const struct check_told *find_told(const struct checks *checks,
                                          const struct check_told *told)
{
    for (unsigned i = 0; i < CHECK_TOLD; i++) {
        const struct check_told *other = &checks->told[i];
        if (other->is_there && other->kind == told->kind && other->hart == told->hart &&
            other->pc == told->pc && other->launch == told->launch &&
            other->program == told->program && other->is_of_check == told->is_of_check) {
            return other;
        }
    }
    return NULL;
}

/* True: nobody has heard of it. */
static bool take_finding(const struct check_scene *scene, const struct check_told *told,
                         const struct tile_fault *fault, bool stops)
{
    struct checks *checks = scene->checks;
    const struct check_told *before = find_told(checks, told);
    if (before) {
        if (before->finding < FINDINGS) {
            checks->findings.finding[before->finding].count++;
        }
        add_others(checks, before->finding);
        return false;
    }
    struct check_told *kept = &checks->told[checks->tellings++ % CHECK_TOLD];
    bool is_new;
    *kept = *told;
    kept->finding = find_or_add(scene, told, fault, stops, &is_new);
    add_others(checks, kept->finding);
    return is_new;
}

static struct check_told told_of(const struct check_scene *scene, const struct tile_fault *fault)
{
    check_know_programs(scene);
    return (struct check_told){.is_there = true,
                               .is_of_check = fault->is_of_check,
                               .kind = fault->kind,
                               .hart = fault->agent,
                               .pc = fault->pc,
                               .launch = scene->own ? scene->own->launched.id : 0,
                               .program = check_program_at(scene, fault->pc)};
}

/* The instructions that the core's text names. */
static void note_named(const struct check_scene *scene, const char *text)
{
    struct checks *checks = scene->checks;
    struct chip_named_place named = chip_next_place(text);
    for (; named.at && checks->others < FINDING_OTHERS; named = chip_next_place(text)) {
        checks->other[checks->others++] = (struct finding_other){named.hart, named.pc};
        text = named.at + named.length;
    }
}

bool check_fault(void *context, const struct chip_fault *record)
{
    struct checks *checks = context;
    struct penrose_chip *chip = checks->chip;
    const struct tile_fault *fault = &record->fault;
    uint16_t place;
    if (fault->is_of_check || !chip_find(chip, record->x, record->y, &place) ||
        !chip->place[place].tile) {
        return true;
    }
    struct tile *tile = chip->place[place].tile;
    const struct check_scene scene = {
        .checks = checks, .tile = tile, .own = check_take_tile(checks, tile), .hart = fault->agent};
    if (fault->kind == PENROSE_FAULT_NOC_OPEN && checks->does[CHECK_NOC] &&
        metal_layout(chip, tile)) {
        return false; /* the check has seen more */
    }
    if (!scene.own) {
        return true; /* no memory */
    }
    const bool is_known = scene.own->is_known;
    const struct loader_launched launched = scene.own->launched;
    if (!is_known || checks->findings.is_of_core_only) {
        check_read_launch(&scene);
    }
    bool is_wanted = findings_want(&checks->findings, record->x, record->y, scene.own->launched.id);
    const struct check_told told = told_of(&scene, fault);
    checks->others = 0;
    note_named(&scene, fault->text);
    is_wanted = is_wanted && take_finding(&scene, &told, fault, record->policy == PENROSE_STOP);
    if (!checks->findings.is_of_core_only) { /* checks learn of launches by themselves */
        scene.own->is_known = is_known;
        scene.own->launched = launched;
    }
    return is_wanted;
}

uint64_t check_program_at(const struct check_scene *scene, uint32_t pc)
{
    const struct image *image =
        images_find(chip_images(scene->checks->chip), scene->tile->x, scene->tile->y, pc);
    return image ? finding_hash(0, loader_elf_path(image->elf)) : 0;
}

/* The policy of a finding is to stop. The tile at fault may not be the one that runs. */
static void stop_tile(const struct check_scene *scene)
{
    const enum observed_agent agent = scene->event->agent;
    chip_touch(scene->checks->chip, scene->tile->node);
    if (scene->tile == scene->at && agent <= OBSERVED_NCRISC) {
        rv32_cut(&scene->tile->hart[agent], scene->event->cycle + 1);
    }
}

void check_report(const struct check_scene *scene, enum penrose_fault_kind kind, unsigned hart,
                  uint32_t pc, uint32_t address, const char *format, ...)
{
    if (scene->checks->does[check_of[kind]] &&
        findings_want(&scene->checks->findings, scene->tile->x, scene->tile->y,
                      scene->own->launched.id)) {
        char text[sizeof((struct tile_fault *)0)->text];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        struct tile_fault fault =
            tile_fault_of(scene->tile, kind, (enum tile_agent)hart, pc, scene->event->cycle, text);
        fault.is_of_check = true;
        fault.address = address;
        const struct check_told told = told_of(scene, &fault);
        if (take_finding(scene, &told, &fault, false) &&
            tile_fault(scene->tile, &fault) == PENROSE_STOP) {
            stop_tile(scene);
        }
    }
    scene->checks->others = 0; /* the next report is about others */
}

const char *check_place(const struct check_scene *scene, unsigned hart, uint32_t pc,
                        char text[CHECK_PLACE])
{
    check_know_programs(scene);
    check_concerns(scene, hart, pc);
    return chip_place_text(scene->checks->chip, scene->tile->x, scene->tile->y,
                           tile_agent_name((enum tile_agent)hart), pc, text);
}
