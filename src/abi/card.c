/* The card of this copy of the library; local.mk compiles this file once for each. */
#include "abi/card.h"

const char abi_default_card[] = PENROSE_DEFAULT_CARD;
