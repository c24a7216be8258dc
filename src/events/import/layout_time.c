/* Layout, the time: which column of a header it is, how it is written, and which of day, month and year comes first. */
#include "events/import/layout_parts.h"

#include "base/memory.h"
#include "events/import/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Which column ---- */

static int can_be_a_time(const sg_finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    if (f->layout->time_format.kind != SG_TIMES_PATTERN)
        return !facts->values || facts->numbers || facts->dates || facts->decimal_comma;
    int read = 0, rows = 0;
    for (int i = 1; i < f->sample->count; i++) {
        if (column >= f->sample->rows[i].count) continue;
        const sg_field *field = &f->sample->rows[i].fields[column];
        rows++;
        read += sg_layout_is_time(f->layout, field);
    }
    return 2 * read >= rows;
}

static int names_a_time(const char *name)
{
    static const char *const parts[] = {"time", "Time",  "TIME",  "date", "Date",
                                        "DATE", "stamp", "epoch", "_ts",  "_at"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strstr(name, parts[k])) return 1;
    return 0;
}

/* Dates of a person or a card, not of what happened. */
static int names_no_event(const char *name)
{
    static const char *const parts[] = {"birth", "dob", "geburt", "naiss", "nacim", "expir", "ablauf"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strcasestr(name, parts[k])) return 1;
    return 0;
}

/* Where no name says it: the only column of dates, else the only one of unix times or dates of digits whose name is for it. */
static int choose_time_by_value(const sg_finding *f, int *chosen, scadyg_error *error)
{
    const sg_layout *layout = f->layout;
    const int told = layout->time_format.kind == SG_TIMES_PATTERN;
    *chosen = -1;
    for (int look = 0; look < 2 && *chosen < 0; look++)
        for (int i = 0; i < layout->columns; i++) {
            const sg_column_facts *facts = &f->facts[i];
            const int fits = look   ? (facts->unix_like || facts->digit_dates) && names_a_time(layout->names[i])
                             : told ? facts->values && can_be_a_time(f, i)
                                    : facts->dates && !facts->digit_dates;
            if (!fits || layout->told[i] || layout->roles[i] != SG_ROLE_IGNORE || names_no_event(layout->names[i]))
                continue;
            if (*chosen >= 0) return sg_finding_fail_both(f, SG_ROLE_TIME, *chosen, i, error);
            *chosen = i;
        }
    return SCADYG_OK;
}

/* The column whose name is a part of the date, or ends in it ("date_year"); -1: there is none. */
static int find_part(const sg_finding *f, const char *part)
{
    const size_t size = strlen(part);
    int found = -1;
    for (int i = 0; i < f->layout->columns; i++) {
        const char *name = f->layout->names[i];
        const size_t length = strlen(name);
        if (strcmp(f->names[i].stem, part) == 0) return i;
        if (found < 0 && length > size && name[length - size - 1] == '_' &&
            strcasecmp(name + length - size, part) == 0 && f->facts[i].whole)
            found = i;
    }
    return found;
}

/* A date in several columns is no year. */
static int check_years(const sg_finding *f, scadyg_error *error)
{
    const int year = find_part(f, "year"), day = find_part(f, "day");
    int month = find_part(f, "month");
    if (month < 0) month = find_part(f, "week");
    if (month < 0) month = find_part(f, "quarter");
    if (year < 0 || month < 0) return SCADYG_OK;
    for (int i = 0; i < f->layout->columns; i++)
        if (f->names[i].role == SG_ROLE_TIME && f->names[i].tier <= 0 && can_be_a_time(f, i)) return SCADYG_OK;
    char *const *names = f->layout->names;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the date is in several columns, '%.40s'%s%.40s%s '%.40s': write it into one before, or say "
                   "--time '%.40s' if that is enough",
                   f->file, names[year], day < 0 ? " and" : ", '", day < 0 ? "" : names[month],
                   day < 0 ? "" : "' and", names[day < 0 ? month : day], names[year]);
}

