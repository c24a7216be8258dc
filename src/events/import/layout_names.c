/* Layout by the names of a header: what they say, and whether the values agree. */
#include "events/import/layout_parts.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is known of the columns while their roles are found. */
typedef struct finding {
    sg_layout *layout;
    const sg_sample *sample;
    const sg_told *told;
    const char *file;
    sg_name *names;         /* [columns] */
    sg_column_facts *facts; /* [columns] */
} finding;

static const struct {
    sg_role role;
    const char *what, *option;
} single[] = {{SG_ROLE_SRC, "the source", "src"},
              {SG_ROLE_DST, "the destination", "dst"},
              {SG_ROLE_TIME, "the time", "time"},
              {SG_ROLE_WEIGHT, "the weight", "weight"},
              {SG_ROLE_LABEL, "the label", "label"}};
enum { SRC, DST, TIME, NEEDED, SINGLE = 5 };

int sg_layout_fail_narrow(int columns, const char *file, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the rows have %d field%s; a source, a destination and a time are needed%s", file, columns,
                   columns == 1 ? "" : "s",
                   columns == 1 ? ", separated by commas, semicolons, tabs, bars, :: or blanks" : "");
}

/* ---- The header ---- */

#define CLASSES_MOST 20 /* different values of a column "y", which may be anything */
#define UNNAMED_MOST 3  /* fields of a row that the header does not name */

/* R's write.table gives rows a name, and the header none for it. */
static int has_row_names(const sg_layout *layout, const sg_sample *sample)
{
    sg_name last;
    const int columns = layout->columns;
    if (sample->count < 2 || sg_sample_usual_count(sample, 1) != columns + 1) return 0;
    sg_name_read(layout->names[columns - 1], strlen(layout->names[columns - 1]), &last);
    if (last.role == SG_ROLE_FEATURE) return 0; /* JODIE: the last name stands for several fields */
    for (int i = 1; i < sample->count && i <= 3; i++) {
        char number[16];
        const sg_field *field = &sample->rows[i].fields[0];
        const int length = snprintf(number, sizeof number, "%d", i);
        if ((int)field->length != length || memcmp(field->text, number, (size_t)length) != 0) return 0;
    }
    return 1;
}

/* A column without a name at a place. */
static int insert_column(sg_layout *layout, int at, scadyg_error *error)
{
    char *none = strdup("");
    if (!none) return sg_fail_memory(error, "column names");
    memmove(layout->names + at + 1, layout->names + at, (size_t)(layout->columns - at) * sizeof *layout->names);
    layout->names[at] = none;
    layout->columns++;
    return SCADYG_OK;
}

/*
 * Where blanks separate fields, a date with its time of day (and zone) is more of them than the header has names; the rows
 * may have names besides.
 */
static int insert_clocks(sg_layout *layout, const sg_sample *sample, scadyg_error *error)
{
    const int usual = sample->count < 2 ? 0 : sg_sample_usual_count(sample, 1), more = usual - layout->columns;
    int status = SCADYG_OK;
    if (layout->separator != ' ' || more < 1 || more > UNNAMED_MOST) return SCADYG_OK;
    for (int i = 0; i + 1 < usual; i++) {
        if (!sg_sample_facts(sample, 1, i, usual).dates || !sg_sample_facts(sample, 1, i + 1, usual).clocks)
            continue;
        const int fields = i + 2 < usual && sg_sample_facts(sample, 1, i + 2, usual).zones ? 2 : 1,
                  rest = more - fields;
        for (int k = 0; k < fields && rest >= 0 && rest < 2 && i >= rest && !status; k++)
            status = insert_column(layout, i - rest + 1, error);
        break;
    }
    return status;
}

/* Separators at the end of the header make columns without a name, which are none if nothing is in them. */
static void drop_last_columns(sg_layout *layout, const sg_sample *sample)
{
    while (layout->columns > 1 && !*layout->names[layout->columns - 1] &&
           !sg_sample_facts(sample, 1, layout->columns - 1, layout->columns).values) {
        layout->columns--;
        free(layout->names[layout->columns]);
        layout->names[layout->columns] = NULL;
    }
}

