/* What a chip can move, for profiles. */
#ifndef OBSERVE_PROFILE_PEAKS_H
#define OBSERVE_PROFILE_PEAKS_H

struct penrose_chip;

/* Bytes a cycle; 0: not known, as without the chip. */
struct profile_peaks {
    unsigned niu;  /* through the NIU of a tile, in one direction */
    unsigned dram; /* by all banks of GDDR */
};

/* As the costs of its timed runs have it. */
struct profile_peaks profile_peaks(const struct penrose_chip *chip);

#endif
