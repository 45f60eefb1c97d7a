/* `penrose run --ttx FILE`: runs an image of tt-burnin on all tiles of the options, and shows what
 * each unit of the coprocessor did. */
#ifndef CLI_TTX_H
#define CLI_TTX_H

#include "cli/machine_options.h"

/* Such images never end: without --max-cycles they run for so many cycles. */
#define TTX_CYCLES UINT64_C(1000000)

/* `workers`: so many besides the tiles of `machine`. */
enum cli_exit ttx_run(struct cli *cli, struct machine_options *machine, const char *path,
                      unsigned workers);

#endif