/* What a short name of a zone that has several meanings mostly means. */
static const char *find_usual_offset(const char *name, size_t length)
{
    static const char *const zones[][2] = {{"IST", "+05:30"}, {"BST", "+01:00"},  {"WAT", "+01:00"},
                                           {"SGT", "+08:00"}, {"AEST", "+10:00"}, {"BRT", "-03:00"}};
    for (size_t k = 0; k < sizeof zones / sizeof *zones; k++)
        if (strlen(zones[k][0]) == length && strncasecmp(zones[k][0], name, length) == 0) return zones[k][1];
    return "+01:00";
}

/* A time with a zone by a name that is not known, or is that of a place, which has summer and winter. */
static int fail_zone(const sg_finding *f, int column, const char *text, int length, scadyg_error *error)
{
    char pattern[SG_PATTERN_LONGEST + 1];
    const char *tail;
    if (sg_time_format_tail(text, (size_t)length, pattern, &tail)) return SCADYG_OK;
    const int size = (int)(text + length - tail), place = memchr(tail, '/', (size_t)size) != NULL;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the times of the column '%.60s', such as '%.*s', have a zone that is not read: say "
                   "--time-format '%s' --timezone %.*s%s",
                   f->file, f->layout->names[column], length, text, pattern, place ? size : 6,
                   place ? tail : find_usual_offset(tail, (size_t)size),
                   place ? "" : ", or whatever its offset is");
}

/* The first value of a column that is no time in any way that is known, or not in the one that was told; else the first. */
static const sg_sample_row *find_culprit(const sg_finding *f, int column)
{
    for (int i = 1; i < f->sample->count; i++) {
        const sg_sample_row *row = &f->sample->rows[i];
        if (column < row->count && !sg_is_null(row->fields[column].text, row->fields[column].length) &&
            !sg_layout_is_time(f->layout, &row->fields[column]))
            return row;
    }
    return &f->sample->rows[1];
}

/* A column has the name of a time, and values that are none. */
static int fail_time(const sg_finding *f, int column, scadyg_error *error)
{
    const sg_sample_row *row = find_culprit(f, column);
    const sg_field *field = &row->fields[column];
    const int length = (int)(field->length < 40 ? field->length : 40);
    char names[600];
    if (f->facts[column].clocks)
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: the column '%.60s' holds times of day, such as '%.*s', and no column holds the date: write "
            "it before them, or the seconds since a beginning as a number",
            f->file, f->layout->names[column], length, field->text);
    sg_layout_list_names(f->layout, names, sizeof names);
    if (!f->told->time_format && fail_zone(f, column, field->text, (int)field->length, error))
        return SCADYG_E_LAYOUT;
    if (f->told->time_format)
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s:%llu: --time-format '%.80s' does not fit '%.*s' of the column '%.60s': correct it, leave it "
            "out, or say another column with --time (the columns are %s)",
            f->file, (unsigned long long)row->line, f->told->time_format, length, field->text,
            f->layout->names[column], names);
    char guess[SG_GUESS_LONGEST];
    const int guessed = sg_sample_guess(f->sample, 1, column, guess);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the name of the column '%.60s' says time, and '%.*s' is none that is known: say %s%s, or "
                   "another column with --time (the columns are %s)",
                   f->file, f->layout->names[column], length, field->text,
                   guessed ? "--time-format " : "how it is written with --time-format", guessed ? guess : "",
                   names);
}

/*
 * Numbers that say nothing of a date themselves. A year or a numbered day is coarse: dates in another column may be meant. A
 * "trans_time" beside a "day" may be the digits of a time of day.
 */
