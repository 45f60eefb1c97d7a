/*
 * The card that a copy of the library is when PENROSE_CARD names none.
 *
 * Hosts copy the library to an anonymous file before they load it, so it cannot tell from its path
 * which configuration it belongs to. It is built once for each instead: the copies differ in this
 * one string.
 */
#ifndef ABI_CARD_H
#define ABI_CARD_H

extern const char abi_default_card[];

#endif
