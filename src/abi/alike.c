/* Mistakes that many tiles make, see abi/alike.h. */
#include "abi/alike.h"

bool alike_has(struct alike *alike, const struct penrose_fault *fault)
{
    for (unsigned i = 0; i < alike->groups; i++) {
        struct alike_group *group = &alike->group[i];
        bool is_elsewhere = group->first.x != fault->x || group->first.y != fault->y;
        if (is_elsewhere && group->others < ALIKE_TILES &&
            penrose_fault_alike(&group->first, fault)) {
            group->other[group->others++] = (struct penrose_place){fault->x, fault->y};
            return true;
        }
    }
    if (alike->groups < ALIKE_GROUPS) {
        struct alike_group *group = &alike->group[alike->groups++];
        group->first = *fault;
        group->others = 0;
    }
    return false;
}
