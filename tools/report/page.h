/* An HTML page in one file: its style sheet, sections, figures and words. No script, nothing from elsewhere. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "report/svg.h"

void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* `words` below the title may be NULL. */
void page_section(FILE *out, const char *id, const char *title, const char *words);
void page_section_end(FILE *out);

/* A figure: title, what is written to `out` in between, then what the colours mean (keys may be NULL) and words. */
void page_figure(FILE *out, const char *id, const char *title);
void page_figure_end(FILE *out, const svg_key *keys, size_t count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A paragraph. */
void page_words(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number with what it is. */
void page_fact(FILE *out, const char *value, const char *what);

/* A cell of a table, <tag class="class">; class may be NULL. */
void page_cell(FILE *out, const char *tag, const char *class, const char *text);

#endif
