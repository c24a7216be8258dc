/* Layout: what each column of a text file means. */
#include "events/import/layout.h"

#include "base/memory.h"
#include "events/number_text.h"
#include "events/time_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Guessing: what names people give to columns, and what the values of the first rows suggest ---- */

#define SAMPLE_ROWS 200

typedef struct sample_row {
    uint64_t line; /* from 1 */
    int count;
    sg_field *fields;
} sample_row;

typedef struct sample_rows {
    char separator;
    char *text;     /* a copy the fields point into */
    uint64_t uncut; /* the first line whose fields cannot be told apart; 0: none */
    int count;
    sample_row rows[SAMPLE_ROWS];
} sample_rows;

/* ---- Names ---- */

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
    int seen[SG_ROLE_INDEX + 1] = {0};
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

/* ---- The first rows ---- */

static void free_sample(sample_rows *sample)
{
    if (!sample) return;
    for (int i = 0; i < sample->count; i++) free(sample->rows[i].fields);
    SG_FREE(sample->text, sample);
}

static int add_sample_row(sample_rows *sample, char *line, size_t length, uint64_t number, sg_field *scratch,
                          const char *file, scadyg_error *error)
{
    if (sample->count == 0) sample->separator = sg_fields_separator(line, length);
    int count = sg_fields_cut(line, length, sample->separator, scratch, SG_FIELDS_MOST);
    if (count < 0 && sample->count > 0) { /* the parser will speak of it, or tolerate it */
        if (!sample->uncut) sample->uncut = number;
        return SCADYG_OK;
    }
    if (count < 0)
        return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:%zu: %s", file, (unsigned long long)number,
                       (size_t)(scratch[0].text - line) + 1,
                       count == SG_FIELDS_TOO_MANY ? "too many fields"
                                                   : "a quoted field does not end as it should");
    sample_row *row = &sample->rows[sample->count];
    row->fields = sg_alloc((size_t)count, sizeof *row->fields);
    if (!row->fields) return sg_fail_memory(error, "the first rows");
    memcpy(row->fields, scratch, (size_t)count * sizeof *scratch);
    row->count = count;
    row->line = number;
    sample->count++;
    return SCADYG_OK;
}

static int is_blank_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t') return 0;
    return 1;
}

/* Takes up to SAMPLE_ROWS rows, leaving out blank lines and leading comments (# or %). At least one. */
static int take_sample(sample_rows **out, const char *file, const char *text, size_t size, scadyg_error *error)
{
    sample_rows *sample = sg_alloc_zero(1, sizeof *sample);
    sg_field *scratch = sg_alloc(SG_FIELDS_MOST, sizeof *scratch);
    int status = sample && scratch ? SCADYG_OK : sg_fail_memory(error, "the first rows");
    if (!status && !(sample->text = sg_alloc(size, 1))) status = sg_fail_memory(error, "the first rows");
    if (!status) memcpy(sample->text, text, size);
    uint64_t number = 0;
    for (size_t at = 0; !status && at < size && sample->count < SAMPLE_ROWS;) {
        const char *newline = memchr(sample->text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - sample->text) : size, next = end + 1;
        number++;
        if (end > at && sample->text[end - 1] == '\r') end--;
        char *line = sample->text + at;
        size_t length = end - at;
        at = next;
        if (is_blank_line(line, length)) continue;
        if (sample->count == 0 && (*line == '#' || *line == '%')) continue;
        status = add_sample_row(sample, line, length, number, scratch, file, error);
    }
    free(scratch);
    if (!status && sample->count == 0)
        status = sg_fail(error, SCADYG_E_INPUT, "%s is empty: it has no events", file);
    if (status)
        free_sample(sample);
    else
        *out = sample;
    return status;
}

/*
 * What the values of a column have in common. A few of another kind are bad rows, of which the parser will speak;
 * they must not make another column the time.
 */
struct column_facts {
    int numbers, dates;       /* most are */
    int unix_like, year_like; /* all numbers among them are */
};