static int check_encoding(const sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error)
{
    for (int i = 0; i < layout->columns; i++)
        if (!sg_utf8_valid(layout->names[i], strlen(layout->names[i])))
            return sg_fail(
                error, SCADYG_E_LAYOUT,
                "%s is not UTF-8 (line %llu), and its encoding is not known: convert it with iconv, or say "
                "--encoding windows-1252 if an old Windows program of Western Europe wrote it",
                file, (unsigned long long)sample->rows[0].line);
    return SCADYG_OK;
}

/* ---- Which of several columns ---- */

/* What export has written is what it says, whatever the ids look like. */
static int is_exported(const sg_layout *layout)
{
    static const char *const headers[][3] = {{"src", "dst", "time"}, {"user_id", "item_id", "time"}};
    for (size_t k = 0; k < 2; k++) {
        int same = layout->columns >= 3;
        for (int i = 0; i < 3 && same; i++) same = strcmp(layout->names[i], headers[k][i]) == 0;
        if (same) return 1;
    }
    return 0;
}

/* pandas writes the second of two columns of one name as "Account.1". */
static int is_twin_name(const char *name, const char *first)
{
    const size_t length = strlen(first);
    const char *number = name + length + 1;
    return length && strncmp(name, first, length) == 0 && name[length] == '.' && *number &&
           strspn(number, "0123456789") == strlen(number);
}

static int has_role(const finding *f, sg_role role)
{
    for (int i = 0; i < f->layout->columns; i++)
        if (f->names[i].role == role) return 1;
    return 0;
}

static int fail_both(const finding *f, size_t role, int one, int other, scadyg_error *error)
{
    const char *a = f->layout->names[one], *b = f->layout->names[other], *option = single[role].option;
    const int twins = strcmp(a, b) == 0 || is_twin_name(b, a);
    if (twins && role <= DST && !has_role(f, role == SRC ? SG_ROLE_DST : SG_ROLE_SRC))
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: '%.60s' and '%.60s' could both be the source or the destination: say --src %d --dst %d, "
            "or the other way round",
            f->file, a, b, one + 1, other + 1);
    if (strcmp(a, b) == 0)
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: two columns are named '%.60s', and both could be %s: say --%s %d or --%s %d", f->file,
                       a, single[role].what, option, one + 1, option, other + 1);
    const int parts = role == TIME && sg_name_clock(b, a) == SG_CLOCK_PLAIN;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' and '%.60s' could both be %s: say --%s '%.60s' or --%s '%.60s'%s%.60s%s%.60s%s",
                   f->file, a, b, single[role].what, option, a, option, b, parts ? ", or --time '" : "",
                   parts ? a : "", parts ? "," : "", parts ? b : "",
                   parts ? "' if they are a day and a time of day" : "");
}

/*
 * The column whose name says a role most plainly; -1: none does. Of several that say it as plainly, those of one thing are
 * told apart by what of it they are: its id, before its name. `fits`: which columns can be it.
 */
static int choose(const finding *f, size_t role, int (*fits)(const finding *, int), int *chosen,
                  scadyg_error *error)
{
    int best = -1, rival = -1;
    for (int i = 0; i < f->layout->columns; i++) {
        const sg_name *name = &f->names[i], *old = &f->names[best < 0 ? i : best];
        if (f->layout->told[i] || name->role != single[role].role || (fits && !fits(f, i))) continue;
        const int same = name->tier == old->tier && strcmp(name->stem, old->stem) == 0;
        if (best < 0 || name->tier < old->tier || (same && name->form < old->form)) {
            if (best < 0 || name->tier < old->tier) rival = -1;
            best = i;
        } else if (name->tier == old->tier && !(same && name->form > old->form))
            rival = i;
    }
    *chosen = best;
    return rival < 0 ? SCADYG_OK
                     : fail_both(f, role, best < rival ? best : rival, best < rival ? rival : best, error);
}

