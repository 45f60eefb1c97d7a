/* The file soc_descriptor.yaml that UMD and tt-metal want beside a simulator's library. */
#ifndef CLI_SOC_DESCRIPTOR_H
#define CLI_SOC_DESCRIPTOR_H

#include "cli/cli.h"

/* Prints the descriptor for a card to stdout; a message for an unknown card. */
enum cli_exit print_soc_descriptor(const struct cli *cli, const char *card);

#endif
