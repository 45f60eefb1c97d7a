/*
 * Host errors: mistakes of the library's caller, and resources that it could not get.
 *
 * A function that can fail returns an enum penrose_status. If it is not PENROSE_OK, *error (unless
 * NULL) has that status, and a message that names the cause and the remedy. Otherwise *error stays
 * as it is. A mistake of the emulated program is a fault of the chip: penrose/penrose.h.
 */
#ifndef PENROSE_ERROR_H
#define PENROSE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum penrose_status {
    PENROSE_OK = 0,
    PENROSE_E_ARGUMENT, /* a parameter is out of its documented range */
    PENROSE_E_FILE,     /* a file or directory is missing, or cannot be read or written */
    PENROSE_E_FORMAT,   /* a file was read, but is of the wrong kind or damaged */
    PENROSE_E_LAYOUT,   /* debug information lacks a type or a constant */
    PENROSE_E_MEMORY,   /* the host is out of memory */
    PENROSE_E_STATE,    /* the call does not fit the state of the object */
};

#define PENROSE_ERROR_TEXT 512

struct penrose_error {
    enum penrose_status status;
    char text[PENROSE_ERROR_TEXT]; /* one line, no newline at its end */
};

#ifdef __cplusplus
}
#endif
#endif
