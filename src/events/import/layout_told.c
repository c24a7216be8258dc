/* Layout, as the options tell it: roles in order, or columns by their names. */
#include "events/import/layout_parts.h"

#include "base/nearest.h"
#include "events/number_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Roles in order: --columns ---- */

/* Whether a word of --columns is known. */
static int find_told_role(const char *word, size_t length, sg_role *role)
{
    static const struct {
        const char *word;
        sg_role role;
    } words[] = {
        {"src", SG_ROLE_SRC},         {"dst", SG_ROLE_DST},     {"time", SG_ROLE_TIME}, {"weight", SG_ROLE_WEIGHT},
        {"feature", SG_ROLE_FEATURE}, {"label", SG_ROLE_LABEL}, {"-", SG_ROLE_IGNORE},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k].word) == length && memcmp(words[k].word, word, length) == 0) {
            *role = words[k].role;
            return 1;
        }
    return 0;
}

/* Reads --columns into roles and counts them. *rest is set for "role...". */
static int read_told_roles(const char *told, sg_role *roles, int most, int *count, int *rest, scadyg_error *error)
{
    int seen[SG_ROLE_ZONE + 1] = {0};
    *count = *rest = 0;
    for (const char *word = told;;) {
        word += strspn(word, " ");
        size_t length = strcspn(word, ",");
        size_t bare = length > 3 && memcmp(word + length - 3, "...", 3) == 0 ? length - 3 : length;
        *rest = bare != length;
        if (*count == most || !find_told_role(word, bare, &roles[*count]))
            return sg_fail(error, SCADYG_E_USAGE,
                           "--columns knows the roles src, dst, time, weight, label, feature and -, not '%.*s'",
                           (int)(length < 100 ? length : 100), word);
        sg_role role = roles[(*count)++];
        if (role != SG_ROLE_IGNORE && role != SG_ROLE_FEATURE && seen[role]++)
            return sg_fail(error, SCADYG_E_USAGE, "--columns names %s twice", sg_role_name(role));
        if (!word[length]) break;
        if (*rest) return sg_fail(error, SCADYG_E_USAGE, "--columns: '...' may stand only at the end");
        word += length + 1;
    }
    if (*rest && roles[*count - 1] != SG_ROLE_FEATURE && roles[*count - 1] != SG_ROLE_IGNORE)
        return sg_fail(error, SCADYG_E_USAGE, "--columns: only 'feature...' and '-...' can stand for the rest");
    if (!seen[SG_ROLE_SRC] || !seen[SG_ROLE_DST] || !seen[SG_ROLE_TIME])
        return sg_fail(error, SCADYG_E_USAGE,
                       "--columns must name src, dst and time, for example src,dst,time,feature...");
    return SCADYG_OK;
}

/* Only the header is left to be found. */
int sg_layout_by_roles(sg_layout *layout, const sg_sample *sample, const char *columns, scadyg_error *error)
{
    int words = 1;
    for (const char *comma = columns; words < SG_FIELDS_MOST && (comma = strchr(comma, ',')); comma++) words++;
    int status = sg_layout_make_columns(layout, words, error);
    if (!status) status = read_told_roles(columns, layout->roles, words, &layout->columns, &layout->rest, error);
    if (status) return status;
    const sg_sample_row *first = &sample->rows[0];
    int time = 0;
    while (layout->roles[time] != SG_ROLE_TIME) time++;
    /* A first row whose time is no time is a header, if the next row is better. */
    const int header = sample->count > 1 && time < first->count &&
                       !sg_layout_is_time(layout, &first->fields[time]) && time < sample->rows[1].count &&
                       sg_layout_is_time(layout, &sample->rows[1].fields[time]);
    return header ? sg_layout_keep_names(layout, first, error) : SCADYG_OK;
}

/* ---- Columns by name: --src, --dst, --time ... ---- */

