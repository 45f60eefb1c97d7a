/* What checks ask of a scene, see check.h. */
#include "observe/check/check.h"

#include <stdlib.h>

#include "addresses.h"
#include "metal/firmware.h"
#include "tile/access.h"

enum { MOST_SEARCHES = 8 /* for firmware that a host has written */ };

struct check_scene check_scene_at(const struct check_scene *scene, uint16_t node)
{
    struct check_scene there = *scene;
    there.tile = scene->checks->chip->place[node % NOC_NODES].tile;
    there.own = scene->checks->tile[node % NOC_NODES];
    return there;
}

bool check_is_of_kernel(const struct check_scene *scene, uint32_t pc)
{
    return scene->own->is_known ? pc >= scene->own->launched.base
                                : !metal_layout(scene->checks->chip, scene->tile);
}

bool check_is_gpr(const struct check_scene *scene, unsigned *thread, unsigned *gpr)
{
    const uint32_t offset = (uint32_t)scene->event->address - AT_GPR;
    return offset < END_GPR - AT_GPR &&
           tile_gpr_at((enum tile_agent)scene->hart, offset, thread, gpr);
}

uint32_t check_local_address(const struct check_scene *scene, unsigned *hart)
{
    const uint32_t address = (uint32_t)scene->event->address;
    enum rv32_core core;
    uint32_t at;
    const bool is_slow = tile_slow_local(address, &core, &at);
    *hart = is_slow ? (unsigned)core : scene->hart;
    return is_slow ? RV32_LOCAL_BASE + at : address;
}

static const struct rv32_operands *decode_word(const struct check_scene *scene, uint32_t word)
{
    const struct checks *checks = scene->checks;
    uint32_t vtype = scene->tile->hart[scene->hart].csr.vtype;
    struct check_decoded *known =
        &checks->decoded[(word ^ word >> 12 ^ word >> 22) % CHECK_DECODED];
    if (!known->is_there || known->word != word || known->vtype != vtype) {
        *known = (struct check_decoded){
            true, word, vtype,
            rv32_find_operands(rv32_code_store_index(checks->chip->store), word, vtype)};
    }
    return &known->operands;
}

const struct rv32_operands *check_instruction(const struct check_scene *scene)
{
    static const struct rv32_operands none = {.row = -1};
    const struct rv32_operands **insn = &scene->own->insn[scene->hart % RV32_CORES];
    if (scene->hart >= RV32_CORES || !scene->checks->decoded) {
        return &none;
    }
    *insn = *insn ? *insn : decode_word(scene, scene->own->word[scene->hart]);
    return *insn;
}

/* Without memory the tile is not checked. */
struct check_tile *check_take_tile(struct checks *checks, const struct tile *tile)
{
    struct check_tile **own = &checks->tile[tile->node];
    *own = *own || tile->kind->type == TILE_DRAM ? *own : calloc(1, sizeof **own);
    return *own;
}

const struct loader_layout *check_layout(const struct check_scene *scene)
{
    struct checks *checks = scene->checks;
    const struct loader_layout *layout = metal_layout(checks->chip, scene->tile);
    if (!layout && checks->chip->head.find_programs && checks->searches < MOST_SEARCHES) {
        checks->searches++;
        checks->chip->head.find_programs(checks->chip->head.find_context, scene->tile->x,
                                         scene->tile->y);
        layout = metal_layout(checks->chip, scene->tile);
    }
    return layout;
}

void check_read_launch(const struct check_scene *scene)
{
    const struct loader_layout *layout = check_layout(scene);
    struct check_tile *own = scene->own;
    if (layout && scene->tile->kind->type == TILE_TENSIX) {
        const uint32_t before = own->launched.id;
        loader_launched_read(layout, metal_l1(scene->tile), &own->launched);
        own->is_known = own->launched.base != 0;
        own->knows_programs &= own->launched.id == before;
    }
}
