/* Shared by the files that collect the parts of a dump. */
#ifndef OBSERVE_DUMP_PARTS_H
#define OBSERVE_DUMP_PARTS_H

#include "observe/dump/dump.h"

struct image;
struct tile;

/* A tile whose parts are collected. */
struct dump_scene {
    struct penrose_chip *chip;
    struct tile *tile;
    const struct penrose_firmware
        *firmware; /* of workers, where none was booted; NULL: not known */
    struct dump_tile *to;
};

/* Sets the member that the format names to a number. */
void dump_put(json_t *object, uint64_t value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a part and takes over its JSON; NULL is memory that ran out. Returns what can be said about
 * it. */
json_t *dump_add_json(struct dump_scene *scene, const char *name, json_t *json);

/* Adds a part with a copy of an array, whose shape ends with a 0 if it has fewer than three
 * dimensions. */
json_t *dump_add_array(struct dump_scene *scene, const char *name, enum loader_npy_kind kind,
                       unsigned size, const uint32_t shape[DUMP_DIMENSIONS], const void *data);

/* Adds an array that was made with the shape's number of elements. The dump takes it over. */
json_t *dump_add_made(struct dump_scene *scene, const char *name, struct loader_npy *array,
                      const uint32_t shape[DUMP_DIMENSIONS]);

/* Config, ThreadConfig and what they say; Dst, Src, LRegs; counters, gates (tensix.c). */
void dump_config(struct dump_scene *scene);
void dump_tensix(struct dump_scene *scene);
void dump_dst(struct dump_scene *scene);
void dump_src(struct dump_scene *scene);
void dump_lregs(struct dump_scene *scene);

/* Circular buffers and the use of L1 (buffers.c). */
void dump_buffers(struct dump_scene *scene);
void dump_l1_map(struct dump_scene *scene);

/* What an image is: "firmware", "kernel" or "program". */
const char *dump_role(const struct penrose_chip *chip, const struct image *image);

#endif
