/* Layout by values: what the first rows suggest, and how to ask where they leave a doubt. */
#include "events/import/layout_parts.h"

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
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d %s%.24s%s'%.*s' (%s)", i ? ", " : "", i + 1,
                                 named ? "" : "", named ? layout->names[i] : "", named ? " " : "",
                                 (int)(row->fields[i].length < 24 ? row->fields[i].length : 24),
                                 row->fields[i].text, describe_look(&facts));
    }
    for (char *c = list; *c; c++)
        if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    return sg_fail(
        error, SCADYG_E_LAYOUT,
        "%s: %s; its columns are %s: say which they are with --src, --dst and --time (%s), or in order with "
        "--columns",
        file, why, list, layout->has_header ? "names or numbers of columns" : "numbers of columns");
}

/* ---- Times in several fields ---- */

/* Blanks cut "2014-01-31 09:30:00 +0100" into pieces. */
static int count_time_fields(const sg_layout *layout, const sg_column_facts *facts, int time)
{
    int fields = 1;
    if (layout->separator != ' ' || !facts[time].dates || time + 1 >= layout->columns || !facts[time + 1].clocks)
        return 1;
    for (fields = 2; fields < 4 && time + fields < layout->columns && facts[time + fields].zones; fields++) {
    }
    return fields;
}

void sg_layout_join_times(sg_layout *layout, const sg_column_facts *facts)
{
    int time = -1, clock = -1, clocks = 0;
    for (int i = 0; i < layout->columns; i++) {
        if (layout->roles[i] == SG_ROLE_TIME) time = i;
        if (facts[i].clocks && (layout->roles[i] == SG_ROLE_IGNORE || layout->roles[i] == SG_ROLE_TIME)) {
            clock = i;
            clocks++;
        }
    }
    layout->time_fields = 1;
    if (time < 0) return;
    layout->time_fields = count_time_fields(layout, facts, time);
    for (int i = 1; i < layout->time_fields; i++) layout->roles[time + i] = SG_ROLE_CLOCK;
    if (layout->time_fields > 1 || clocks != 1 || clock == time || !facts[time].dates) return;
    layout->roles[clock] = SG_ROLE_CLOCK;
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

#define FEW 12         /* values that are a rating or a kind rather than a node, */
#define ENOUGH_ROWS 50 /* if so many rows were seen */

/* Whether a column cannot be a node: decimals, money, times, times of day. */
static int is_no_node(const sg_column_facts *facts)
{
    return (facts->numbers && !facts->whole) || facts->clocks || facts->decimal_comma ||
           (facts->dates && !facts->digit_dates) || facts->money || facts->flags || !facts->values;
}

static int looks_like_a_rating(const sg_column_facts *facts)
{
    return facts->numbers && !facts->large && facts->values >= ENOUGH_ROWS && facts->distinct <= FEW;
}

/* Words of which there are few say what kind of event it is ("view", "buy"). */
static int looks_like_a_kind(const sg_column_facts *facts)
{
    return !facts->numbers && facts->values >= ENOUGH_ROWS && facts->distinct <= FEW;
}

/* A third column of whole numbers that could be ids as well: a session, an order. */
static int looks_like_ids(const sg_column_facts *facts)
{
    return facts->large && facts->distinct > FEW;
}

/* The nodes are the only two columns of words; else the first two columns that can be nodes, if no other is as good. */
static const char *choose_nodes(const sg_layout *layout, const sg_column_facts *facts, int *src, int *dst)
{
    int words = 0, candidates = 0, chosen[2] = {-1, -1}, word[2] = {-1, -1};
    for (int i = 0; i < layout->columns; i++) {
        if (layout->roles[i] != SG_ROLE_IGNORE || is_no_node(&facts[i])) continue;
        if (candidates >= 2 && looks_like_a_kind(&facts[i])) continue;
        if (candidates < 2) chosen[candidates] = i;
        candidates++;
        if (!is_word(&facts[i])) continue;
        if (words < 2) word[words] = i;
        words++;
    }
    const int *nodes = words == 2 ? word : chosen;
    if (candidates < 2) return "fewer than two columns can be nodes";
    if (words > 2) return "more than two columns of text could be the nodes";
    if (words == 1 && word[0] != chosen[0] && word[0] != chosen[1])
        return "it is not clear which columns are the nodes";
    *src = nodes[0];
    *dst = nodes[1];
    if (words == 2) return NULL;
    for (int i = 0; i < layout->columns; i++) {
        if (i == *src || i == *dst || layout->roles[i] != SG_ROLE_IGNORE) continue;
        if (is_no_node(&facts[i]) || looks_like_a_kind(&facts[i])) continue;
        if (looks_like_a_rating(&facts[*src]) || looks_like_a_rating(&facts[*dst]))
            if (!looks_like_a_rating(&facts[i])) return "it is not clear which columns are the nodes";
        if (looks_like_ids(&facts[i])) return "more than two columns of whole numbers could be the nodes";
    }
    return NULL;
}

static int settle_values(sg_layout *layout, const sg_sample *sample, int first, const sg_column_facts *facts,
                         const char *file, scadyg_error *error)
{
    const int columns = layout->columns;
    const int time = columns == 3 ? find_time_of_three(facts) : find_time_of_many(facts, columns);
    int src = -1, dst = -1;
    if (time < 0)
        return sg_layout_unclear(layout, sample, first, file, "it is not clear which column is the time", error);
    for (int i = 0; i < columns; i++) layout->roles[i] = SG_ROLE_IGNORE;
    layout->roles[time] = SG_ROLE_TIME;
    sg_layout_join_times(layout, facts);
    for (int i = 0; i < columns; i++)
        if (facts[i].clocks && layout->roles[i] == SG_ROLE_IGNORE)
            return sg_layout_unclear(layout, sample, first, file, "a column of times of day has no date beside it",
                                     error);
    const char *doubt = choose_nodes(layout, facts, &src, &dst);
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
