/* What the values of a column have in common in the first rows of a file, and those of two columns. */
#include "events/import/layout_sample.h"

#include "base/memory.h"
#include "events/import/amount.h"
#include "events/number_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int is_zone(const char *text, size_t length)
{
    int64_t offset;
    if (length == 2 && (strncasecmp(text, "AM", 2) == 0 || strncasecmp(text, "PM", 2) == 0)) return 1;
    return length > 0 && sg_zone_read(text, length, &offset) == length;
}

static int is_utc(const char *text, size_t length)
{
    int64_t offset;
    return (sg_zone_read(text, length, &offset) == length && offset == 0) ||
           (length == 7 && strncasecmp(text, "Etc/UTC", 7) == 0) || (length == 1 && *text == '0');
}

/* A word, as kinds of events are: without digits and signs, but for those within it. */
static int is_letters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i] | 32;
        const int letter = (c >= 'a' && c <= 'z') || (unsigned char)text[i] >= 0x80;
        if (!letter && !(i && (text[i] == '_' || text[i] == '-' || text[i] == ' '))) return 0;
    }
    return length > 0;
}

/* Different values of a column, by their hashes. */
typedef struct distinct_values {
    uint64_t hash[SG_DISTINCT_MOST];
    int count;
} distinct_values;

/* FNV-1a: at most 64 values are compared, so nobody gains by collisions. */
static uint64_t hash_value(const sg_field *field)
{
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < field->length; i++) hash = (hash ^ (unsigned char)field->text[i]) * 1099511628211u;
    return hash;
}

static int has_hash(const distinct_values *values, uint64_t hash)
{
    for (int i = 0; i < values->count; i++)
        if (values->hash[i] == hash) return 1;
    return 0;
}

static void note_hash(distinct_values *values, uint64_t hash)
{
    if (values->count < SG_DISTINCT_MOST && !has_hash(values, hash)) values->hash[values->count++] = hash;
}

sg_pair_facts sg_sample_pair(const sg_sample *sample, int first, int a, int b)
{
    distinct_values one = {.count = 0}, other = {.count = 0}, both = {.count = 0};
    sg_pair_facts facts = {0};
    for (int i = first; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        if (row->count <= a || row->count <= b) continue;
        const uint64_t x = hash_value(&row->fields[a]), y = hash_value(&row->fields[b]);
        note_hash(&one, x);
        note_hash(&other, y);
        note_hash(&both, x * 31 + y);
    }
    for (int i = 0; i < one.count; i++) facts.shared += has_hash(&other, one.hash[i]);
    facts.pairs = both.count;
    return facts;
}

#define SEVERAL 3 /* values without which nothing is odd, */
#define AGAIN 5   /* and rows that have one again */

