// Modes of SFPLOADI, which headers of every kernel name: see lltt.h.
#pragma once
#include "lltt.h"

namespace sfpi
{
constexpr unsigned SFPLOADI_MOD0_FLOATB = 0;
constexpr unsigned SFPLOADI_MOD0_USHORT = 2;
constexpr unsigned SFPLOADI_MOD0_SHORT = 4;
constexpr unsigned SFPLOADI_MOD0_UPPER = 8;
constexpr unsigned SFPLOADI_MOD0_LOWER = 10;
} // namespace sfpi