/* Dates, times of day and amounts of money are no nodes, whatever the name says. */
static int can_be_a_node(const finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    return !facts->clocks && !facts->money && !(facts->dates && !facts->digit_dates);
}

/* Where no column that fits has the name, one that does not is told of later. */
static int choose_node(const finding *f, size_t role, int *chosen, scadyg_error *error)
{
    int status = is_exported(f->layout) ? SCADYG_OK : choose(f, role, can_be_a_node, chosen, error);
    if (!status && *chosen < 0) status = choose(f, role, NULL, chosen, error);
    return status;
}

/* ---- The time ---- */

static int can_be_a_time(const finding *f, int column)
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
static int choose_time_by_value(const finding *f, int *chosen, scadyg_error *error)
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
            if (*chosen >= 0) return fail_both(f, TIME, *chosen, i, error);
            *chosen = i;
        }
    return SCADYG_OK;
}

/* The column whose name is a part of the date, or ends in it ("date_year"); -1: there is none. */
static int find_part(const finding *f, const char *part)
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
static int check_years(const finding *f, scadyg_error *error)
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
static int fail_zone(const finding *f, int column, const char *text, int length, scadyg_error *error)
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
static const sg_sample_row *find_culprit(const finding *f, int column)
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
static int fail_time(const finding *f, int column, scadyg_error *error)
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
static int check_numbers(const finding *f, int chosen, scadyg_error *error)
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
            return fail_both(f, TIME, chosen < i ? chosen : i, chosen < i ? i : chosen, error);
    }
    return SCADYG_OK;
}

static int find_time(const finding *f, int *chosen, scadyg_error *error)
{
    int status = check_years(f, error);
    if (!status) status = choose(f, TIME, can_be_a_time, chosen, error);
    if (!status) status = check_numbers(f, *chosen, error);
    if (!status && *chosen < 0) status = choose_time_by_value(f, chosen, error);
    if (status || *chosen >= 0 || f->sample->count < 2) return status;
    for (int named = 0; named < f->layout->columns; named++)
        if (f->names[named].role == SG_ROLE_TIME && !f->layout->told[named] && named < f->sample->rows[1].count)
            return fail_time(f, named, error);
    return status;
}

/* ---- All roles ---- */

/* Text is no weight, label or feature, whatever its column is called. */
static int can_be_numbers(const finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    return (facts->amounts || facts->numbers) && facts->values > 0;
}

/* "y" may be a class, or the second of two coordinates. */
static int can_be_label(const finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    if (!can_be_numbers(f, column)) return 0;
    if (strcmp(f->names[column].stem, "y") != 0) return 1;
    for (int i = 0; i < f->layout->columns; i++)
        if (strcasecmp(f->layout->names[i], "x") == 0) return 0;
    return facts->distinct <= CLASSES_MOST && (facts->whole || !facts->numbers);
}

static int can_be_features(const finding *f, int column)
{
    if (can_be_numbers(f, column)) return 1;
    for (int i = 1; i < f->sample->count; i++) {
        if (column >= f->sample->rows[i].count) continue;
        const sg_field *field = &f->sample->rows[i].fields[column];
        if (sg_list_count(field->text, field->length) > 0) return 1;
    }
    return f->sample->count < 2;
}

static void give_features(const finding *f)
{
    sg_layout *layout = f->layout;
    const int unnamed_first = !*layout->names[0] && !layout->row_names;
    for (int i = 0; i < layout->columns; i++) {
        const sg_role role = f->names[i].role;
        if (layout->told[i]) continue;
        if (role == SG_ROLE_FEATURE && !f->told->features && can_be_features(f, i)) layout->roles[i] = role;
        layout->unfit[i] = layout->roles[i] == SG_ROLE_IGNORE &&
                           (role == SG_ROLE_FEATURE || role == SG_ROLE_WEIGHT || role == SG_ROLE_LABEL) &&
                           !can_be_numbers(f, i);
        /* idx means the matrix row only in the DGB layout, whose first column has no name. */
        if (role == SG_ROLE_INDEX && unnamed_first) layout->roles[i] = role;
    }
}

