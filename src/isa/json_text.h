/* Texts in JSON. */
#ifndef ISA_JSON_TEXT_H
#define ISA_JSON_TEXT_H

#include <jansson.h>

/* A string of any bytes up to a 0: what is no UTF-8 becomes U+FFFD, as json_string would refuse the
 * whole. For all texts that are not literals. NULL: no memory, or `text` is NULL. */
json_t *json_text(const char *text);

#endif
