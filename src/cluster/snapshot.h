/*
 * Snapshots of clusters: all chips with their links, as bytes. A chip that stands alone is a cluster of
 * one. chip/snapshot.h has what of a chip is saved.
 *
 * A snapshot is a header and a zstd frame. The frame holds the chips, one after the other, then the
 * links of each, and then the hash of the header and of all that. A cluster is handed out only after its
 * hash was found right.
 *
 * All chips of a snapshot are of one kind, which the header names.
 */
#ifndef CLUSTER_SNAPSHOT_H
#define CLUSTER_SNAPSHOT_H

#include "chip/snapshot_stream.h"
#include "cluster/cluster.h"

enum { SNAPSHOT_VERSION = 5 };

/* Saves a cluster that does not run. PENROSE_E_STATE: it runs, or its chips are of several kinds.
 * PENROSE_E_FILE, PENROSE_E_MEMORY. */
enum penrose_status cluster_snapshot_save(struct penrose_cluster *cluster, const char *path,
                                          struct penrose_error *error);

/* The same in memory, which the caller frees. */
enum penrose_status cluster_snapshot_to_memory(struct penrose_cluster *cluster, void **bytes,
                                               size_t *size, struct penrose_error *error);

/* What a snapshot is made a cluster by. */
struct snapshot_loading {
    const struct chip_calls *const *kinds; /* that it may be of, and behind them NULL */
    unsigned threads;                      /* of the cluster; see cluster_create */
    bool is_timed;                         /* chips go on timed, whatever they were */
    const char *costs;                     /* of timed chips; NULL: the usual ones */
};

/* Makes a cluster, which is complete. PENROSE_E_FILE, PENROSE_E_FORMAT, PENROSE_E_MEMORY; *cluster is
 * NULL then. */
enum penrose_status cluster_snapshot_load(const struct snapshot_loading *loading, const char *path,
                                          struct penrose_cluster **cluster,
                                          struct penrose_error *error);
enum penrose_status cluster_snapshot_from_memory(const struct snapshot_loading *loading,
                                                 const void *bytes, size_t size,
                                                 struct penrose_cluster **cluster,
                                                 struct penrose_error *error);

/* --- Without header, compression and hash --- */

/* Puts chips and links. False when memory runs out. */
bool cluster_save(struct snapshot_writer *writer, struct penrose_cluster *cluster);

/* Makes a cluster of so many chips of a kind. On failure *cluster is NULL, and reader->status or *error
 * says why. */
enum penrose_status cluster_load(struct snapshot_reader *reader, const struct chip_calls *kind,
                                 unsigned chips, unsigned threads, struct penrose_cluster **cluster,
                                 struct penrose_error *error);

#endif
