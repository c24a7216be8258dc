/* Layout: what each column of a text file means. */
#include "events/import/layout_parts.h"

#include "base/memory.h"
#include "events/number_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sg_layout_free(sg_layout *layout)
{
    for (int i = 0; layout->names && i < layout->columns; i++) free(layout->names[i]);
    SG_FREE(layout->roles, layout->names, layout->told, layout->unfit, layout->header);
    *layout = (sg_layout){0};
}

int sg_layout_copy(sg_layout *copy, const sg_layout *layout, scadyg_error *error)
{
    *copy = *layout;
    copy->names = NULL;
    copy->header = NULL;
    copy->told = copy->unfit = NULL;
    copy->roles = sg_alloc((size_t)layout->columns, sizeof *copy->roles);
    if (!copy->roles) return sg_fail_memory(error, "the columns");
    memcpy(copy->roles, layout->roles, (size_t)layout->columns * sizeof *copy->roles);
    return SCADYG_OK;
}

const char *sg_role_name(sg_role role)
{
    static const char *const names[] = {"-",       "src",     "dst",   "time",  "weight", "label",
                                        "feature", "feature", "index", "clock", "zone"};
    return names[role];
}

int sg_layout_agree(const sg_layout *a, const sg_layout *b, const char *file_b, scadyg_error *error)
{
    const char *difference = NULL;
    if (a->features != b->features) difference = "another number of features than the first file";
    if ((a->weight < 0) != (b->weight < 0))
        difference = "weights and the first file has none, or the other way round";
    if ((a->label < 0) != (b->label < 0)) difference = "labels and the first file has none, or the other way round";
    if (a->dates != b->dates) difference = "another way to write times than the first file";
    if (difference)
        return sg_fail(error, SCADYG_E_LAYOUT, "%s has %s: import them apart, or say what the columns are", file_b,
                       difference);
    return SCADYG_OK;
}

int sg_layout_make_columns(sg_layout *layout, int columns, scadyg_error *error)
{
    layout->roles = sg_alloc_zero((size_t)columns, sizeof *layout->roles);
    layout->names = sg_alloc_zero((size_t)columns, sizeof *layout->names);
    layout->told = sg_alloc_zero((size_t)columns, sizeof *layout->told);
    layout->unfit = sg_alloc_zero((size_t)columns, sizeof *layout->unfit);
    if (!layout->roles || !layout->names || !layout->told || !layout->unfit)
        return sg_fail_memory(error, "the columns");
    layout->columns = columns;
    return SCADYG_OK;
}

uint32_t sg_list_count(const char *text, size_t length)
{
    uint32_t count = 0;
    size_t at = 0;
    for (;;) {
        size_t end = at;
        while (end < length && text[end] != ',' && text[end] != ';' && text[end] != ' ') end++;
        double value;
        if (sg_parse_double(text + at, end - at, &value)) return 0;
        count++;
        if (end == length) return count;
        at = end + 1;
        while (at < length && text[at] == ' ') at++;
    }
}

int sg_layout_is_time(const sg_layout *layout, const sg_field *field)
{
    double value;
    sg_time_read read;
    sg_time_format format = layout->time_format;
    const sg_time_sample sample = {field->text, field->length};
    const char *other;
    if (format.kind == SG_TIMES_PATTERN)
        return sg_time_format_read(&format, NULL, field->text, field->length, &read) == 0;
    return sg_parse_double(field->text, field->length, &value) == 0 ||
           sg_time_format_find(&sample, 1, &format, &other) > 0;
}

int sg_layout_keep_names(sg_layout *layout, const sg_sample_row *row, scadyg_error *error)
{
    layout->has_header = 1;
    for (int i = 0; i < row->count && i < layout->columns; i++) {
        layout->names[i] = strndup(row->fields[i].text, row->fields[i].length);
        if (!layout->names[i]) return sg_fail_memory(error, "column names");
        for (char *c = layout->names[i]; *c; c++) /* spreadsheets break long ones into lines */
            if (*c == '\n' || *c == '\r') *c = ' ';
    }
    return SCADYG_OK;
}

/* ---- The header ---- */