static int check_numbers(const sg_finding *f, int chosen, scadyg_error *error)
{
    if (chosen < 0 || f->names[chosen].tier < 0 || f->facts[chosen].dates || f->facts[chosen].unix_like)
        return SCADYG_OK;
    for (int i = 0; i < f->layout->columns; i++) {
        const char *name = f->layout->names[i];
        const int dates =
            f->names[chosen].tier == 1 && f->facts[i].dates && names_a_time(name) && !names_no_event(name);
        const int days =
            f->names[chosen].tier == 0 && sg_name_time_part(name) == SG_PART_DAY && f->facts[i].numbers;
        if (i != chosen && (dates || days) && f->layout->roles[i] == SG_ROLE_IGNORE && !f->layout->told[i])
            return sg_finding_fail_both(f, SG_ROLE_TIME, chosen < i ? chosen : i, chosen < i ? i : chosen, error);
    }
    return SCADYG_OK;
}

int sg_finding_time(const sg_finding *f, int *chosen, scadyg_error *error)
{
    int status = check_years(f, error);
    if (!status) status = sg_finding_choose(f, SG_ROLE_TIME, can_be_a_time, chosen, error);
    if (!status) status = check_numbers(f, *chosen, error);
    if (!status && *chosen < 0) status = choose_time_by_value(f, chosen, error);
    if (status || *chosen >= 0 || f->sample->count < 2) return status;
    for (int named = 0; named < f->layout->columns; named++)
        if (f->names[named].role == SG_ROLE_TIME && !f->layout->told[named] && named < f->sample->rows[1].count)
            return fail_time(f, named, error);
    return status;
}

/* ---- How it is written ---- */

#define SHOWN_TIME(row, column)                                                                                    \
    (int)((row)->fields[column].length < 40 ? (row)->fields[column].length : 40), (row)->fields[column].text

/* Whether a pattern was told so: what reads a time of day behind it is not a part of that. */
static int is_told(const char *pattern, const char *told)
{
    const size_t length = strlen(told);
    return strncmp(pattern, told, length) == 0 && (!pattern[length] || strcmp(pattern + length, "%+") == 0);
}

/* Of several orders of day, month and year, that of earlier files. */
static int take_order(sg_layout *layout, const char *other, const char *earlier)
{
    sg_time_format twin;
    if (!earlier) return 0;
    if (is_told(other, earlier))
        snprintf(layout->time_format.pattern, sizeof layout->time_format.pattern, "%s", other);
    else if (sg_time_format_twin(&layout->time_format, &twin) && is_told(twin.pattern, earlier))
        layout->time_format = twin;
    return is_told(layout->time_format.pattern, earlier);
}

/* A pattern as a person gives it: without what reads a time of day behind it. */
static int plain_length(const char *pattern)
{
    const char *rest = strstr(pattern, "%+");
    return rest ? (int)(rest - pattern) : (int)strlen(pattern);
}

/* The first row that is read by one way to write dates and not by the other; NULL: there is none. */
static const sg_sample_row *find_deciding(const sg_layout *layout, const sg_sample *sample,
                                          const sg_time_format *one, const sg_time_format *other)
{
    for (int i = layout->has_header; i < sample->count; i++) {
        sg_time_read read;
        const sg_sample_row *row = &sample->rows[i];
        if (row->count < layout->time + layout->time_fields) continue;
        const sg_field *date = &row->fields[layout->time], *last = date + layout->time_fields - 1;
        const size_t length = (size_t)(last->text - date->text) + last->length;
        if (!sg_time_format_read(one, NULL, date->text, length, &read) &&
            sg_time_format_read(other, NULL, date->text, length, &read))
            return row;
    }
    return NULL;
}

/* Whether all that one way to write dates reads another reads too. */
static int reads_all(const sg_layout *layout, const sg_sample *sample, const sg_time_format *other)
{
    return !find_deciding(layout, sample, &layout->time_format, other);
}

