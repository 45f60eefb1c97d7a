/* ncrisc says where on the grid this tile is, as its NIU knows it. */
#include "kit/console.h"
#include "shared.h"

int main(void)
{
    unsigned node = REGISTER(NIU(0, 0, NIU_NOC_NODE_ID));
    print("this is tile (%u, %u)\n", node & 0x3f, node >> 6 & 0x3f);
    return 0;
}