static struct column_facts find_facts(const sample_rows *sample, int column, int columns)
{
    int values = 0, numbers = 0, finite = 0, dates = 0, unix_like = 0, year_like = 0;
    for (int i = 0; i < sample->count; i++) {
        const sample_row *row = &sample->rows[i];
        if (row->count != columns || row->fields[column].length == 0) continue;
        double value = 0, ignored;
        int has_time;
        const sg_field *field = &row->fields[column];
        int parsed = sg_parse_double(field->text, field->length, &value), number = parsed == 0;
        values++;
        finite += number;
        numbers += parsed >= 0; /* nan too: a bad number, but no word */
        dates += parsed < 0 && sg_parse_date(field->text, field->length, &ignored, &has_time) == 0;
        unix_like += number && ((value >= 1e8 && value < 1e10) || (value >= 1e11 && value < 1e13));
        year_like += number && value >= 1000 && value < 3000 && value == floor(value);
    }
    int mostly_numbers = numbers > 0 && 2 * numbers >= values;
    return (struct column_facts){.numbers = mostly_numbers,
                                 .dates = !mostly_numbers && dates > 0 && 2 * dates >= values,
                                 .unix_like = finite && mostly_numbers && unix_like == finite,
                                 .year_like = finite && mostly_numbers && year_like == finite};
}

/* The one column with a property, -1 if none or several have it. */
static int find_only(const struct column_facts *facts, int columns, size_t property)
{
    int found = -1;
    for (int i = 0; i < columns; i++) {
        int has;
        memcpy(&has, (const char *)&facts[i] + property, sizeof has);
        if (has && found >= 0) return -1;
        if (has) found = i;
    }
    return found;
}

/* Three columns are src dst time unless the values speak against it. */
static int find_time_of_three(const struct column_facts *facts)
{
    int dates = find_only(facts, 3, offsetof(struct column_facts, dates));
    int unix_like = find_only(facts, 3, offsetof(struct column_facts, unix_like));
    if (dates >= 0) return dates;
    if (unix_like == 1) return -1; /* large ids or a time in the middle: who knows */
    if (unix_like >= 0) return unix_like;
    if (facts[2].numbers || facts[2].dates) return 2;
    return facts[0].numbers && !facts[1].numbers ? 0 : -1;
}

static int find_time_of_many(const struct column_facts *facts, int columns)
{
    int time = find_only(facts, columns, offsetof(struct column_facts, dates));
    if (time < 0) time = find_only(facts, columns, offsetof(struct column_facts, unix_like));
    if (time >= 0) return time;
    /* Two columns of words are the two nodes; then a column of years beside them is the time. */
    int words = 0;
    for (int i = 0; i < columns; i++) words += !facts[i].numbers && !facts[i].dates;
    return words == 2 ? find_only(facts, columns, offsetof(struct column_facts, year_like)) : -1;
}

static int fail_unclear(const char *file, int columns, scadyg_error *error)
{
    static const char *const examples[] = {"src,dst,time", "src,dst,time,weight", "src,dst,time,feature..."};
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: cannot tell which of its %d columns is the time; say --columns %s or the like", file,
                   columns,
                   examples[columns <= 3   ? 0
                            : columns == 4 ? 1
                                           : 2]);
}

/* Sets layout->roles for layout->columns columns, or explains what is unclear. */
static int find_roles_by_values(sg_layout *layout, const sample_rows *sample, const char *file, scadyg_error *error)
{
    int columns = layout->columns;
    if (columns < 3)
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s:%llu:1: the rows have %d field%s; a source, a destination and a time are needed", file,
                       (unsigned long long)sample->rows[0].line, columns, columns == 1 ? "" : "s");
    struct column_facts *facts = sg_alloc((size_t)columns, sizeof *facts);
    if (!facts) return sg_fail_memory(error, "the first rows");
    for (int i = 0; i < columns; i++) facts[i] = find_facts(sample, i, columns);
    int time = columns == 3 ? find_time_of_three(facts) : find_time_of_many(facts, columns);
    int words[2] = {-1, -1}, word_count = 0;
    for (int i = 0; i < columns; i++)
        if (i != time && !facts[i].numbers && !facts[i].dates) {
            if (word_count < 2) words[word_count] = i;
            word_count++;
        }
    free(facts);
    /* The nodes are the first two columns that are not the time; more than two columns of words leave a doubt. */
    int src = time == 0 ? 1 : 0, dst = time <= 1 ? 2 : 1;
    if (word_count == 2) {
        src = words[0];
        dst = words[1];
    }
    if (time < 0 || word_count > 2 || (word_count == 1 && words[0] != src && words[0] != dst))
        return fail_unclear(file, columns, error);
    for (int i = 0; i < columns; i++)
        layout->roles[i] = i == time  ? SG_ROLE_TIME
                           : i == src ? SG_ROLE_SRC
                           : i == dst ? SG_ROLE_DST
                                      : SG_ROLE_FEATURE;
    /* time src dst number is how weighted edge lists are written (TGB); src dst number time how ratings are. */
    if (columns == 4 && time == 0 && dst != 3) layout->roles[3] = SG_ROLE_WEIGHT;
    return SCADYG_OK;
}