/* ",0,1,2": pandas has no names, and writes the numbers of the columns behind that of the rows. */
static int is_pandas_header(const sg_sample_row *row)
{
    for (int i = 1; i < row->count; i++) {
        char number[16];
        const int length = snprintf(number, sizeof number, "%d", i - 1);
        if ((int)row->fields[i].length != length || memcmp(row->fields[i].text, number, (size_t)length) != 0)
            return 0;
    }
    return row->count > 3 && row->fields[0].length == 0;
}

/* A header has nowhere a number or a time. */
static int looks_like_header(const sg_layout *layout, const sg_sample_row *row)
{
    if (is_pandas_header(row)) return 1;
    for (int i = 0; i < row->count; i++) {
        double value;
        const sg_field *field = &row->fields[i];
        if (sg_layout_is_time(layout, field) || sg_parse_double(field->text, field->length, &value) >= 0 ||
            sg_is_clock(field->text, field->length))
            return 0;
    }
    return 1;
}

/* ---- Without a header ---- */

static int find_by_numbers(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                           scadyg_error *error)
{
    int status = sg_layout_make_columns(layout, sg_sample_usual_count(sample, 0), error);
    if (!status) status = sg_layout_by_names(layout, told, file, error);
    if (!status && (!told->src || !told->dst || !told->time))
        status = sg_fail(error, SCADYG_E_USAGE, "%s has no header: say --src, --dst and --time, all three", file);
    return status ? status : sg_layout_join_told(layout, sample, 0, file, error);
}

/* Whether a column looks as that of the time of the first file does. */
static int looks_like_time(const sg_layout *earlier, const sg_column_facts *facts)
{
    return earlier->dates ? facts->dates : facts->unix_like;
}

/* A file without a header goes on in the columns of the first; where another one holds the times, it has another order. */
static int check_same_order(const sg_layout *layout, const sg_sample *sample, const sg_layout *earlier,
                            const char *file, scadyg_error *error)
{
    const int time = earlier->time;
    if (layout->time_format.told || !(earlier->dates || earlier->unix_times)) return SCADYG_OK;
    const sg_column_facts here = sg_sample_facts(sample, 0, time, layout->columns);
    if (!here.values || looks_like_time(earlier, &here) || here.unix_like) return SCADYG_OK;
    for (int i = 0; i < layout->columns && i < sample->rows[0].count; i++) {
        const sg_column_facts facts = sg_sample_facts(sample, 0, i, layout->columns);
        const sg_role role = layout->roles[i];
        if (i == time || !looks_like_time(earlier, &facts) ||
            (!earlier->dates && role != SG_ROLE_SRC && role != SG_ROLE_DST))
            continue;
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s has no header, and its columns are in another order than those of the first file: the "
                       "time is in column %d, not %d: give it a header, or import them apart",
                       file, i + 1, time + 1);
    }
    return SCADYG_OK;
}

static int take_from_earlier(sg_layout *layout, const sg_sample *sample, const sg_layout *earlier, const char *file,
                             scadyg_error *error)
{
    const sg_sample_row *row = &sample->rows[0];
    int status = sg_layout_make_columns(layout, earlier->columns, error);
    if (status) return status;
    layout->rest = earlier->rest;
    layout->time_fields = earlier->time_fields;
    layout->clock_digits = earlier->clock_digits;
    memcpy(layout->roles, earlier->roles, (size_t)layout->columns * sizeof *layout->roles);
    if (row->count < layout->columns && !(layout->rest && row->count == layout->columns - 1))
        return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: the row has %d field%s where %d are expected", file,
                       (unsigned long long)row->line, row->count, sg_plural(row->count), layout->columns);
    for (int i = 0; i < layout->columns; i++)
        if (layout->roles[i] == SG_ROLE_FEATURE_LIST) layout->roles[i] = SG_ROLE_FEATURE;
    return check_same_order(layout, sample, earlier, file, error);
}

/* ---- The rest follows from the roles ---- */

