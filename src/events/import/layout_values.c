/* Layout by values: what the first rows suggest, and how to ask where they leave a doubt. */
#include "events/import/layout_parts.h"

#include "base/letters.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Doubt ---- */

static const char *describe_look(const sg_column_facts *facts)
{
    if (facts->clocks) return "times of day";
    if (facts->dates && !facts->digit_dates) return "dates";
    if (facts->digit_dates) return "numbers, or dates";
    if (facts->unix_like) return "numbers like unix times";
    if (facts->money) return "amounts of money";
    if (facts->flags) return "true and false";
    if (facts->decimal_comma) return "numbers with a comma";
    if (!facts->values) return "nothing";
    if (!facts->numbers) return "text";
    return facts->whole ? "whole numbers" : "numbers";
}

int sg_layout_unclear(const sg_layout *layout, const sg_sample *sample, int first, const char *file,
                      const char *why, scadyg_error *error)
{
    char list[700] = "";
    size_t used = 0;
    const sg_sample_row *row = &sample->rows[first < sample->count ? first : 0];
    for (int i = 0; i < layout->columns && i < row->count && used + 100 < sizeof list; i++) {
        const sg_column_facts facts = sg_sample_facts(sample, first, i, layout->columns);
        const int named = layout->names[i] && *layout->names[i];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d %.*s%s'%.*s' (%s)", i ? ", " : "", i + 1,
                                 named ? sg_text_cut(layout->names[i], strlen(layout->names[i]), 24) : 0,
                                 named ? layout->names[i] : "", named ? " " : "",
                                 sg_text_cut(row->fields[i].text, row->fields[i].length, 24), row->fields[i].text,
                                 describe_look(&facts));
    }
    return sg_fail(
        error, SCADYG_E_LAYOUT,
        "%s: %s; its columns are %s: say which they are with --src, --dst and --time (%s), or in order with "
        "--columns",
        file, why, list, layout->has_header ? "names or numbers of columns" : "numbers of columns");
}

/* ---- Which column is the time ---- */

