/* Guessing the layout: what names people give to columns, and what the values of the first rows suggest. */
#include "events/import/layout_guess.h"

#include "base/memory.h"
#include "events/number_text.h"
#include "events/time_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int sg_told_roles(const char *told, sg_role *roles, int most, int *count, int *rest, scadyg_error *error)
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

void sg_sample_free(sg_sample *sample)
{
    if (!sample) return;
    for (int i = 0; i < sample->count; i++) free(sample->rows[i].fields);
    free(sample->text);
    free(sample);
}

static int add_sample_row(sg_sample *sample, char *line, size_t length, uint64_t number, sg_field *scratch,
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
    sg_sample_row *row = &sample->rows[sample->count];
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

int sg_sample_take(sg_sample **out, const char *file, const char *text, size_t size, scadyg_error *error)
{
    sg_sample *sample = sg_alloc_zero(1, sizeof *sample);
    sg_field *scratch = sg_alloc(SG_FIELDS_MOST, sizeof *scratch);
    int status = sample && scratch ? SCADYG_OK : sg_fail_memory(error, "the first rows");
    if (!status && !(sample->text = sg_alloc(size, 1))) status = sg_fail_memory(error, "the first rows");
    if (!status) memcpy(sample->text, text, size);
    uint64_t number = 0;
    for (size_t at = 0; !status && at < size && sample->count < SG_SAMPLE_ROWS;) {
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
        sg_sample_free(sample);
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

static struct column_facts find_facts(const sg_sample *sample, int column, int columns)
{
    int values = 0, numbers = 0, finite = 0, dates = 0, unix_like = 0, year_like = 0;
    for (int i = 0; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
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

int sg_roles_from_values(sg_layout *layout, const sg_sample *sample, const char *file, scadyg_error *error)
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