/* Whether a row is one to learn from: complete, with ids, a time, and numbers where features are. */
static int is_row_complete(const sg_layout *layout, const sg_sample_row *row)
{
    if (row->count < layout->columns && !(layout->rest && row->count == layout->columns - 1)) return 0;
    for (int i = 0; i < layout->columns && i < row->count; i++) {
        const sg_field *field = &row->fields[i];
        sg_role role = layout->roles[i];
        if ((role == SG_ROLE_SRC || role == SG_ROLE_DST) && field->length == 0) return 0;
        if (role == SG_ROLE_TIME && !sg_layout_is_time(layout, field)) return 0;
        if (role == SG_ROLE_FEATURE && sg_list_count(field->text, field->length) == 0) return 0;
    }
    return 1;
}

const sg_sample_row *sg_layout_good_row(const sg_layout *layout, const sg_sample *sample)
{
    for (int i = layout->has_header; i < sample->count; i++)
        if (is_row_complete(layout, &sample->rows[i])) return &sample->rows[i];
    return &sample->rows[layout->has_header];
}

/* Whether "1,5" in a column is two numbers: where the name speaks of features, or where commas part the fields too. */
static int is_list(const sg_layout *layout, int column)
{
    static const char *const names[] = {"features", "feature", "feat", "properties",
                                        "comma_separated_list_of_features"};
    for (size_t k = 0; layout->names[column] && k < sizeof names / sizeof *names; k++)
        if (sg_names_equal(layout->names[column], names[k])) return 1;
    return !layout->names[column] && layout->separator == ',';
}

/* A value of a column with a sign in it that may stand between thousands. */
static const sg_field *find_example(const sg_sample *sample, int first, int column)
{
    for (int i = first; i < sample->count; i++) {
        const sg_field *field = &sample->rows[i].fields[column];
        if (column < sample->rows[i].count && field->length > 4 &&
            (memchr(field->text, ',', field->length) || memchr(field->text, '.', field->length)))
            return field;
    }
    return &sample->rows[first].fields[0];
}

/* How decimals are written, where the options do not say it. */
static int find_decimal_comma(sg_layout *layout, const sg_sample *sample, int told, const char *file,
                              scadyg_error *error)
{
    int commas = 0, points = 0, doubtful = -1;
    for (int i = 0; i < layout->columns; i++) {
        const sg_role role = layout->roles[i];
        if (role != SG_ROLE_WEIGHT && role != SG_ROLE_LABEL && role != SG_ROLE_FEATURE) continue;
        const sg_column_facts facts = sg_sample_facts(sample, layout->has_header, i, i + 1);
        const int list = role == SG_ROLE_FEATURE && is_list(layout, i);
        if (facts.decimal_comma && !list) commas = 1;
        /* 1.500 between semicolons is what many write for 1500. */
        if ((facts.either || (facts.either_point && layout->separator == ';')) && !list) doubtful = i;
        points |= facts.decimal_point;
    }
    layout->decimal_comma = told == SG_DECIMAL_AUTO ? commas && !points : told == SG_DECIMAL_COMMA;
    if (told != SG_DECIMAL_AUTO || doubtful < 0 || commas || points) return SCADYG_OK;
    char name[70], number[24];
    snprintf(number, sizeof number, "column %d", doubtful + 1);
    snprintf(name, sizeof name, layout->names[doubtful] ? "'%.60s'" : "%s",
             layout->names[doubtful] ? layout->names[doubtful] : number);
    const sg_field *field = find_example(sample, layout->has_header, doubtful);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: the numbers of %s, such as '%.*s', have a sign that may stand before decimals or between "
                   "thousands: say --decimal comma or --decimal point",
                   file, name, (int)(field->length < 40 ? field->length : 40), field->text);
}

static void count_features(sg_layout *layout, const sg_sample_row *row)
{
    layout->feature_columns = 0;
    layout->features = 0;
    for (int i = 0; i < layout->columns; i++) {
        if (layout->roles[i] != SG_ROLE_FEATURE || i >= row->count) continue;
        const sg_field *field = &row->fields[i];
        const uint32_t numbers = sg_list_count(field->text, field->length);
        double value;
        layout->feature_columns++;
        if (!layout->decimal_comma && sg_parse_double(field->text, field->length, &value) < 0 && numbers > 1) {
            layout->roles[i] = SG_ROLE_FEATURE_LIST;
            layout->features += numbers;
        } else
            layout->features++;
    }
    if (layout->rest && layout->roles[layout->columns - 1] == SG_ROLE_FEATURE && row->count > layout->columns)
        layout->features += (uint32_t)(row->count - layout->columns);
}