static int are_equal(const sg_field *one, const sg_field *other)
{
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

int sg_sample_is_one_to_one(const sg_sample *sample, int first, int a, int b)
{
    int values = 0, again = 0;
    for (int i = first; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        int old = 0;
        if (row->count <= a || row->count <= b) continue;
        for (int k = first; k < i; k++) {
            const sg_sample_row *before = &sample->rows[k];
            if (before->count <= a || before->count <= b) continue;
            const int same = are_equal(&row->fields[a], &before->fields[a]);
            if (same != are_equal(&row->fields[b], &before->fields[b])) return 0;
            old |= same;
        }
        values += !old;
        again += old;
    }
    return values >= SEVERAL && again >= AGAIN;
}

size_t sg_sample_times(const sg_sample *sample, int first, int column, int fields, sg_time_format *format,
                       const char **other_order)
{
    sg_time_sample *texts = sg_alloc((size_t)sample->count, sizeof *texts);
    size_t count = 0;
    *format = (sg_time_format){0};
    *other_order = NULL;
    if (!texts) return 0;
    for (int i = first; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        if (row->count < column + fields || sg_is_null(row->fields[column].text, row->fields[column].length))
            continue;
        const sg_field *begin = &row->fields[column], *end = &row->fields[column + fields - 1];
        texts[count++] = (sg_time_sample){begin->text, (size_t)(end->text - begin->text) + end->length};
    }
    const size_t read = sg_time_format_find(texts, count, format, other_order);
    free(texts);
    return 2 * read >= count ? read : 0;
}

int sg_sample_guess(const sg_sample *sample, int first, int column, char guess[SG_GUESS_LONGEST])
{
    sg_time_sample *texts = sg_alloc((size_t)sample->count, sizeof *texts);
    size_t count = 0;
    for (int i = first; texts && i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        if (row->count > column && !sg_is_null(row->fields[column].text, row->fields[column].length))
            texts[count++] = (sg_time_sample){row->fields[column].text, row->fields[column].length};
    }
    const int found = texts && sg_time_format_guess(texts, count, guess);
    free(texts);
    return found;
}

/* In how many ways the numbers of a column can be read. */
typedef struct number_count {
    int plain, finite, whole, points; /* by sg_parse_double */
    int point, comma;                 /* by sg_parse_amount: those that read with this sign for decimals */
    int either, either_point;         /* ... that are one number with one and another with the other */
    int money, flags, long_flags;
    int unix_like, year_like, ids;
    int small, hours, rising, falling; /* rising, falling: steps from one number to the next */
    double last;
} number_count;

/* From 1990 to 2100 in seconds, milliseconds, microseconds and nanoseconds; what begins with 0 is an id. */
static int is_unix_like(const sg_field *field, double value)
{
    if (*field->text == '0') return 0;
    return (value >= 1e8 && value < 1e10) || (value >= 1e11 && value < 1e13) || (value >= 1e14 && value < 1e16) ||
           sg_time_number_kind(value) != SG_TIMES_NUMBERS;
}

static void count_plain(number_count *n, const sg_field *field, double value)
{
    n->rising += n->finite > 0 && value > n->last;
    n->falling += n->finite > 0 && value < n->last;
    n->last = value;
    n->hours += value == floor(value) && value >= 0 && value < 24;
    n->small += value == floor(value) && fabs(value) <= 10;
    n->finite++;
    n->whole += value == floor(value);
    n->points += memchr(field->text, '.', field->length) != NULL;
    n->unix_like += is_unix_like(field, value);
    n->year_like += value >= 1000 && value < 3000 && value == floor(value);
    n->ids += value == floor(value) && fabs(value) > 100;
}

static void count_number(number_count *n, const sg_field *field)
{
    double value = 0, other = 0;
    const int parsed = sg_parse_double(field->text, field->length, &value);
    n->plain += parsed >= 0; /* nan too: a bad number, but no word */
    if (parsed == 0) count_plain(n, field, value);
    const int point = sg_parse_amount(field->text, field->length, 0, &value) == 0;
    const int comma = sg_parse_amount(field->text, field->length, 1, &other) == 0;
    n->point += point;
    n->comma += comma;
    n->either += parsed < 0 && point && comma && value != other;
    n->either_point += parsed == 0 && comma && value != other;
    n->money += sg_is_money(field->text, field->length) != 0;
    const int flag = parsed < 0 && point && comma && field->length && strchr("tTfFyYnN", *field->text) != NULL;
    n->flags += flag;
    n->long_flags += flag && field->length > 1;
}

static void settle_numbers(sg_column_facts *facts, const number_count *n)
{
    const int values = facts->values;
    facts->numbers = n->plain > 0 && 2 * n->plain >= values;
    facts->whole = facts->numbers && n->whole == n->finite;
    facts->unix_like = n->finite && facts->numbers && n->unix_like == n->finite;
    facts->year_like = n->finite && facts->numbers && n->year_like == n->finite;
    facts->large = facts->whole && 2 * n->ids >= values;
    facts->hours = facts->whole && n->hours == n->finite;
    facts->small = facts->whole && n->small == n->finite;
    facts->counter = facts->whole && n->finite > 2 && (n->rising == n->finite - 1 || n->falling == n->finite - 1);
    facts->steady = facts->whole && n->finite > 2 && n->rising > 0 && n->falling == 0;
    facts->falls = n->falling > 0;
    facts->decimal_comma = n->comma > n->point && 2 * n->comma >= values;
    facts->decimal_point = n->point > n->comma && 2 * n->point >= values;
    facts->either = n->either > 0 && n->point == n->comma && 2 * n->point >= values;
    facts->either_point = n->either_point > 0 && n->point == n->comma && 2 * n->point >= values;
    facts->money = n->money > 0 && 2 * n->money >= values;
    facts->flags = n->flags > 0 && 2 * n->flags >= values;
    facts->plain_flags = n->long_flags > 0 && 2 * n->long_flags >= values;
    facts->amounts = values > 0 && 2 * (n->comma > n->point ? n->comma : n->point) >= values;
}

/* What most dates have besides the day. */
static void look_at_dates(sg_column_facts *facts, const sg_sample *sample, int first, int column)
{
    int dates = 0, clocks = 0, zones = 0;
    for (int i = first; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        sg_time_read read;
        if (row->count <= column ||
            sg_time_format_read(&facts->format, NULL, row->fields[column].text, row->fields[column].length, &read))
            continue;
        dates++;
        clocks += read.has_clock;
        zones += read.has_clock && read.has_zone;
    }
    facts->with_clock = clocks > 0 && 2 * clocks >= dates;
    facts->with_zone = zones > 0 && 2 * zones >= dates;
}

sg_column_facts sg_sample_facts(const sg_sample *sample, int first, int column, int columns)
{
    sg_column_facts facts = {0};
    distinct_values values = {.count = 0};
    number_count numbers = {0};
    int clocks = 0, zones = 0, utc = 0, letters = 0;
    for (int i = first; i < sample->count; i++) {
        const sg_sample_row *row = &sample->rows[i];
        if (row->count < columns || sg_is_null(row->fields[column].text, row->fields[column].length)) continue;
        const sg_field *field = &row->fields[column];
        facts.values++;
        note_hash(&values, hash_value(field));
        letters += is_letters(field->text, field->length);
        count_number(&numbers, field);
        clocks += sg_is_clock(field->text, field->length);
        zones += is_zone(field->text, field->length);
        utc += is_utc(field->text, field->length);
    }
    facts.distinct = values.count;
    facts.letters = facts.values > 0 && letters == facts.values;
    settle_numbers(&facts, &numbers);
    facts.clocks = clocks > 0 && 2 * clocks >= facts.values;
    facts.zones = zones > 0 && 2 * zones >= facts.values;
    const size_t times = sg_sample_times(sample, first, column, 1, &facts.format, &facts.other_order);
    facts.all_utc = facts.values > 0 && utc == facts.values;
    facts.dates = times && facts.format.kind >= SG_TIMES_ISO;
    if (facts.dates) look_at_dates(&facts, sample, first, column);
    facts.digit_dates = facts.dates && facts.numbers;
    return facts;
}
