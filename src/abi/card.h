/*
 * The card of the library if PENROSE_CARD names none: that of the folder from which it was loaded.
 * lib/penrose/p150a/libttsim.so is a link to the one library, beside the descriptor of that card.
 *
 * UMD loads the library from its folder only to see whether there is a device, unloads it, and then
 * loads a copy for each device from an anonymous file, whose path says nothing. So a library that
 * knows its card leaves a note in the process for later copies: a mapping whose name, in
 * /proc/self/maps, is that of the card. A variable of the library would disappear with it, and an
 * environment variable cannot be set while other threads may read the environment.
 */
#ifndef ABI_CARD_H
#define ABI_CARD_H

/*
 * By the path of the library; by the note of one that was loaded before; by TT_METAL_SIMULATOR, which
 * has the path in tt-metal's processes; else the first of the cards. Lives as long as the library.
 */
const char *abi_default_card(void);

#endif