/* Names every role that no column has. */
static int fail_missing(const finding *f, const int *columns, scadyg_error *error)
{
    char names[600], what[80] = "", options[80] = "";
    for (size_t k = 0; k < NEEDED; k++) {
        if (columns[k] >= 0) continue;
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s%s", *what ? ", " : "", single[k].what);
        snprintf(options + strlen(options), sizeof options - strlen(options), "%s--%s NAME", *options ? " " : "",
                 single[k].option);
    }
    sg_layout_list_names(f->layout, names, sizeof names);
    return sg_fail(error, SCADYG_E_LAYOUT, "%s: no column name says which is %s; the columns are %s: say %s",
                   f->file, what, names, options);
}

/* A host, a device or an account is mostly who acts; beside a user or the like it is what it is done to. -1: there is none. */
static int find_other_end(const finding *f)
{
    static const char *const either[] = {"host", "hostname", "computer", "machine", "workstation", "device",
                                         "ip",   "account",  "agent",    "badge",   "sensor",      "paper"};
    int found = -1;
    for (int i = 0; i < f->layout->columns; i++)
        for (size_t k = 0; k < sizeof either / sizeof *either; k++)
            if (f->layout->roles[i] == SG_ROLE_IGNORE && !f->layout->told[i] &&
                strcmp(f->names[i].stem, either[k]) == 0) {
                if (found >= 0) return -1;
                found = i;
            }
    if (found >= 0) f->layout->roles[found] = SG_ROLE_DST;
    return found;
}

/* The column that has not been chosen whose name says a role by a thing (a user, a product); -1: none does. */
static int find_thing(const finding *f, size_t role)
{
    for (int i = 0; i < f->layout->columns; i++)
        if (f->layout->roles[i] == SG_ROLE_IGNORE && f->names[i].role == single[role].role && f->names[i].tier == 1)
            return i;
    return -1;
}

/* "from" and "to" beside user and item may be states, prices or places: two pairs that could be the ends. */
static int check_two_pairs(const finding *f, const int *columns, scadyg_error *error)
{
    char *const *names = f->layout->names;
    const int who = find_thing(f, SRC), what = find_thing(f, DST);
    if (f->names[columns[SRC]].tier != 0 || f->names[columns[DST]].tier != 0 || who < 0 || what < 0 ||
        !sg_names_two_kinds(names[who], names[what]))
        return SCADYG_OK;
    const char *src = names[columns[SRC]], *dst = names[columns[DST]];
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' and '%.60s' could be the source and the destination, and '%.60s' and '%.60s' too: "
                   "say --src '%.60s' --dst '%.60s' or --src '%.60s' --dst '%.60s'",
                   f->file, src, dst, names[who], names[what], src, dst, names[who], names[what]);
}

/* Whether two names differ only in opposite words at their beginning or end, and say no measure of the ends: iban_from, iban_to. */
static int are_opposite(const char *one, const char *other)
{
    static const char *const words[][2] = {
        {"from", "to"},          {"source", "target"}, {"source", "destination"},
        {"src", "dst"},          {"src", "dest"},      {"sender", "receiver"},
        {"sender", "recipient"}, {"origin", "dest"},   {"origin", "destination"}};
    static const char *const measures[] = {"port",    "date",   "time",  "lat",    "lon",   "lng",
                                           "balance", "amount", "price", "type",   "state", "status",
                                           "value",   "level",  "stop",  "version"};
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++)
        if (strcasestr(one, measures[k])) return 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t a = strlen(words[k][0]), b = strlen(words[k][1]), length = strlen(one), size = strlen(other);
        if (length < a || size < b || length - a != size - b) continue;
        const size_t rest = length - a;
        if (strncasecmp(one, words[k][0], a) == 0 && strncasecmp(other, words[k][1], b) == 0 &&
            strcasecmp(one + a, other + b) == 0)
            return 1;
        if (strcasecmp(one + rest, words[k][0]) == 0 && strcasecmp(other + rest, words[k][1]) == 0 &&
            strncasecmp(one, other, rest) == 0)
            return 1;
    }
    return 0;
}