static void find_places(sg_layout *layout)
{
    layout->src = layout->dst = layout->time = layout->weight = layout->label = layout->index = layout->clock =
        layout->zone = -1;
    int *places[] = {
        [SG_ROLE_SRC] = &layout->src,       [SG_ROLE_DST] = &layout->dst,     [SG_ROLE_TIME] = &layout->time,
        [SG_ROLE_WEIGHT] = &layout->weight, [SG_ROLE_LABEL] = &layout->label, [SG_ROLE_INDEX] = &layout->index,
        [SG_ROLE_CLOCK] = &layout->clock,   [SG_ROLE_ZONE] = &layout->zone};
    for (int i = 0; i < layout->columns; i++) {
        const sg_role role = layout->roles[i];
        if (role != SG_ROLE_IGNORE && role != SG_ROLE_FEATURE && role != SG_ROLE_FEATURE_LIST) *places[role] = i;
    }
    if (layout->time_fields > 1) layout->clock = -1; /* its fields stand together */
    if (layout->time_fields < 1) layout->time_fields = 1;
}

static int settle_columns(sg_layout *layout, const char *file, const sg_sample *sample, const sg_told *told,
                          scadyg_error *error)
{
    find_places(layout);
    int status = sg_layout_find_times(layout, sample, told, file, error);
    if (status) return status;
    layout->unix_times =
        !layout->dates && sg_sample_facts(sample, layout->has_header, layout->time, layout->time + 1).unix_like;
    layout->same_ends = sg_sample_is_one_to_one(sample, layout->has_header, layout->src, layout->dst);
    const sg_sample_row *row = sg_layout_good_row(layout, sample);
    /* A last feature name stands for all further fields (JODIE). */
    int count = row->count;
    while (count > layout->columns && row->fields[count - 1].length == 0) count--; /* separators at the end */
    if (layout->has_header && count > layout->columns && layout->roles[layout->columns - 1] == SG_ROLE_FEATURE)
        layout->rest = 1;
    status = find_decimal_comma(layout, sample, told->decimal, file, error);
    if (status) return status;
    count_features(layout, row);
    if (row->count < layout->columns && !(layout->rest && row->count == layout->columns - 1))
        return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: the row has %d field%s where %d are expected%s", file,
                       (unsigned long long)row->line, row->count, sg_plural(row->count), layout->columns,
                       layout->has_header && !told->columns
                           ? ", as the header has names: --columns says what they are instead, such as src,dst,time"
                           : "");
    return SCADYG_OK;
}

#define TITLES_MOST 20

/* Banks and reports have lines above the header: shorter than the rows, which begin behind it. Their number. */
static int count_titles(const sg_layout *layout, const sg_sample *sample)
{
    const int usual = sg_sample_usual_count(sample, 0);
    for (int i = 0; i < TITLES_MOST && i + 1 < sample->count && usual >= 3; i++) {
        if (sample->rows[i].count > usual) return 0;
        if (sample->rows[i].count == usual)
            return looks_like_header(layout, &sample->rows[i]) && !looks_like_header(layout, &sample->rows[i + 1])
                       ? i
                       : 0;
    }
    return 0;
}

static int find_roles(sg_layout *layout, const sg_sample *sample, const sg_told *told, const sg_layout *earlier,
                      const char *file, scadyg_error *error)
{
    if (told->columns) {
        int status = sg_layout_by_roles(layout, sample, told->columns, error);
        return status ? status : sg_layout_join_told(layout, sample, layout->has_header, file, error);
    }
    if (looks_like_header(layout, &sample->rows[0])) return sg_layout_by_header(layout, sample, told, file, error);
    if (sg_told_by_name(told)) return find_by_numbers(layout, sample, told, file, error);
    if (earlier) return take_from_earlier(layout, sample, earlier, file, error);
    int status = sg_layout_make_columns(layout, sg_sample_usual_count(sample, 0), error);
    return status ? status : sg_layout_by_values(layout, sample, 0, file, error);
}

