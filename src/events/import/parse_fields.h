/* Parsing, the fields of a row. Each reader returns 0; -1: the field is bad, and noted; SG_LEFT_OUT. */
#ifndef SG_EVENTS_IMPORT_PARSE_FIELDS_H
#define SG_EVENTS_IMPORT_PARSE_FIELDS_H

#include "base/letters.h"
#include "events/import/parse.h"

/* A row being read: where its line begins, for column numbers. */
typedef struct sg_line {
    const char *begin;
    uint64_t number;
    uint64_t lines; /* of the row: more than 1 where a quoted field has line breaks */
    int column;     /* being read; -1: none */
    const sg_layout *layout;
    const sg_row_rules *rules;
    size_t last; /* of several lines: where the last begins */
} sg_line;

/* A row that is left out without being bad. */
enum { SG_LEFT_OUT = -2 };

/* Where in its row a field is. */
static inline size_t sg_line_place(const sg_line *line, const sg_field *field)
{
    return (size_t)(field->text - line->begin);
}

/* A field for "%.*s". */
#define SG_SHOWN(field) sg_text_cut((field)->text, (field)->length, 40), (field)->text

/*
 * Notes a bad row; `at` is where in the line the trouble is. Returns -1 for those who read a field: a bad row is no failure,
 * it is for the importer to tolerate or not.
 */
__attribute__((format(printf, 4, 5))) int sg_line_note_bad(sg_text_block *block, const sg_line *line, size_t at,
                                                           const char *format, ...);

/* what: for a person, "source" or "weight". */
int sg_line_read_id(sg_text_block *block, const sg_line *line, const sg_field *field, const char *what, sg_id *id);
int sg_line_read_float(sg_text_block *block, const sg_line *line, const sg_field *field, const char *what,
                       float *out);

/* Of all fields of the row, for a date may stand in several. */
int sg_line_read_time(sg_text_block *block, const sg_line *line, const sg_field *fields, double *out);
int sg_line_read_features(sg_text_block *block, const sg_layout *layout, sg_line *line, const sg_field *fields,
                          int count, float *out);

#endif
