/*
 * Options: a table of rows says of each option its name, range and help, and where its value lies in a struct. Sets of
 * them are what the public calls hand around, opaque, so that a new option breaks nobody.
 */
#ifndef SG_BASE_OPTIONS_H
#define SG_BASE_OPTIONS_H

#include "base/status.h"

/* FLAG and CHOICE are int (of a CHOICE the index of the word), INT int64_t, REAL double, SIZE uint64_t, TEXT a pointer. */
typedef struct sg_option {
    scadyg_option shown;
    size_t offset; /* of the field in the struct */
} sg_option;

/* One row: SG_OPTION(struct, field, name, letter, type, argument, default, choices, least, most, help, level). */
#define SG_OPTION(type_, field_, ...) SG_FILE_OPTION(type_, field_, __VA_ARGS__, SCADYG_FILE_NONE)

/* One whose text names a file; behind the level it says whether that is read or written. */
#define SG_FILE_OPTION(type_, field_, ...)                                                                         \
    {                                                                                                              \
        {__VA_ARGS__}, offsetof(type_, field_)                                                                     \
    }

/* Sets one field of a struct from text. SCADYG_E_USAGE and a sentence that says what would be right. */
int sg_option_set_text(const sg_option *option, void *values, const char *text, scadyg_error *error);

/* The value of a field as text that sg_option_set_text takes back; returns the full length as snprintf does. */
size_t sg_option_text(const sg_option *option, const void *values, char *buffer, size_t size);

typedef struct sg_option_set {
    const char *name; /* "import" */
    const sg_option *table;
    size_t count;
    size_t size; /* of the struct */
    /* Whether all of them fit together; NULL: any do. */
    int (*check)(const void *values, scadyg_error *error);
} sg_option_set;

#define SG_OPTION_SET(name_, table_, type_, check_)                                                                \
    {                                                                                                              \
        name_, table_, sizeof table_ / sizeof *table_, sizeof(type_), check_                                       \
    }

/* The option of this name, or NULL. */
const sg_option *sg_option_find(const sg_option_set *set, const char *name);

struct scadyg_options {
    const sg_option_set *set;
    void *values;      /* the struct */
    char **texts;      /* [count]: texts of its own */
    const void *owner; /* what the set belongs to: a model kind, or NULL */
};

/* A struct of the set with all defaults; what has none is 0. */
void sg_options_defaults(const sg_option_set *set, void *values);

/* The same as a set of its own. */
int sg_options_open(const sg_option_set *set, scadyg_options **options, scadyg_error *error);

/* Sets one of them; a text is copied, and an empty one is as if none were given. */
int sg_options_set(scadyg_options *options, const sg_option *option, const char *text, scadyg_error *error);

/* Whether each value is one its option would take; and whether all of them fit together as well. */
int sg_options_check_each(const sg_option_set *set, const void *values, scadyg_error *error);
int sg_options_check_values(const sg_option_set *set, const void *values, scadyg_error *error);

/*
 * How public calls read their options: the struct of `set` from them (NULL: all defaults), checked. Texts stay those of the
 * options. SCADYG_E_USAGE if they are of another set.
 *
 *     sg_import_options values;
 *     int status = sg_options_values(options, &sg_import_set, &values, error);
 */
int sg_options_values(const scadyg_options *options, const sg_option_set *set, void *values, scadyg_error *error);

#endif