static void find_kinds(sg_layout *layout, const sg_sample *sample, const sg_layout *earlier)
{
    if (layout->has_header) {
        const char *src = layout->names[layout->src], *dst = layout->names[layout->dst];
        layout->kinds = sg_names_two_kinds(src, dst)  ? SG_KINDS_TWO
                        : sg_names_one_kind(src, dst) ? SG_KINDS_ONE
                                                      : SG_KINDS_UNSAID;
    } else if (sample->konect) {
        layout->kinds = strcmp(sample->konect, "bip") == 0 ? SG_KINDS_TWO : SG_KINDS_ONE;
        layout->kinds_above = sample->konect;
    } else if (earlier) {
        layout->kinds = earlier->kinds;
        layout->kinds_above = earlier->kinds_above;
    }
}

/* "'view' and 'cart'": the different values of the column of --where in the first rows, some of them. */
static void list_values(sg_layout *layout, const sg_sample *sample)
{
    const sg_field *shown[6] = {NULL};
    int count = 0, more = 0;
    size_t used = 0;
    for (int i = layout->has_header; i < sample->count && !more; i++) {
        const sg_field *field = &sample->rows[i].fields[layout->where];
        int known = layout->where >= sample->rows[i].count;
        for (int k = 0; k < count && !known; k++)
            known = field->length == shown[k]->length && memcmp(field->text, shown[k]->text, field->length) == 0;
        if (known) continue;
        if (count == 6)
            more = 1;
        else
            shown[count++] = field;
    }
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(layout->where_values + used, sizeof layout->where_values - used, "%s'%.*s'",
                                 k == 0                  ? ""
                                 : k + 1 < count || more ? ", "
                                                         : " and ",
                                 (int)(shown[k]->length < 30 ? shown[k]->length : 30), shown[k]->text);
    if (more) snprintf(layout->where_values + used, sizeof layout->where_values - used, " and others");
}

/* What the column of zones says: one for all of the first rows, or the first of several. */
static void keep_place(sg_layout *layout, const sg_sample *sample)
{
    const sg_field *shown = NULL;
    layout->one_place = 1;
    for (int i = layout->has_header; i < sample->count; i++) {
        const sg_field *field = &sample->rows[i].fields[layout->place];
        if (layout->place >= sample->rows[i].count || sg_is_null(field->text, field->length)) continue;
        if (!shown) shown = field;
        layout->one_place &= field->length == shown->length && memcmp(field->text, shown->text, field->length) == 0;
    }
    if (shown) snprintf(layout->place_text, sizeof layout->place_text, "%.*s", (int)shown->length, shown->text);
}

int sg_layout_find(sg_layout *layout, const char *file, const char *text, size_t size, const sg_told *told,
                   const sg_layout *earlier, scadyg_error *error)
{
    static const sg_told nothing = {0};
    *layout = (sg_layout){.place = -1};
    if (!told) told = &nothing;
    if (told->columns && sg_told_by_name(told))
        return sg_fail(error, SCADYG_E_USAGE,
                       "--columns gives all roles in order: leave out --src, --dst and the like");
    sg_sample *sample = NULL;
    int status =
        told->time_format ? sg_time_format_tell(told->time_format, &layout->time_format, error) : SCADYG_OK;
    if (!status) status = sg_sample_take(&sample, file, text, size, told->plain_quotes, error);
    if (!status) {
        layout->separator = sample->separator;
        layout->plain_quotes = told->plain_quotes;
        layout->header = sample->header;
        sample->header = NULL;
        layout->titles = count_titles(layout, sample);
        sg_sample_drop(sample, layout->titles);
        status = find_roles(layout, sample, told, earlier, file, error);
        if (!status) status = settle_columns(layout, file, sample, told, error);
        if (!status) status = sg_layout_read_where(layout, told->where, file, error);
        if (!status && layout->where >= 0) list_values(layout, sample);
        if (!status) find_kinds(layout, sample, earlier);
        if (!status && layout->place >= 0 && layout->place != layout->time) keep_place(layout, sample);
        layout->skipped_lines = sample->rows[0].line - 1 + (layout->has_header ? sample->rows[0].lines : 0);
    }
    sg_sample_free(sample);
    if (status) sg_layout_free(layout);
    return status;
}