void sg_layout_list_names(const sg_layout *layout, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < layout->columns && used + 8 < size; i++) {
        const int wrote =
            snprintf(out + used, size - used, "%s'%.40s'", i ? ", " : "", layout->names[i] ? layout->names[i] : "");
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static int fail_name(const sg_layout *layout, const char *file, const char *option, const char *name, size_t length,
                     scadyg_error *error)
{
    char names[600], typed[64];
    if (!layout->has_header)
        return sg_fail(error, SCADYG_E_USAGE,
                       "--%s %.*s: %s has no header with names; give the number of the column, from 1 to %d",
                       option, (int)length, name, file, layout->columns);
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    const char *near =
        sg_nearest(typed, (const char *const *)layout->names, sizeof *layout->names, (size_t)layout->columns);
    sg_layout_list_names(layout, names, sizeof names);
    return sg_fail(error, SCADYG_E_USAGE, "--%s: %s has no column '%.*s'%s%s%s; its columns are %s", option, file,
                   (int)(length < 60 ? length : 60), name, near ? ", did you mean '" : "", near ? near : "",
                   near ? "'?" : "", names);
}

/* The column of this name, else of this number from 1; -1: none, TWICE: there are two, the second is *second. */
enum { TWICE = -2 };
static int find_column(const sg_layout *layout, const char *name, size_t length, int *first, int *second)
{
    char text[256];
    int found = -1;
    if (length >= sizeof text) return -1;
    memcpy(text, name, length);
    text[length] = 0;
    for (int alike = 0; alike < 2 && found < 0 && length; alike++)
        for (int i = 0; i < layout->columns && layout->has_header; i++) {
            if (alike ? !sg_names_equal(layout->names[i], text) : strcmp(layout->names[i], text) != 0) continue;
            if (found >= 0) {
                *first = found;
                *second = i;
                return TWICE;
            }
            found = i;
        }
    if (found >= 0) return found;
    if (!length || length > 4 || strspn(text, "0123456789") != length) return -1;
    const int number = atoi(text);
    return number >= 1 && number <= layout->columns ? number - 1 : -1;
}

/* The column that an option names. */
static int find_told_column(const sg_layout *layout, const char *file, const char *option, const char *name,
                            size_t length, int *column, scadyg_error *error)
{
    int first = 0, second = 0;
    *column = find_column(layout, name, length, &first, &second);
    if (*column == TWICE)
        return sg_fail(error, SCADYG_E_USAGE, "--%s: %s has two columns '%.*s': say --%s %d or --%s %d", option,
                       file, (int)(length < 60 ? length : 60), name, option, first + 1, option, second + 1);
    return *column < 0 ? fail_name(layout, file, option, name, length, error) : SCADYG_OK;
}

static int give_role(sg_layout *layout, const char *file, const char *option, sg_role role, const char *name,
                     size_t length, scadyg_error *error)
{
    int column;
    int status = find_told_column(layout, file, option, name, length, &column, error);
    if (status) return status;
    if (layout->told[column])
        return sg_fail(error, SCADYG_E_USAGE, "--%s: the column '%.*s' has another role already", option,
                       (int)(length < 60 ? length : 60), name);
    layout->roles[column] = role;
    layout->told[column] = 1;
    return SCADYG_OK;
}

int sg_told_by_name(const sg_told *told)
{
    return told->src || told->dst || told->time || told->weight || told->label || told->features;
}

/* A role that is told is nobody else's. */
static void take_role(sg_layout *layout, sg_role role)
{
    for (int i = 0; i < layout->columns; i++)
        if (layout->roles[i] == role && !layout->told[i]) layout->roles[i] = SG_ROLE_IGNORE;
}

/* --time DATE,CLOCK: where the second begins, with its comma, if both are columns and there is none of the whole name. */
static const char *find_told_clock(const sg_layout *layout, const char *name)
{
    int first, second;
    if (find_column(layout, name, strlen(name), &first, &second) != -1) return NULL;
    for (const char *comma = strchr(name, ','); comma; comma = strchr(comma + 1, ','))
        if (find_column(layout, name, (size_t)(comma - name), &first, &second) >= 0 &&
            find_column(layout, comma + 1, strlen(comma + 1), &first, &second) >= 0)
            return comma;
    return NULL;
}

int sg_layout_by_names(sg_layout *layout, const sg_told *told, const char *file, scadyg_error *error)
{
    const struct {
        const char *option, *name;
        sg_role role;
    } given[] = {{"src", told->src, SG_ROLE_SRC},       {"dst", told->dst, SG_ROLE_DST},
                 {"time", told->time, SG_ROLE_TIME},    {"weight", told->weight, SG_ROLE_WEIGHT},
                 {"label", told->label, SG_ROLE_LABEL}, {"features", told->features, SG_ROLE_FEATURE}};
    int status = SCADYG_OK;
    for (size_t k = 0; k < sizeof given / sizeof *given && !status; k++) {
        const char *name = given[k].name;
        if (!name) continue;
        const int several = given[k].role == SG_ROLE_FEATURE;
        const char *clock = given[k].role == SG_ROLE_TIME ? find_told_clock(layout, name) : NULL;
        if (clock) {
            status = give_role(layout, file, "time", SG_ROLE_CLOCK, clock + 1, strlen(clock + 1), error);
            if (!status)
                status = give_role(layout, file, "time", SG_ROLE_TIME, name, (size_t)(clock - name), error);
            if (!status) take_role(layout, SG_ROLE_TIME);
            continue;
        }
        /* A name may have a comma in it; only of features there are several. */
        for (size_t length; !status; name += length + 1) {
            length = several ? strcspn(name, ",") : strlen(name);
            status = give_role(layout, file, given[k].option, given[k].role, name, length, error);
            if (!name[length]) break;
        }
        if (!status) take_role(layout, given[k].role);
    }
    return status;
}

/* ---- Which rows: --where ---- */

static void trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) (*text)++, (*length)--;
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) (*length)--;
    const char quote = *length > 1 ? **text : 0;
    if ((quote == '"' || quote == '\'') && (*text)[*length - 1] == quote) {
        (*text)++;
        *length -= 2;
    }
}

