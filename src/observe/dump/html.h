/* A dump as a page for a browser: one file that needs nothing else. */
#ifndef OBSERVE_DUMP_HTML_H
#define OBSERVE_DUMP_HTML_H

#include "observe/dump/dump.h"

struct dump_page;

/* Begins a page in the file `path`, about the dump of this manifest. PENROSE_E_FILE,
 * PENROSE_E_MEMORY. */
enum penrose_status dump_page_open(const char *path, const json_t *manifest,
                                   struct dump_page **page, struct penrose_error *error);

/* What is in a tile: harts, the use of L1, pictures of Dst, LRegs and circular buffers. */
void dump_page_add(struct dump_page *page, const struct dump_tile *tile);

/* Ends it and closes the file. PENROSE_E_FILE where not all could be written. */
enum penrose_status dump_page_close(struct dump_page *page, struct penrose_error *error);

#endif
