/* What looks odd in the nodes of a log: ids that a program has changed, that differ in their writing, that stand for none. */
#include "events/import/checks.h"

#include "base/csv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    ENOUGH_OF_ONE = 50, /* events without which the share of one node is nothing odd */
    KEYS_LEAST = 20     /* events without which ids that do not come again are nothing odd */
};
#define MOST 0.5    /* of the events have one node */
#define COUNTED 0.5 /* of the numbers up to the largest are ids: then 0 is one like others */

/* ---- Ids that a program has changed ---- */

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

/* 4.91E+11, 1e+05: fewer decimals than digits were there. */
int sg_is_shortened(const char *id, size_t length)
{
    if (length < 5 || count_digits(id, length) != 1) return 0;
    const size_t decimals = id[1] == '.' || id[1] == ',' ? count_digits(id + 2, length - 2) : 0;
    const size_t e = decimals ? 2 + decimals : 1;
    if (e + 3 >= length || (id[e] != 'E' && id[e] != 'e') || id[e + 1] != '+') return 0;
    size_t exponent = 0;
    for (size_t i = e + 2; i < length; i++) {
        if (id[i] < '0' || id[i] > '9' || exponent > 99) return 0;
        exponent = exponent * 10 + (size_t)(id[i] - '0');
    }
    return decimals < exponent;
}

/* 12.0: what pandas makes of ids where one was missing. */
static int is_floated(const char *id, size_t length)
{
    const size_t whole = count_digits(id, length);
    return whole > 0 && length == whole + 2 && id[whole] == '.' && id[whole + 1] == '0';
}

static int is_several(const char *id, size_t length)
{
    const char *at = memchr(id, '@', length);
    const size_t rest = at ? length - (size_t)(at - id) - 1 : 0;
    return at && memchr(at + 1, '@', rest) && (memchr(at + 1, ',', rest) || memchr(at + 1, ';', rest));
}

/* [12, 13], {...}, 12|13|14: a basket in one field. */
static int is_basket(const char *id, size_t length)
{
    if (length > 2 && ((id[0] == '[' && id[length - 1] == ']') || (id[0] == '{' && id[length - 1] == '}')))
        return memchr(id, ',', length) || memchr(id, ' ', length);
    const size_t first = count_digits(id, length);
    return first > 0 && first + 1 < length && strchr("|;", id[first]) != NULL &&
           count_digits(id + first + 1, length - first - 1) > 0;
}

/* ="00123": how a spreadsheet is kept from taking it for a number. */
static int is_formula(const char *id, size_t length)
{
    return length > 3 && id[0] == '=' && id[1] == '"' && id[length - 1] == '"';
}

/* Ids that a program has changed, or that are several: the first of each kind. */
static int describe_texts(const sg_ids *ids, char **text, scadyg_error *error)
{
    static const struct {
        int (*is)(const char *id, size_t length);
        const char *odd;
    } kinds[] = {{sg_is_shortened,
                  "looks like a long number that a spreadsheet has shortened: different ids may have become "
                  "one"},
                 {is_floated,
                  "is a whole number written with a point, as pandas does where a column has gaps: without "
                  "the point it would be another id"},
                 {is_basket, "looks like several ids: an event has one source and one destination"},
                 {is_formula, "is a spreadsheet's formula, and kept as it stands"},
                 {is_several, "looks like several addresses: an event has one destination"}};
    int status = SCADYG_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t node = 0; node < ids->count && !status; node++) {
            char digits[24];
            size_t length;
            const char *id = sg_ids_text(ids, node, digits, &length);
            if (!(ids->kinds[node] & SG_ID_TEXT) || !kinds[k].is(id, length)) continue;
            status =
                sg_add_line(error, text, "the id '%.*s' %s", (int)(length < 60 ? length : 60), id, kinds[k].odd);
            break;
        }
    return status;
}

/* ---- Ids that differ only in their writing ---- */

#define WRITTEN_LONGEST 128
#define BY_RIGHT 1000 /* fewer pairs than one in so many ids are nothing odd */

