#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "epilogue.h"
#include "model.h"

#define SOFT_RESET    UINT64_C(0xffb121b0)
#define TRISC_PC      UINT64_C(0xffb12228) /* T0, T1, T2, then which of them are used */
#define TRISC_PC_USED 7

enum { HOLD = 0x47800 };

/* The worker knows which one. */
static const struct coordinates tile = {0, 0};

/* What STEP_FILLs put into L1. */
static void write_fills(struct request *request, const struct program *program)
{
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct step *step = &program->step[i];
        struct data_place place = data_place_of(step->word);
        uint8_t *bytes = step->kind == STEP_FILL && place.bytes ? malloc(place.bytes) : NULL;
        if (bytes) {
            data_fill(step, bytes);
            request_write(request, tile, place.address, bytes, place.bytes);
            free(bytes);
        } else if (step->kind == STEP_FILL && place.bytes) {
            request->ok = false;
        }
    }
}

static void make_request(struct request *request, const struct image *image)
{
    request_begin(request);
    request_write_word(request, tile, SOFT_RESET, HOLD);
    for (unsigned agent = 0; agent < GUEST_AGENTS; agent++) {
        const struct code *code = &image->code[agent];
        if (code->words) {
            request_write(request, tile, guest_code_address(agent), code->word, 4 * code->words);
        }
    }
    write_fills(request, image->program);
    for (unsigned thread = 0; thread < THREADS; thread++) {
        request_write_word(request, tile, TRISC_PC + 4 * thread, guest_code_address(thread));
    }
    request_write_word(request, tile, TRISC_PC + 4 * THREADS, TRISC_PC_USED);
    request_write_word(request, tile, SOFT_RESET, image->release);
    request_poll(request, tile, GUEST_FLAGS, image->clocks, GUEST_FLAG_UP);
    request_write_word(request, tile, SOFT_RESET, HOLD);
    request_read(request, tile, GUEST_DUMP, 4 * image->dump_words);
    if (image->program->scene) {
        struct epilogue_region region = epilogue_region(image->program);
        request_read(request, tile, region.address, region.bytes);
    }
    request_end(request);
}

bool run_start(struct side *side, const struct image *image, struct outcome *outcome)
{
    struct request request;
    outcome->ending = ENDED_NEVER_STARTED;
    make_request(&request, image);
    bool ok = request.ok;
    if (ok) {
        ok = side_start(side, &request, outcome->message);
    } else {
        snprintf(outcome->message, sizeof outcome->message, "out of memory");
    }
    request_free(&request);
    return ok;
}

void run_finish(struct side *side, const struct image *image, const struct state_map *map,
                struct outcome *outcome)
{
    uint32_t rows[SCENE_DST_BYTES / 4]; /* of Dst, as the Vector Unit's epilogue leaves them */
    bool vector = image->program->vector;
    uint32_t scene_bytes = epilogue_region(image->program).bytes;
    const struct iovec parts[] = {
        {outcome->dump, 4 * map->probes},
        {outcome->log, 4 * (image->dump_words - map->probes)},
        {vector ? rows : outcome->scene, scene_bytes},
    };
    memset(outcome->dump, 0, sizeof outcome->dump);
    memset(outcome->log, 0, sizeof outcome->log);
    memcpy(outcome->logs, image->logs, sizeof outcome->logs);
    outcome->scene_words = scene_bytes / 4;
    outcome->ending = side_finish(side, parts, sizeof parts / sizeof parts[0], outcome->message);
    if (vector && (outcome->ending == ENDED || outcome->ending == ENDED_NOT)) {
        epilogue_vector_order(rows, outcome->scene);
    }
}
