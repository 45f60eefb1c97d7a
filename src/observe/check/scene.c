/* What checks ask of a scene, see check.h. */
#include "observe/check/check.h"

#include "metal/firmware.h"

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

void check_decode(const struct check_scene *scene)
{
    const struct checks *checks = scene->checks;
    const uint32_t word = scene->event->word;
    uint32_t vtype = scene->tile->hart[scene->hart].csr.vtype;
    struct check_decoded *known =
        &checks->decoded[(word ^ word >> 12 ^ word >> 22) % CHECK_DECODED];
    if (!known->is_there || known->word != word || known->vtype != vtype) {
        *known = (struct check_decoded){
            true, word, vtype,
            rv32_find_operands(rv32_code_store_index(checks->chip->store), word, vtype)};
    }
    scene->own->insn[scene->hart] = &known->operands;
}
