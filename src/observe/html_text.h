/* Text in pages. */
#ifndef OBSERVE_HTML_TEXT_H
#define OBSERVE_HTML_TEXT_H

#include <stdio.h>

/* Writes the text with what HTML takes for its own replaced. NULL is no text. */
void html_text(FILE *file, const char *text);

#endif