/* In small letters, without zeros before a whole number or ".0" behind it. Returns its length; 0: it is the same. */
static size_t write_plainly(const char *id, size_t length, char out[WRITTEN_LONGEST])
{
    const size_t digits = count_digits(id, length);
    size_t zeros = 0, changed = 0;
    if (length >= WRITTEN_LONGEST) return 0;
    if (digits == length || is_floated(id, length)) {
        while (zeros + 1 < digits && id[zeros] == '0') zeros++;
        memcpy(out, id + zeros, digits - zeros);
        return zeros || digits < length ? digits - zeros : 0;
    }
    for (size_t i = 0; i < length; i++) {
        const int large = id[i] >= 'A' && id[i] <= 'Z';
        out[i] = (char)(id[i] + 32 * large);
        changed += (size_t)large;
    }
    return changed ? length : 0;
}

/* The node whose id is that of another in plain writing; UINT32_MAX: there is none. */
static uint32_t find_twin(const sg_checks *c, const sg_ids *ids, uint32_t node, const char *id, size_t length)
{
    char plain[WRITTEN_LONGEST];
    sg_id twin;
    uint32_t found[2];
    const size_t size = write_plainly(id, length, plain);
    if (!size) return UINT32_MAX;
    sg_id_parse(&twin, &ids->key, plain, size);
    sg_ids_find_sides(ids, &twin, found);
    const int side = (ids->kinds[node] & SG_ID_DESTINATION) != 0;
    return found[side] == UINT32_MAX && c->by_ids ? found[!side] : found[side];
}

/* Pairs of nodes with such ids: how many, and the first. */
typedef struct twin_ids {
    uint64_t count;
    uint32_t node, twin;
} twin_ids;

static int describe_pair(const twin_ids *twins, const sg_ids *ids, char **text, scadyg_error *error)
{
    char digits[24], other_digits[24], number[32];
    size_t length, other_length;
    const char *one = sg_ids_text(ids, twins->node, digits, &length),
               *other = sg_ids_text(ids, twins->twin, other_digits, &other_length);
    const int many = twins->count > 1;
    return sg_add_line(error, text, "%s%s'%.*s' and '%.*s' are different ids: are they meant as one?",
                       many ? sg_count_text(twins->count, number) : "", many ? " pairs such as " : "",
                       (int)(length < 60 ? length : 60), one, (int)(other_length < 60 ? other_length : 60), other);
}

/*
 * '007' and '7', '12.0' and '12', 'ANN' and 'ann': nodes of their own, which may be meant as one. Names of files and the like
 * differ in a few large letters by right.
 */
static int describe_twins(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    twin_ids numbers = {0}, words = {0};
    for (uint32_t node = 0; node < ids->count; node++) {
        char digits[24];
        size_t length;
        if (!(ids->kinds[node] & SG_ID_TEXT)) continue;
        const char *id = sg_ids_text(ids, node, digits, &length);
        const uint32_t twin = find_twin(c, ids, node, id, length);
        if (twin == UINT32_MAX) continue;
        twin_ids *twins = ids->kinds[twin] & SG_ID_TEXT ? &words : &numbers;
        if (twins->count++ == 0) *twins = (twin_ids){1, node, twin};
    }
    int status = numbers.count ? describe_pair(&numbers, ids, text, error) : SCADYG_OK;
    if (!status && words.count && words.count * BY_RIGHT >= ids->count)
        status = describe_pair(&words, ids, text, error);
    return status;
}

/* ---- Ids that may stand for none ---- */

/* Words for nobody, whatever signs stand around them; and signs alone. */
static int is_nobody(const char *id, size_t length)
{
    static const char *const words[] = {"null",       "nil",          "none",          "na",
                                        "n/a",        "nan",          "unknown",       "undefined",
                                        "undef",      "missing",      "anonymous",     "anon",
                                        "guest",      "nobody",       "not set",       "notset",
                                        "not_set",    "not provided", "not available", "not applicable",
                                        "unassigned", "empty",        "blank",         "void",
                                        "unbekannt",  "gast",         "anonym",        "inconnu",
                                        "invité",     "desconocido",  "invitado",      "n.a",
                                        "no data",    "other",        "default"};
    size_t begin = 0, end = length;
    while (begin < end && strchr("#<>()[]{}\"'\\*-_.?/ ", id[begin])) begin++;
    while (end > begin && strchr("#<>()[]{}\"'\\*-_.?/!: ", id[end - 1])) end--;
    if (begin == end) return 1;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == end - begin && strncasecmp(words[k], id + begin, end - begin) == 0) return 1;
    return 0;
}

/* 00000000-0000-0000-0000-000000000000, 0x0000, 000000 */
static int is_zeros(const char *id, size_t length)
{
    size_t zeros = 0;
    for (size_t i = 0; i < length; i++) {
        zeros += id[i] == '0';
        if (id[i] != '0' && id[i] != '-' && !(i == 1 && id[i] == 'x')) return 0;
    }
    return zeros > 1;
}