/* Where no name is known: the only two that are opposite. */
static void find_opposite(const finding *f, int *columns)
{
    int src = -1, dst = -1, pairs = 0;
    const sg_layout *layout = f->layout;
    for (int i = 0; i < layout->columns; i++)
        for (int k = 0; k < layout->columns; k++) {
            if (i == k || layout->roles[i] != SG_ROLE_IGNORE || layout->roles[k] != SG_ROLE_IGNORE ||
                !are_opposite(layout->names[i], layout->names[k]))
                continue;
            pairs++;
            src = i;
            dst = k;
        }
    if (pairs != 1) return;
    columns[SRC] = src;
    columns[DST] = dst;
    layout->roles[src] = SG_ROLE_SRC;
    layout->roles[dst] = SG_ROLE_DST;
}

/* "source" beside user_id and item_id may be where a user came from, and "target" what is to be predicted. */
static int check_mixed(const finding *f, const int *columns, scadyg_error *error)
{
    const sg_name *src = &f->names[columns[SRC]], *dst = &f->names[columns[DST]];
    if (f->told->src || f->told->dst || src->tier < 0 || dst->tier < 0) return SCADYG_OK;
    if ((src->tier > 0) == (dst->tier > 0)) return check_two_pairs(f, columns, error);
    const size_t plain = src->tier == 0 ? SRC : DST;
    const int i = find_thing(f, plain), chosen = columns[plain];
    return i < 0 ? SCADYG_OK : fail_both(f, plain, chosen < i ? chosen : i, chosen < i ? i : chosen, error);
}

static int is_half(const sg_field *field)
{
    char letters[3] = "";
    size_t count = 0;
    for (size_t i = 0; i < field->length; i++) {
        if (field->text[i] == '.') continue;
        if (count == 2) return 0;
        letters[count++] = (char)(field->text[i] | 0x20);
    }
    return strcmp(letters, "am") == 0 || strcmp(letters, "pm") == 0;
}

/* Half of a time of day in a column of its own, which is not read. */
static int check_halves(const finding *f, scadyg_error *error)
{
    for (int i = 0; i < f->layout->columns; i++) {
        int halves = 0, rows = 0;
        for (int k = 1; k < f->sample->count; k++) {
            if (i >= f->sample->rows[k].count) continue;
            rows++;
            halves += is_half(&f->sample->rows[k].fields[i]);
        }
        if (rows && halves == rows && f->layout->roles[i] == SG_ROLE_IGNORE)
            return sg_fail(
                error, SCADYG_E_LAYOUT,
                "%s: the column '%.60s' says AM or PM of times in another column, which is not read: write "
                "it behind them before",
                f->file, f->layout->names[i]);
    }
    return SCADYG_OK;
}

/* The same thing twice, as the name and the number of an account: the two go together one to one. */
static int check_same(const finding *f, const int *columns, scadyg_error *error)
{
    const int src = columns[SRC], dst = columns[DST];
    char *const *names = f->layout->names;
    if (f->told->src || f->told->dst || (f->names[src].tier <= 0 && f->names[dst].tier <= 0) ||
        !sg_sample_is_one_to_one(f->sample, 1, src, dst))
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' and '%.60s' go together one to one, as two names of the same thing do: say which "
                   "columns are the nodes, or --src '%.60s' --dst '%.60s' if these are",
                   f->file, names[src], names[dst], names[src], names[dst]);
}

/* What is unclear of the nodes and of the time in one sentence, so that nobody comes back for the second. */
static int join_failures(const finding *f, int of_time, const scadyg_error *time, scadyg_error *error)
{
    const size_t file = strlen(f->file) + 2;
    if (!of_time || !error) return SCADYG_E_LAYOUT;
    const size_t used = strlen(error->message);
    const char *more = strlen(time->message) > file ? time->message + file : time->message;
    snprintf(error->message + used, sizeof error->message - used, "; besides, %s", more);
    return SCADYG_E_LAYOUT;
}

