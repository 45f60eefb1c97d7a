/* Numbers of the registers of an overlay stream: OVERLAY_CURR_PHASE and so on. */
#ifndef ARCH_OVERLAY_H
#define ARCH_OVERLAY_H

enum overlay_register {
#define OVERLAY(index, words, name, bits, streams, kind) OVERLAY_##name = (index),
#include "overlay.def"
#undef OVERLAY
};

#endif