int sg_layout_read_where(sg_layout *layout, const char *where, const char *file, scadyg_error *error)
{
    static const struct {
        const char *sign;
        int compare;
    } signs[] = {{"==", SG_EQUAL}, {"!=", SG_NOT_EQUAL}, {"<=", SG_LESS_EQUAL}, {">=", SG_MORE_EQUAL},
                 {"<", SG_LESS},   {">", SG_MORE},       {"=", SG_EQUAL}};
    layout->where = -1;
    if (!where) return SCADYG_OK;
    const char *found = NULL;
    size_t sign = 0;
    for (size_t k = 0; k < sizeof signs / sizeof *signs && !found; k++)
        if ((found = strstr(where, signs[k].sign))) sign = k;
    if (!found)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "--where takes a column, a comparison and a value, such as 'event_type == purchase', not '%.100s'",
            where);
    const char *name = where, *value = found + strlen(signs[sign].sign);
    size_t name_length = (size_t)(found - where), length = strlen(value);
    trim(&name, &name_length);
    trim(&value, &length);
    int status = find_told_column(layout, file, "where", name, name_length, &layout->where, error);
    if (status) return status;
    layout->condition = (sg_condition){signs[sign].compare, value, length, 0};
    if (layout->condition.compare >= SG_LESS && sg_parse_double(value, length, &layout->condition.number))
        return sg_fail(error, SCADYG_E_USAGE, "--where: '%.*s' is compared as a number, and is none",
                       (int)(length < 60 ? length : 60), value);
    return SCADYG_OK;
}

int sg_layout_takes(const sg_layout *layout, const sg_field *field)
{
    const sg_condition *c = &layout->condition;
    const int same = field->length == c->length && memcmp(field->text, c->value, c->length) == 0;
    double number;
    if (c->compare == SG_EQUAL) return same;
    if (c->compare == SG_NOT_EQUAL) return !same;
    if (sg_parse_double(field->text, field->length, &number)) return 0;
    return c->compare == SG_LESS         ? number < c->number
           : c->compare == SG_LESS_EQUAL ? number <= c->number
           : c->compare == SG_MORE       ? number > c->number
                                         : number >= c->number;
}