static int fail_order(const sg_layout *layout, const sg_sample *sample, const char *file, const char *other,
                      int nowhere, scadyg_error *error)
{
    sg_time_format twin;
    const sg_sample_row *row = sg_layout_good_row(layout, sample);
    const sg_field *field = &row->fields[layout->time < row->count ? layout->time : 0];
    const int year = strncmp(other, "%y", 2) == 0, rows = sample->count - layout->has_header;
    char where[60] = "no row";
    if (!nowhere) snprintf(where, sizeof where, "none of the first %d row%s", rows, sg_plural(rows));
    const int third = year && sg_time_format_twin(&layout->time_format, &twin) && reads_all(layout, sample, &twin);
    char last[SG_PATTERN_LONGEST + 16] = "";
    if (third) snprintf(last, sizeof last, ", or '%.*s'", plain_length(twin.pattern), twin.pattern);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: dates such as '%.*s' may begin with the day%s or the %s, and %s tells: "
                   "say --time-format '%.*s' or '%.*s'%s",
                   file, (int)(field->length < 40 ? field->length : 40), field->text, third ? ", the month" : "",
                   year ? "year" : "month", where, plain_length(layout->time_format.pattern),
                   layout->time_format.pattern, plain_length(other), other, last);
}

/* 13/01/2024 and 01/13/2024 in one column. */
static int check_order(sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error)
{
    sg_time_format twin;
    if (!sg_time_format_twin(&layout->time_format, &twin)) return SCADYG_OK;
    const sg_sample_row *one = find_deciding(layout, sample, &layout->time_format, &twin),
                        *other = find_deciding(layout, sample, &twin, &layout->time_format);
    if (one) layout->order_line = one->line;
    if (!one || !other) return SCADYG_OK;
    const int length = plain_length(twin.pattern);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the dates contradict each other: '%.*s' in line %llu and '%.*s' in line %llu have day and "
                   "month in different orders: write all in one, or take those of one order with --time-format "
                   "'%.*s' or '%.*s' and --skip-bad all",
                   file, SHOWN_TIME(one, layout->time), (unsigned long long)one->line,
                   SHOWN_TIME(other, layout->time), (unsigned long long)other->line, length,
                   layout->time_format.pattern, length, twin.pattern);
}

/* Numbers that may be dates: they are taken as numbers, and a person is asked. */
static int suspect_numbers(sg_layout *layout, const sg_sample *sample, scadyg_error *error)
{
    size_t count = 0;
    sg_time_sample *texts = sg_alloc((size_t)sample->count, sizeof *texts);
    if (!texts) return sg_fail_memory(error, "the first rows");
    for (int i = layout->has_header; i < sample->count; i++)
        if (layout->time < sample->rows[i].count && sample->rows[i].fields[layout->time].length)
            texts[count++] = (sg_time_sample){sample->rows[i].fields[layout->time].text,
                                              sample->rows[i].fields[layout->time].length};
    layout->suspect = sg_time_format_suspect(texts, count);
    if (layout->suspect)
        snprintf(layout->suspect_text, sizeof layout->suspect_text, "%.*s", (int)texts[0].length, texts[0].text);
    for (size_t i = 0; i < count && !*layout->rounded_text; i++)
        if (texts[i].length < sizeof layout->rounded_text && sg_is_shortened(texts[i].text, texts[i].length))
            snprintf(layout->rounded_text, sizeof layout->rounded_text, "%.*s", (int)texts[i].length,
                     texts[i].text);
    free(texts);
    return SCADYG_OK;
}

/* Times that are none in the usual ways: numbers with a comma, or unknown. */
static int find_comma_times(sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error)
{
    const sg_column_facts facts = sg_sample_facts(sample, layout->has_header, layout->time, layout->time + 1);
    layout->time_format = (sg_time_format){.kind = SG_TIMES_NUMBERS};
    layout->time_comma = facts.decimal_comma;
    if (!layout->told[layout->time] || !facts.values || facts.decimal_comma || facts.numbers)
        return SCADYG_OK; /* the first bad row will be told of */
    const sg_sample_row *row = &sample->rows[layout->has_header];
    char guess[SG_GUESS_LONGEST];
    const int guessed = sg_sample_guess(sample, layout->has_header, layout->time, guess);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.*s' in the column of the time is none that is known: say %s%s, or another column with "
                   "--time",
                   file, SHOWN_TIME(row, layout->time < row->count ? layout->time : 0),
                   guessed ? "--time-format " : "how it is written with --time-format", guessed ? guess : "");
}