/* The one column with a property, -1 if none or several have it. */
static int find_only(const sg_column_facts *facts, int columns, int (*has)(const sg_column_facts *))
{
    int found = -1;
    for (int i = 0; i < columns; i++) {
        if (!has(&facts[i])) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

static int is_date(const sg_column_facts *facts)
{
    return facts->dates && !facts->digit_dates;
}

static int is_unix(const sg_column_facts *facts)
{
    return facts->unix_like && !facts->digit_dates;
}

static int is_digit_date(const sg_column_facts *facts)
{
    return facts->digit_dates;
}

static int is_year(const sg_column_facts *facts)
{
    return facts->year_like;
}

static int is_word(const sg_column_facts *facts)
{
    return !facts->numbers && !facts->dates && !facts->clocks && !facts->decimal_comma && !facts->money &&
           !facts->flags && facts->values;
}

/* Three columns are src dst time unless the values speak against it. */
static int find_time_of_three(const sg_column_facts *facts)
{
    const int dates = find_only(facts, 3, is_date), digits = find_only(facts, 3, is_digit_date);
    const int unix_like = find_only(facts, 3, is_unix);
    if (dates >= 0) return dates;
    if (unix_like == 1) return -1; /* large ids or a time in the middle: who knows */
    if (unix_like >= 0) return unix_like;
    if (digits >= 0 && digits != 1) return digits;
    if (facts[2].numbers || facts[2].dates) return 2;
    return facts[0].numbers && is_word(&facts[1]) && is_word(&facts[2]) ? 0 : -1;
}

static int find_time_of_many(const sg_column_facts *facts, int columns)
{
    int time = find_only(facts, columns, is_date), words = 0, years;
    if (time < 0) time = find_only(facts, columns, is_unix);
    if (time < 0) time = find_only(facts, columns, is_digit_date);
    if (time >= 0) return time;
    /* Two columns of words are the two nodes; then a column of years beside them is the time. */
    for (int i = 0; i < columns; i++) words += is_word(&facts[i]);
    years = find_only(facts, columns, is_year);
    return words == 2 ? years : -1;
}

/* ---- Which columns are the nodes ---- */

#define FEW 12         /* values that say something of a node or an event, rather than who it is, */
#define FEW_KINDS 5    /* and words that are a kind of event, */
#define ENOUGH_ROWS 50 /* if so many rows were seen */

/* Whether a column cannot be a node: decimals, money, times, times of day. */
static int is_no_node(const sg_column_facts *facts)
{
    return (facts->numbers && !facts->whole) || facts->clocks || facts->decimal_comma ||
           (facts->dates && !facts->digit_dates) || facts->money || facts->flags || !facts->values;
}

/* Words of which there are few say what kind of event it is ("view", "buy"). */
static int looks_like_a_kind(const sg_column_facts *facts)
{
    return facts->letters && facts->values >= ENOUGH_ROWS && facts->distinct <= FEW_KINDS;
}

/* What is being decided: which of the columns that can be nodes are. */
typedef struct node_choice {
    const sg_layout *layout;
    const sg_sample *sample;
    int first;
    const sg_column_facts *facts;
    int *candidates;
    int count;
} node_choice;

/* The last two columns have the same few values: what the two nodes are (the classes of two pupils), not who. */
static int are_attributes(const node_choice *c)
{
    if (c->count != 4) return 0;
    const int a = c->candidates[2], b = c->candidates[3];
    const sg_column_facts *one = &c->facts[a], *other = &c->facts[b];
    const int fewer = one->distinct < other->distinct ? one->distinct : other->distinct;
    return one->values >= ENOUGH_ROWS && one->distinct <= FEW && other->distinct <= FEW && fewer > 1 &&
           2 * sg_sample_pair(c->sample, c->first, a, b).shared >= fewer;
}

/* A code and the name of the same thing are not two nodes: each has its own, whenever it comes. */
static int are_the_same(const node_choice *c)
{
    const int a = c->candidates[0], b = c->candidates[1];
    const sg_column_facts *one = &c->facts[a], *other = &c->facts[b];
    return is_word(one) && is_word(other) && one->distinct == other->distinct && one->distinct > 2 &&
           one->distinct < SG_DISTINCT_MOST && one->values >= 2 * one->distinct &&
           sg_sample_pair(c->sample, c->first, a, b).pairs == one->distinct;
}

/* Layouts that are known by their places: time src dst weight of names (TGB), src dst weight time (KONECT). */
static int is_known_place(const node_choice *c)
{
    const sg_layout *layout = c->layout;
    if (layout->columns != 4 || c->count != 3) return 0;
    if (c->sample->konect && layout->roles[3] == SG_ROLE_TIME) return 1;
    return layout->roles[0] == SG_ROLE_TIME && is_word(&c->facts[1]) && is_word(&c->facts[2]) &&
           c->facts[3].numbers && !c->facts[3].large;
}

/*
 * A third column that could be a node, an order or a shop beside a customer and a product, is one that nobody can tell from the
 * others. But for ratings and kinds of events behind the nodes, and what stands behind the time is no node then.
 */
static int are_others_no_nodes(const node_choice *c)
{
    const int src = c->candidates[0], dst = c->candidates[1];
    if (is_known_place(c)) return 1;
    if (src > 0 && c->layout->roles[0] != SG_ROLE_TIME)
        return 0; /* something stands before the nodes that is none, and is not the time */
    for (int i = src; i < dst; i++)
        if (c->layout->roles[i] == SG_ROLE_TIME) return 0;
    if (c->facts[src].counter || c->facts[dst].counter) return 0;
    if (c->facts[src].small || c->facts[dst].small)
        if (c->facts[src].values >= ENOUGH_ROWS) return 0; /* which of them are ratings? */
    if (are_attributes(c)) return 1;
    for (int k = 2; k < c->count; k++) {
        const sg_column_facts *facts = &c->facts[c->candidates[k]];
        if (!facts->small && !looks_like_a_kind(facts)) return 0;
    }
    return 1;
}

#define COUNTED_ROWS 20 /* without which numbers that grow are nothing odd */

/* src dst time of numbers is how graphs are written; with dates a log is a table of anything. */
static int has_dates(const node_choice *c)
{
    for (int i = 0; i < c->layout->columns; i++)
        if (c->layout->roles[i] == SG_ROLE_TIME) return c->facts[i].dates;
    return 0;
}

/* Of two columns one may be no node: it counts the rows, as orders are, or has few small numbers, as ratings are. */
static const char *doubt_two(const node_choice *c)
{
    const sg_column_facts *one = &c->facts[c->candidates[0]], *other = &c->facts[c->candidates[1]];
    if (one->values >= COUNTED_ROWS && one->counter != other->counter)
        return "one of the two columns that could be the nodes counts the rows, as row numbers and orders do";
    /* In a log in the order of its sources the first are small, and never go back. */
    if (one->values >= ENOUGH_ROWS && one->small != other->small && (one->small ? one : other)->falls)
        return "one of the two columns that could be the nodes has only whole numbers from -10 to 10, as ratings "
               "are";
    return NULL;
}

/* The nodes are the only two columns that can be. *odd: a doubt that does not stop the import. */
static const char *choose_nodes(node_choice *c, const char **odd)
{
    for (int i = 0; i < c->layout->columns; i++)
        if (c->layout->roles[i] == SG_ROLE_IGNORE && !is_no_node(&c->facts[i])) c->candidates[c->count++] = i;
    if (c->count < 2) return "fewer than two columns can be nodes";
    if (are_the_same(c)) return "two columns seem to be a code and a name of the same thing";
    if (c->count > 2 && !are_others_no_nodes(c)) return "more than two columns could be the nodes";
    const char *doubt = c->count == 2 && !c->sample->konect ? doubt_two(c) : NULL;
    if (has_dates(c)) return doubt;
    *odd = doubt;
    return NULL;
}

/*
 * Small numbers of which the first may be the time as well as the last (time src dst): it never goes back, and the last does, or
 * has the nodes of the second while the first has none of them.
 */
static int is_time_first(const sg_sample *sample, int first, const sg_column_facts *facts)
{
    if (!facts[0].steady || !facts[2].whole || facts[2].dates) return 0;
    if (facts[2].unix_like) return facts[0].unix_like && facts[2].falls; /* numbers of telephones are as large */
    return facts[2].falls ||
           (sg_sample_pair(sample, first, 1, 2).shared && !sg_sample_pair(sample, first, 0, 1).shared);
}

/* Blanks cut "Jan 31 09:30:00 2014" into pieces that no option puts together. */
static int has_month_names(const sg_layout *layout, const sg_sample *sample, int first)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const sg_sample_row *row = &sample->rows[first < sample->count ? first : 0];
    for (int i = 0; i < row->count && layout->separator == ' '; i++)
        for (size_t k = 0; k + 1 < sizeof names; k += 3)
            if (row->fields[i].length == 3 && memcmp(row->fields[i].text, names + k, 3) == 0) return 1;
    return 0;
}

static int settle_values(sg_layout *layout, const sg_sample *sample, int first, const sg_column_facts *facts,
                         const char *file, scadyg_error *error)
{
    const int columns = layout->columns;
    const int time = columns == 3 ? find_time_of_three(facts) : find_time_of_many(facts, columns);
    if (time < 0 && has_month_names(layout, sample, first))
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: the time is of several words, and blanks separate the fields: write commas or tabs between "
            "them, or dates like 2014-01-31 09:30:00",
            file);
    if (time < 0)
        return sg_layout_unclear(layout, sample, first, file, "it is not clear which column is the time", error);
    if (columns == 3 && time == 2 && is_time_first(sample, first, facts))
        return sg_layout_unclear(layout, sample, first, file,
                                 "it is not clear whether the first column is the time or the last", error);
    for (int i = 0; i < columns; i++) layout->roles[i] = SG_ROLE_IGNORE;
    layout->roles[time] = SG_ROLE_TIME;
    int status = sg_layout_join_times(layout, facts, file, error);
    if (status) return status;
    for (int i = 0; i < columns; i++)
        if (facts[i].clocks && layout->roles[i] == SG_ROLE_IGNORE)
            return sg_layout_unclear(layout, sample, first, file, "a column of times of day has no date beside it",
                                     error);
    node_choice choice = {.layout = layout, .sample = sample, .first = first, .facts = facts};
    choice.candidates = sg_alloc_zero((size_t)columns, sizeof *choice.candidates);
    if (!choice.candidates) return sg_fail_memory(error, "the first rows");
    const char *doubt = choose_nodes(&choice, &layout->doubt);
    const int src = choice.candidates[0], dst = choice.candidates[1];
    free(choice.candidates);
    if (doubt) return sg_layout_unclear(layout, sample, first, file, doubt, error);
    layout->roles[src] = SG_ROLE_SRC;
    layout->roles[dst] = SG_ROLE_DST;
    for (int i = 0; i < columns; i++)
        if (layout->roles[i] == SG_ROLE_IGNORE && facts[i].amounts) layout->roles[i] = SG_ROLE_FEATURE;
    /* time src dst number is how weighted edge lists are written (TGB); src dst number time how ratings are. */
    if (columns == 4 && time == 0 && dst == 2 && layout->roles[3] == SG_ROLE_FEATURE)
        layout->roles[3] = SG_ROLE_WEIGHT;
    return SCADYG_OK;
}

int sg_layout_by_values(sg_layout *layout, const sg_sample *sample, int first, const char *file,
                        scadyg_error *error)
{
    const int columns = layout->columns;
    if (columns < 3) return sg_layout_fail_narrow(columns, file, error);
    sg_column_facts *facts = sg_alloc((size_t)columns, sizeof *facts);
    if (!facts) return sg_fail_memory(error, "the first rows");
    for (int i = 0; i < columns; i++) facts[i] = sg_sample_facts(sample, first, i, columns);
    int status = settle_values(layout, sample, first, facts, file, error);
    free(facts);
    return status;
}
