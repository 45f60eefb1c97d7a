/* What a kind of chip can move, for profiles. */
#ifndef OBSERVE_PROFILE_PEAKS_H
#define OBSERVE_PROFILE_PEAKS_H

/* Bytes a cycle. */
struct profile_peaks {
    unsigned niu;  /* through the NIU of a tile, in one direction */
    unsigned dram; /* by all banks of GDDR */
};

/* As the costs of timed runs have it. */
struct profile_peaks profile_peaks(void);

#endif