/* A time of day needs a date: with numbers it would be left out without a word. */
static int check_clock(const sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error)
{
    if (layout->dates || (layout->clock < 0 && layout->time_fields < 2)) return SCADYG_OK;
    const sg_sample_row *row = sg_layout_good_row(layout, sample);
    return sg_fail(
        error, SCADYG_E_LAYOUT,
        "%s: '%.*s' in the column of the time is no date that the time of day in the other could belong to: "
        "say --time with one column, or write both as one time before",
        file, SHOWN_TIME(row, layout->time < row->count ? layout->time : 0));
}

/* How they are written, unless that is told. */
static int find_writing(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                        scadyg_error *error)
{
    const char *other = NULL;
    int status = SCADYG_OK;
    const int known = layout->time_format.told;
    if (!known && !sg_sample_times(sample, layout->has_header, layout->time, layout->time_fields,
                                   &layout->time_format, &other))
        status = find_comma_times(layout, sample, file, error);
    if (status) return status;
    layout->dates = layout->time_format.kind >= SG_TIMES_ISO;
    if (known) return SCADYG_OK;
    status = layout->dates ? check_order(layout, sample, file, error) : suspect_numbers(layout, sample, error);
    if (status || !other || take_order(layout, other, told->times)) return status;
    layout->other_order = other;
    return told->order == SG_ORDER_LATER
               ? SCADYG_OK
               : fail_order(layout, sample, file, other, told->order == SG_ORDER_NOWHERE, error);
}

int sg_layout_find_times(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                         scadyg_error *error)
{
    int status = find_writing(layout, sample, told, file, error);
    return status ? status : check_clock(layout, sample, file, error);
}

/* ---- The order of day and month, further down ---- */

void sg_order_search_begin(sg_order_search *search, const sg_layout *layout, sg_field *scratch)
{
    sg_time_format twin;
    *search = (sg_order_search){.layout = layout, .scratch = scratch, .count = 2};
    search->candidates[0] = search->candidates[1] = layout->time_format;
    snprintf(search->candidates[1].pattern, sizeof twin.pattern, "%s", layout->other_order);
    if (strncmp(layout->other_order, "%y", 2) == 0 && sg_time_format_twin(&layout->time_format, &twin))
        search->candidates[search->count++] = twin;
}

void sg_order_search_line(sg_order_search *search, char *line, size_t length, uint64_t number)
{
    const sg_layout *layout = search->layout;
    int reads[3] = {0}, some = 0, left = 0;
    const int count = layout->plain_quotes
                          ? sg_fields_cut_plain(line, length, layout->separator, search->scratch, SG_FIELDS_MOST)
                          : sg_fields_cut(line, length, layout->separator, search->scratch, SG_FIELDS_MOST);
    if (search->line || number <= layout->skipped_lines || count < layout->columns ||
        count < layout->time + layout->time_fields)
        return;
    const sg_field *date = &search->scratch[layout->time], *last = date + layout->time_fields - 1;
    const size_t size = (size_t)(last->text - date->text) + last->length;
    for (int k = 0; k < search->count; k++) {
        sg_time_read read;
        reads[k] = sg_time_format_read(&search->candidates[k], NULL, date->text, size, &read) == 0;
        some += reads[k];
    }
    if (!some || some == search->count) return;
    for (int k = 0; k < search->count; k++)
        if (reads[k]) search->candidates[left++] = search->candidates[k];
    search->count = left;
    if (left == 1) search->line = number;
}