/* The columns of the nodes and of the time. */
static int give_needed(const finding *f, int *columns, scadyg_error *error)
{
    sg_layout *layout = f->layout;
    const char *told[] = {f->told->src, f->told->dst, f->told->time};
    scadyg_error of_time = {0};
    int status[NEEDED] = {SCADYG_OK};
    for (size_t k = 0; k < NEEDED; k++) {
        columns[k] = told[k] ? 0 : -1;
        if (told[k] || (k == DST && status[SRC])) continue;
        status[k] = k == TIME ? find_time(f, &columns[k], &of_time) : choose_node(f, k, &columns[k], error);
        if (status[k])
            columns[k] = -1;
        else if (columns[k] >= 0)
            layout->roles[columns[k]] = single[k].role;
    }
    if (status[SRC] || status[DST]) return join_failures(f, status[TIME], &of_time, error);
    if (columns[SRC] >= 0 && columns[DST] < 0) columns[DST] = find_other_end(f);
    if (columns[SRC] < 0 && columns[DST] < 0) find_opposite(f, columns);
    if (columns[SRC] >= 0 && columns[DST] >= 0 && status[TIME])
        return sg_fail(error, status[TIME], "%s", of_time.message);
    if (columns[SRC] >= 0 && columns[DST] >= 0 && columns[TIME] >= 0) return SCADYG_OK;
    if (status[TIME]) columns[TIME] = 0; /* it is told of behind */
    fail_missing(f, columns, error);
    return join_failures(f, status[TIME], &of_time, error);
}

static int give_roles(const finding *f, scadyg_error *error)
{
    sg_layout *layout = f->layout;
    const char *told[] = {[NEEDED] = f->told->weight, f->told->label};
    int columns[SINGLE] = {0};
    int status = give_needed(f, columns, error);
    for (size_t k = NEEDED; k < SINGLE && !status; k++) {
        if (told[k]) continue;
        status = choose(f, k, single[k].role == SG_ROLE_LABEL ? can_be_label : can_be_numbers, &columns[k], error);
        if (!status && columns[k] >= 0) layout->roles[columns[k]] = single[k].role;
    }
    if (!status) status = check_mixed(f, columns, error);
    if (!status) status = check_same(f, columns, error);
    if (!status) status = check_halves(f, error);
    if (status) return status;
    give_features(f);
    return SCADYG_OK;
}

/* What names promise the values must keep: a time of day, a date or a price is never a node. */
static int check_values(const finding *f, scadyg_error *error)
{
    const sg_layout *layout = f->layout;
    if (is_exported(layout)) return SCADYG_OK;
    for (int i = 0; i < layout->columns; i++) {
        const sg_column_facts *facts = &f->facts[i];
        const int node = layout->roles[i] == SG_ROLE_SRC || layout->roles[i] == SG_ROLE_DST;
        char why[160];
        /* An id may be written with a point. */
        const int decimals = facts->numbers && !facts->whole && f->names[i].form != 0;
        const char *look = facts->clocks                         ? "times of day"
                           : facts->dates && !facts->digit_dates ? "dates"
                           : facts->money                        ? "amounts of money"
                           : facts->plain_flags                  ? "true and false"
                           : facts->decimal_comma                ? "numbers with a comma"
                           : decimals                            ? "numbers that are not whole"
                                                                 : NULL;
        if (!node || !look || layout->told[i]) continue;
        snprintf(why, sizeof why, "the name of the column '%.60s' says %s, and it holds %s", layout->names[i],
                 layout->roles[i] == SG_ROLE_SRC ? "source" : "destination", look);
        return sg_layout_unclear(layout, f->sample, 1, f->file, why, error);
    }
    return SCADYG_OK;
}

/* What a name says; the second of two is as good as the first. */
static void read_name(const finding *f, int column)
{
    const char *name = f->layout->names[column];
    sg_name_read(name, strlen(name), &f->names[column]);
    for (int i = 0; i < column; i++)
        if (is_twin_name(name, f->layout->names[i])) f->names[column] = f->names[i];
}

