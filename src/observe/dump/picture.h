/* Matrices as pictures: PNG in text, for pages without outside references. */
#ifndef OBSERVE_PICTURE_H
#define OBSERVE_PICTURE_H

#include <stdio.h>

enum { PICTURE_MOST = 1 << 16 /* pixels */ };

/*
 * Writes the "data:image/png;base64,..." of a matrix, row by row, at most PICTURE_MOST data: white is
 * 0, red above and blue below, full at +-`most`; green: infinite or not a number.
 */
void picture_put(FILE *file, const float *data, unsigned rows, unsigned columns, float most);

#endif
