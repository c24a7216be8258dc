/* Fields: a line of text cut at its separators. */
#ifndef SG_EVENTS_IMPORT_FIELDS_H
#define SG_EVENTS_IMPORT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sg_field {
    char *text; /* not terminated */
    uint32_t length;
} sg_field;

enum {
    SG_FIELDS_TOO_MANY = -1,   /* more than `most` */
    SG_FIELDS_OPEN_QUOTE = -2, /* a quoted field does not end on its line */
    SG_FIELDS_AFTER_QUOTE = -3 /* something stands between a closing quote and the separator */
};

/*
 * Cuts line[0..length) into fields and returns how many there are, or one of the numbers above; then fields[0].text
 * is where the trouble is. The separator ' ' means any run of blanks and tabs. Blanks around a field are dropped;
 * "a ""b""" is a quoted field, whose inside is kept exactly and unescaped in place.
 */
int sg_fields_cut(char *line, size_t length, char separator, sg_field *fields, int most);

/*
 * The separator of a line: the first of tab, comma, semicolon, bar that it has outside quoted fields, else a blank.
 * Numbers with both blanks and tabs between them (KONECT) are separated by blanks.
 */
char sg_fields_separator(const char *line, size_t length);

/* Whether these bytes are valid UTF-8 without control characters that would break a line. */
int sg_utf8_valid(const char *text, size_t length);

#endif