/* Whether the whole numbers among the ids of a node's side are counted from 0 on. */
static int is_counted_from_zero(const sg_ids *ids, uint32_t node)
{
    uint64_t count = 0;
    int64_t most = 0;
    const int side = ids->kinds[node] & SG_ID_DESTINATION;
    for (size_t i = 0; i < ids->count; i++) {
        if ((ids->kinds[i] & SG_ID_TEXT) || ids->keys[i] < 0 || (ids->kinds[i] & SG_ID_DESTINATION) != side)
            continue;
        count++;
        if (ids->keys[i] > most) most = ids->keys[i];
    }
    return (double)count >= COUNTED * ((double)most + 1);
}

static int is_null_node(const sg_ids *ids, uint32_t node)
{
    char digits[24];
    size_t length;
    if (!(ids->kinds[node] & SG_ID_TEXT))
        return ids->keys[node] == -1 || (ids->keys[node] == 0 && !is_counted_from_zero(ids, node));
    const char *id = sg_ids_text(ids, node, digits, &length);
    return is_nobody(id, length) || is_zeros(id, length);
}

void sg_checks_find_nulls(sg_checks *checks, const sg_ids *ids)
{
    checks->null_count = 0;
    for (uint32_t node = 0; node < ids->count && checks->null_count < SG_NULLS_MOST; node++)
        if (is_null_node(ids, node)) checks->nulls[checks->null_count++] = (sg_null_node){.node = node};
}

static int describe_null(const sg_null_node *null, const sg_ids *ids, char **text, scadyg_error *error)
{
    char digits[24], one[48], other[48];
    size_t length;
    const char *id = sg_ids_text(ids, null->node, digits, &length);
    const int shown = (int)(length < 60 ? length : 60);
    sg_count_noun(null->count[0], "event", one);
    sg_count_noun(null->count[1], "event", other);
    if (null->count[0] && null->count[1])
        return sg_add_line(
            error, text, "'%.*s' is the source of %s and the destination of %s: is it one node, or is it missing?",
            shown, id, one, other);
    return sg_add_line(error, text, "'%.*s' is the %s of %s: is it one node, or is it missing?", shown, id,
                       null->count[0] ? "source" : "destination", null->count[0] ? one : other);
}

/* Every event has a node of its own on one side, while those of the other come again: a key of the rows, as order numbers are. */
static int describe_keys(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    uint64_t nodes[2] = {0, 0};
    if (c->events < KEYS_LEAST) return SCADYG_OK;
    for (size_t node = 0; node < ids->count; node++) {
        const int sides = ids->spaces == 2
                              ? (ids->kinds[node] & SG_ID_DESTINATION) ? SG_SIDE_DESTINATION : SG_SIDE_SOURCE
                              : sg_ids_sides(ids, node);
        nodes[0] += (sides & SG_SIDE_SOURCE) != 0;
        nodes[1] += (sides & SG_SIDE_DESTINATION) != 0;
    }
    for (int end = 0; end < 2; end++)
        if (nodes[end] == c->events && 2 * nodes[!end] <= c->events)
            return sg_add_line(error, text,
                               "every event has a %s of its own: is it a key of the rows, as order numbers are?",
                               end ? "destination" : "source");
    return SCADYG_OK;
}

int sg_checks_describe_nodes(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    static const char *const ends[] = {"source", "destination"};
    int status = SCADYG_OK;
    for (int end = 0; end < 2 && c->events >= ENOUGH_OF_ONE && !status; end++) {
        char digits[24];
        size_t length;
        if ((double)c->ends[end].count <= MOST * (double)c->events) continue;
        const char *id = sg_ids_text(ids, c->ends[end].node, digits, &length);
        status =
            sg_add_line(error, text, "'%.*s' is the %s of %.1f %% of the events", (int)(length < 60 ? length : 60),
                        id, ends[end], 100 * (double)c->ends[end].count / (double)c->events);
    }
    if (!status) status = describe_keys(c, ids, text, error);
    if (!status && ids->text_count) status = describe_texts(ids, text, error);
    if (!status && ids->text_count) status = describe_twins(c, ids, text, error);
    for (size_t k = 0; k < c->null_count && !status; k++) status = describe_null(&c->nulls[k], ids, text, error);
    return status;
}
