/* Mistakes that many tiles make, see abi/alike.h. */
#include "abi/alike.h"

/* Notes where it was made, on other tiles once; false when there is no room. */
static bool group_add(struct alike_group *group, struct penrose_place place)
{
    bool is_here = group->first.x == place.x && group->first.y == place.y;
    for (unsigned i = 0; i < group->others && !is_here; i++) {
        if (group->other[i].x == place.x && group->other[i].y == place.y) {
            return true;
        }
    }
    if (group->others == ALIKE_PLACES) {
        return false;
    }
    group->other[group->others++] = place;
    return true;
}

bool alike_has(struct alike *alike, const struct penrose_fault *fault)
{
    for (unsigned i = 0; i < alike->groups; i++) {
        struct alike_group *group = &alike->group[i];
        if (penrose_fault_alike(&group->first, fault)) {
            return group_add(group, (struct penrose_place){fault->x, fault->y});
        }
    }
    if (alike->groups < ALIKE_GROUPS) {
        struct alike_group *group = &alike->group[alike->groups++];
        group->first = *fault;
        group->others = 0;
    }
    return false;
}
