/* Numbers of the registers of an overlay stream: OVERLAY_CURR_PHASE and so on. */
#ifndef ARCH_OVERLAY_H
#define ARCH_OVERLAY_H

enum overlay_register {
#define REG(bank, offset, words, name, kind, traits) OVERLAY_##name = (offset) / 4,
#include "overlay.def"
};

#endif