const char *sg_role_name(sg_role role)
{
    static const char *const names[] = {"-",     "src",     "dst",     "time", "weight",
                                        "label", "feature", "feature", "index"};
    return names[role];
}

void sg_layout_free(sg_layout *layout)
{
    for (int i = 0; i < layout->columns; i++) free(layout->names[i]);
    memset(layout, 0, sizeof *layout);
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

/* Whether a field could be a time. */
static int is_time(const sg_field *field)
{
    double value;
    int has_time;
    return sg_parse_double(field->text, field->length, &value) == 0 ||
           sg_parse_date(field->text, field->length, &value, &has_time) == 0;
}

/* A header has a name somewhere that means something, and nowhere a number. */
static int looks_like_header(const sample_row *row)
{
    for (int i = 0; i < row->count; i++) {
        double value;
        const sg_field *field = &row->fields[i];
        if (is_time(field) || sg_parse_double(field->text, field->length, &value) > 0) return 0; /* nan, 1e999 */
    }
    return 1;
}

static int keep_names(sg_layout *layout, const sample_row *row, scadyg_error *error)
{
    layout->has_header = 1;
    for (int i = 0; i < row->count && i < layout->columns; i++) {
        layout->names[i] = strndup(row->fields[i].text, row->fields[i].length);
        if (!layout->names[i]) return sg_fail_memory(error, "column names");
    }
    return SCADYG_OK;
}

/* The header's names as "a, b, c" for a message. */
static void list_names(const sg_layout *layout, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < layout->columns && used + 8 < size; i++) {
        int wrote = snprintf(out + used, size - used, "%s'%.40s'", i ? ", " : "", layout->names[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static int find_roles_by_names(sg_layout *layout, const char *file, scadyg_error *error)
{
    int taken[SG_ROLE_INDEX + 1] = {0}, unnamed_first = layout->columns > 0 && !*layout->names[0];
    for (int i = 0; i < layout->columns; i++) {
        int known;
        sg_role role = sg_name_role(layout->names[i], strlen(layout->names[i]), &known);
        /* idx means the matrix row only in the DGB layout, whose first column has no name. */
        if (role == SG_ROLE_INDEX && !unnamed_first) role = SG_ROLE_IGNORE;
        if (role != SG_ROLE_FEATURE && role != SG_ROLE_IGNORE && taken[role]++) role = SG_ROLE_IGNORE;
        layout->roles[i] = role;
    }
    static const struct {
        sg_role role;
        const char *what;
    } needed[] = {{SG_ROLE_SRC, "the source"}, {SG_ROLE_DST, "the destination"}, {SG_ROLE_TIME, "the time"}};
    for (size_t k = 0; k < 3; k++) {
        if (taken[needed[k].role]) continue;
        char names[600];
        list_names(layout, names, sizeof names);
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: no column name says which is %s; the columns are %s: give their roles in this order, "
                       "such as --columns src,dst,time%s",
                       file, needed[k].what, names, layout->columns > 3 ? ",-..." : "");
    }
    return SCADYG_OK;
}

/* Whether a row is one to learn from: complete, with ids, a time, and numbers where features are. */
static int is_row_complete(const sg_layout *layout, const sample_row *row)
{
    if (row->count < layout->columns && !(layout->rest && row->count == layout->columns - 1)) return 0;
    for (int i = 0; i < layout->columns && i < row->count; i++) {
        const sg_field *field = &row->fields[i];
        sg_role role = layout->roles[i];
        if ((role == SG_ROLE_SRC || role == SG_ROLE_DST) && field->length == 0) return 0;
        if (role == SG_ROLE_TIME && !is_time(field)) return 0;
        if (role == SG_ROLE_FEATURE && sg_list_count(field->text, field->length) == 0) return 0;
    }
    return 1;
}

/* The first row from which the rest can be learned, so that a bad one misleads nobody; else the first of all. */
static const sample_row *find_good_row(const sg_layout *layout, const sample_rows *sample)
{
    for (int i = layout->has_header; i < sample->count; i++)
        if (is_row_complete(layout, &sample->rows[i])) return &sample->rows[i];
    return &sample->rows[layout->has_header];
}

/* Where each role stands, and how many numbers a row has. */
static int settle_columns(sg_layout *layout, const char *file, const sample_rows *sample, scadyg_error *error)
{
    const sample_row *row = find_good_row(layout, sample);
    layout->src = layout->dst = layout->time = layout->weight = layout->label = layout->index = -1;
    layout->feature_columns = 0;
    layout->features = 0;
    /* A last feature name stands for all further fields (JODIE). */
    if (layout->has_header && row->count > layout->columns && layout->roles[layout->columns - 1] == SG_ROLE_FEATURE)
        layout->rest = 1;
    for (int i = 0; i < layout->columns; i++) {
        int *places[] = {
            [SG_ROLE_SRC] = &layout->src,       [SG_ROLE_DST] = &layout->dst,     [SG_ROLE_TIME] = &layout->time,
            [SG_ROLE_WEIGHT] = &layout->weight, [SG_ROLE_LABEL] = &layout->label, [SG_ROLE_INDEX] = &layout->index};
        sg_role role = layout->roles[i];
        if (role == SG_ROLE_FEATURE && i < row->count) {
            double value;
            const sg_field *field = &row->fields[i];
            uint32_t numbers = sg_list_count(field->text, field->length);
            if (sg_parse_double(field->text, field->length, &value) < 0 && numbers > 1) {
                layout->roles[i] = SG_ROLE_FEATURE_LIST;
                layout->features += numbers;
            } else
                layout->features++;
            layout->feature_columns++;
        } else if (role != SG_ROLE_IGNORE && role != SG_ROLE_FEATURE)
            *places[role] = i;
    }
    if (layout->rest && layout->roles[layout->columns - 1] == SG_ROLE_FEATURE && row->count > layout->columns)
        layout->features += (uint32_t)(row->count - layout->columns);
    if (row->count < layout->columns && !(layout->rest && row->count == layout->columns - 1))
        return sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: the row has %d fields where %d are expected", file,
                       (unsigned long long)row->line, row->count, layout->columns);
    if (layout->time < row->count) {
        double value;
        int has_time;
        const sg_field *time = &row->fields[layout->time];
        layout->dates = sg_parse_double(time->text, time->length, &value) < 0 &&
                        sg_parse_date(time->text, time->length, &value, &has_time) == 0;
    }
    layout->two_id_spaces = sg_names_two_kinds(layout->names[layout->src], layout->names[layout->dst]);
    return SCADYG_OK;
}

/* The layout as --columns tells it; only the header is left to be found. */
static int find_told(sg_layout *layout, const sample_rows *sample, const char *told, const char *file,
                     scadyg_error *error)
{
    int status = read_told_roles(told, layout->roles, SG_FIELDS_MOST, &layout->columns, &layout->rest, error);
    if (status) return status;
    const sample_row *first = &sample->rows[0];
    int time = 0;
    while (layout->roles[time] != SG_ROLE_TIME) time++;
    /* A first row whose time is no time is a header, if the next row is better. */
    int header = sample->count > 1 && time < first->count && !is_time(&first->fields[time]) &&
                 time < sample->rows[1].count && is_time(&sample->rows[1].fields[time]);
    if (header) status = keep_names(layout, first, error);
    return status ? status : settle_columns(layout, file, sample, error);
}

static int find_by_header(sg_layout *layout, const sample_rows *sample, const char *file, scadyg_error *error)
{
    layout->columns = sample->rows[0].count;
    int status = keep_names(layout, &sample->rows[0], error);
    if (!status) status = find_roles_by_names(layout, file, error);
    if (!status && sample->count < 2 && sample->uncut)
        status = sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: a quoted field does not end as it should", file,
                         (unsigned long long)sample->uncut);
    else if (!status && sample->count < 2)
        status = sg_fail(error, SCADYG_E_INPUT, "%s has a header but no events", file);
    return status ? status : settle_columns(layout, file, sample, error);
}

/* The number of fields most rows have; the first such number of several. */
static int find_usual_count(const sample_rows *sample)
{
    int best = sample->rows[0].count, most = 0;
    for (int i = 0; i < sample->count; i++) {
        int same = 0;
        for (int k = 0; k < sample->count; k++) same += sample->rows[k].count == sample->rows[i].count;
        if (same <= most) continue;
        most = same;
        best = sample->rows[i].count;
    }
    return best;
}

static int find_by_values(sg_layout *layout, const sample_rows *sample, const char *file, scadyg_error *error)
{
    layout->columns = find_usual_count(sample);
    int status = find_roles_by_values(layout, sample, file, error);
    return status ? status : settle_columns(layout, file, sample, error);
}

static int take_from_earlier(sg_layout *layout, const sample_rows *sample, const sg_layout *earlier,
                             const char *file, scadyg_error *error)
{
    layout->columns = earlier->columns;
    layout->rest = earlier->rest;
    for (int i = 0; i < earlier->columns; i++) {
        sg_role role = earlier->roles[i];
        layout->roles[i] = role == SG_ROLE_FEATURE_LIST ? SG_ROLE_FEATURE : role;
    }
    int status = settle_columns(layout, file, sample, error);
    layout->two_id_spaces = earlier->two_id_spaces;
    return status;
}

int sg_layout_find(sg_layout *layout, const char *file, const char *text, size_t size, const char *told,
                   const sg_layout *earlier, scadyg_error *error)
{
    memset(layout, 0, sizeof *layout);
    sample_rows *sample = NULL;
    int status = take_sample(&sample, file, text, size, error);
    if (!status) {
        layout->separator = sample->separator;
        if (told)
            status = find_told(layout, sample, told, file, error);
        else if (looks_like_header(&sample->rows[0]))
            status = find_by_header(layout, sample, file, error);
        else if (earlier)
            status = take_from_earlier(layout, sample, earlier, file, error);
        else
            status = find_by_values(layout, sample, file, error);
        layout->skipped_lines = sample->rows[0].line - (layout->has_header ? 0 : 1);
    }
    free_sample(sample);
    if (status) sg_layout_free(layout);
    return status;
}

int sg_layout_agree(const sg_layout *a, const sg_layout *b, const char *file_b, scadyg_error *error)
{
    const char *difference = NULL;
    if (a->features != b->features) difference = "another number of features than the first file";
    if ((a->weight < 0) != (b->weight < 0))
        difference = "weights and the first file has none, or the other way round";
    if ((a->label < 0) != (b->label < 0)) difference = "labels and the first file has none, or the other way round";
    if (a->dates != b->dates) difference = "another way to write times than the first file";
    if (a->two_id_spaces != b->two_id_spaces) difference = "another kind of ids than the first file";
    if (difference)
        return sg_fail(error, SCADYG_E_LAYOUT, "%s has %s: import them apart, or say --columns", file_b,
                       difference);
    return SCADYG_OK;
}

/* What a person is told of a column's role. */
static const char *describe_role(const sg_layout *layout, int column)
{
    switch (layout->roles[column]) {
    case SG_ROLE_SRC: return "source";
    case SG_ROLE_DST: return "destination";
    case SG_ROLE_TIME: return layout->dates ? "time (dates)" : "time (numbers)";
    case SG_ROLE_WEIGHT: return "weight";
    case SG_ROLE_LABEL: return "label";
    case SG_ROLE_FEATURE: return "feature";
    case SG_ROLE_FEATURE_LIST: return "features, several numbers in one field";
    case SG_ROLE_INDEX: return "row of the edge-feature file";
    default: return "ignored";
    }
}

static const char *name_separator(char separator)
{
    switch (separator) {
    case ' ': return "blank";
    case '\t': return "tab";
    case ',': return "comma";
    case ';': return "semicolon";
    default: return "bar";
    }
}

int sg_layout_describe(const sg_layout *layout, const char *file, const char *encoding, char **text,
                       scadyg_error *error)
{
    int status = sg_add_line(error, text, "%s: %s, %s-separated, %s", file, encoding,
                             name_separator(layout->separator), layout->has_header ? "with a header" : "no header");
    for (int i = 0; i < layout->columns && !status; i++) {
        const char *name = layout->names[i] ? layout->names[i] : "";
        int last = i;
        /* A run of feature columns takes one line. */
        while (layout->roles[i] == SG_ROLE_FEATURE && last + 1 < layout->columns &&
               layout->roles[last + 1] == SG_ROLE_FEATURE)
            last++;
        const char *further = last == layout->columns - 1 && layout->rest ? ", and all further fields" : "";
        if (last > i)
            status =
                sg_add_line(error, text, "  columns %d-%d  %-22.60s features%s", i + 1, last + 1, name, further);
        else
            status = sg_add_line(error, text, "  column %-6d %-22.60s %s%s", i + 1, name, describe_role(layout, i),
                                 further);
        i = last;
    }
    if (layout->features && !status)
        status = sg_add_line(error, text, "  %u feature%s per event", layout->features,
                             layout->features == 1 ? "" : "s");
    if (layout->two_id_spaces && !status)
        status = sg_add_line(error, text, "  sources and destinations have ids of their own");
    return status;
}