static int settle_names(const finding *f, scadyg_error *error)
{
    for (int i = 0; i < f->layout->columns; i++) {
        const char *name = f->layout->names[i];
        read_name(f, i);
        f->facts[i] = sg_sample_facts(f->sample, 1, i, i + 1);
        /* "src" is the source, whatever else could be; but "time" may be the digits of a time of day. */
        const int plain = f->names[i].role != SG_ROLE_TIME || f->facts[i].dates || f->facts[i].unix_like;
        for (size_t k = 0; k < SINGLE; k++)
            if (strcmp(name, single[k].option) == 0 && plain) f->names[i].tier = -1;
        f->layout->roles[i] = SG_ROLE_IGNORE;
    }
    int status = sg_layout_by_names(f->layout, f->told, f->file, error);
    if (!status) status = give_roles(f, error);
    if (!status) status = check_values(f, error);
    return status ? status : sg_layout_join_times(f->layout, f->facts, f->file, error);
}

/* Most rows have more fields than the header has names: what separates fields stands in the values, too. */
static int check_wide(const sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                      scadyg_error *error)
{
    sg_name last;
    const sg_sample_row *first = NULL;
    int wide = 0;
    const char *name = layout->names[layout->columns - 1];
    sg_name_read(name, strlen(name), &last);
    if (last.role == SG_ROLE_FEATURE || told->features) return SCADYG_OK; /* the last name may stand for several */
    for (int i = 1; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        int count = row->count;
        while (count > layout->columns && row->fields[count - 1].length == 0) count--;
        if (count <= layout->columns) continue;
        if (!first) first = row;
        wide++;
    }
    if (!first || 2 * wide <= sample->count - 1 || (layout->separator != ' ' && layout->separator != ','))
        return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_LAYOUT,
        "%s:%llu: the row has %d fields where the header has %d names, and so have most: %s", file,
        (unsigned long long)first->line, first->count, layout->columns,
        layout->separator == ' '
            ? "blanks separate the fields, and stand in values too. Columns of fixed width are not read: "
              "export the table with commas or tabs between them"
            : "a comma within a value, as in 12,50, must stand in quotes: export the table with quotes, "
              "or with semicolons between the fields");
}

int sg_layout_by_header(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                        scadyg_error *error)
{
    /* Rows may have a few fields that the header has no names for. */
    int status = sg_layout_make_columns(layout, sample->rows[0].count + UNNAMED_MOST, error);
    if (status) return status;
    layout->columns = sample->rows[0].count;
    status = sg_layout_keep_names(layout, &sample->rows[0], error);
    if (!status) status = check_encoding(layout, sample, file, error);
    if (!status) status = insert_clocks(layout, sample, error);
    if (!status && has_row_names(layout, sample)) {
        layout->row_names = 1;
        status = insert_column(layout, 0, error);
    }
    if (status) return status;
    if (sample->count < 2 && sample->uncut)
        return sg_fail(error, SCADYG_E_INPUT,
                       "%s:%llu:1: a quoted field does not end as it should: a quote within it is written \"\", "
                       "not \\\"; with "
                       "--plain-quotes a quote is a letter",
                       file, (unsigned long long)sample->uncut);
    drop_last_columns(layout, sample);
    if (layout->columns < 3) return sg_layout_fail_narrow(layout->columns, file, error);
    status = check_wide(layout, sample, told, file, error);
    if (status) return status;
    finding f = {.layout = layout, .sample = sample, .told = told, .file = file};
    f.names = sg_alloc((size_t)layout->columns, sizeof *f.names);
    f.facts = sg_alloc((size_t)layout->columns, sizeof *f.facts);
    status = f.names && f.facts ? settle_names(&f, error) : sg_fail_memory(error, "the first rows");
    SG_FREE(f.names, f.facts);
    if (!status && sample->count < 2)
        status = sg_fail(error, SCADYG_E_INPUT, "%s has a header but no events", file);
    return status;
}
