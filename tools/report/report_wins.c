/* Where the model wins and loses: queries by what was known when they were asked. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 8, ENOUGH = 30 }; /* queries of a group that the words may name */

#define WORTH_SAYING 0.005 /* a lead that is more than noise to the eye */

/* A group of queries: its words, and who is in it. */
typedef struct kind {
    char text[CLI_TEXT];
    int (*chosen)(const report_query *query, const void *context);
    double low, high; /* for those that go by a number: low <= x < high */
} kind;

/* ---- Who is in a group ---- */

static int by_activity(const report_query *query, const void *context)
{
    const kind *k = context;
    return (double)query->activity >= k->low && (double)query->activity < k->high;
}

static int by_age(const report_query *query, const void *context)
{
    const kind *k = context;
    return query->age >= k->low && query->age < k->high;
}

/* low says which: 0 they have met, 1 both are known and have not, 2 one of them is new. */
static int by_acquaintance(const report_query *query, const void *context)
{
    return (isnan(query->age) ? 1 + (query->newcomer != 0) : 0) == (int)((const kind *)context)->low;
}

/* ---- A chart ---- */

/* The words of the group where the model is furthest ahead of the rule, and furthest behind. */
typedef struct ends {
    const char *ahead, *behind;
    double most_ahead, most_behind;
} ends;

static void draw_groups(const report *r, const char *id, const char *title, const kind *kinds, size_t count,
                        ends *found)
{
    svg_bar bars[2 * MOST_GROUPS];
    size_t used = 0;
    double most = 0;
    *found = (ends){0};
    for (size_t i = 0; i < count; i++) {
        const report_group group = report_group_of(r, kinds[i].chosen, &kinds[i]);
        if (!group.count) continue;
        svg_bar *bar = &bars[used++];
        *bar = (svg_bar){.value = group.model, .look = REPORT_MODEL};
        snprintf(bar->text, sizeof bar->text, "%.40s", kinds[i].text);
        if (r->best_rule) {
            /* The second bar has how many queries there are. */
            bars[used] = (svg_bar){.value = group.rule, .look = REPORT_RULE};
            snprintf(bars[used].below, sizeof bars[used].below, "%s", cli_counted(group.count, "query", "queries"));
            used++;
        }
        most = fmax(most, fmax(group.model, group.rule));
        if (group.count < ENOUGH) continue;
        const double lead = group.model - group.rule;
        if (lead > fmax(found->most_ahead, WORTH_SAYING)) found->most_ahead = lead, found->ahead = kinds[i].text;
        if (lead < fmin(found->most_behind, -WORTH_SAYING))
            found->most_behind = lead, found->behind = kinds[i].text;
    }
    page_figure(r->page, id, title);
    svg_bars(&(svg_chart){.out = r->page, .name = title}, bars, used, most);
}

static void end_groups(const report *r, const char *words, const ends *found)
{
    const svg_key keys[] = {{"the model", REPORT_MODEL},
                            {r->best_rule ? r->result->evaluated[r->best_rule]->name : "", REPORT_RULE}};
    page_figure_end(r->page, keys, r->best_rule ? 2 : 1, "Mean %s. %s%s%s", r->score, words,
                    found->ahead ? cli_text(" Furthest ahead: %s (+%.3f).", found->ahead, found->most_ahead) : "",
                    found->behind ? cli_text(" It loses at: %s (%.3f).", found->behind, found->most_behind) : "");
}

/* ---- The three charts ---- */

static void draw_activity(const report *r)
{
    static const kind kinds[] = {{"none yet", by_activity, 0, 1},
                                 {"1 to 3", by_activity, 1, 4},
                                 {"4 to 15", by_activity, 4, 16},
                                 {"16 to 63", by_activity, 16, 64},
                                 {"64 to 255", by_activity, 64, 256},
                                 {"256 to 1,023", by_activity, 256, 1024},
                                 {"1,024 and more", by_activity, 1024, INFINITY}};
    ends found;
    draw_groups(r, "activity", "By how active the node was", kinds, CLI_COUNT(kinds), &found);
    end_groups(r, "Queries by how many events the node had been the source of when it was asked about.", &found);
}

static void draw_met(const report *r)
{
    const kind kinds[] = {{.text = "met before", .chosen = by_acquaintance, .low = 0},
                          {.text = "first meeting", .chosen = by_acquaintance, .low = 1},
                          {.text = "with a newcomer", .chosen = by_acquaintance, .low = 2}};
    ends found;
    draw_groups(r, "met", "By whether the pair had met", kinds, CLI_COUNT(kinds), &found);
    end_groups(
        r,
        "Pairs that had met before, pairs of two known nodes that had not, and pairs with a node that had never "
        "been seen. "
        "To remember pairs says nothing of the latter two; there the nodes by themselves have to tell.",
        &found);
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Five groups of about the same size, from the youngest contact to the oldest. */
static size_t cut_ages(const report *r, const double *ages, size_t count, kind *kinds)
{
    enum { GROUPS = 5 };
    size_t used = 0;
    double low = 0;
    for (size_t i = 1; i <= GROUPS; i++) {
        const double high = i < GROUPS ? ages[count * i / GROUPS] : nextafter(ages[count - 1], INFINITY);
        if (!(high > low)) continue;
        kinds[used] = (kind){.chosen = by_age, .low = used ? low : -INFINITY, .high = high};
        snprintf(kinds[used].text, sizeof kinds[used].text, i < GROUPS ? "under %.40s" : "%.40s or more",
                 report_span(r, i < GROUPS ? high : low));
        used++;
        low = high;
    }
    return used;
}

static int draw_age(const report *r)
{
    double *ages = malloc((r->query_count ? r->query_count : 1) * sizeof *ages);
    size_t count = 0;
    if (!ages) return cli_fail(r->call->command, "not enough memory for the ages of contacts");
    for (size_t i = 0; i < r->query_count; i++)
        if (!isnan(r->queries[i].age)) ages[count++] = r->queries[i].age;
    qsort(ages, count, sizeof *ages, ascending);
    kind kinds[MOST_GROUPS];
    const size_t groups = count ? cut_ages(r, ages, count, kinds) : 0;
    free(ages);
    if (!groups) {
        page_words(r->page, "No pair of the test part had met before, so there is nothing to say by age.");
        return CLI_OK;
    }
    ends found;
    draw_groups(r, "age", "By how long ago they last met", kinds, groups, &found);
    end_groups(
        r, "Only pairs that had met before, in groups of about the same size by the time since their last contact.",
        &found);
    return CLI_OK;
}

int report_wins(report *r)
{
    /* Of an affinity there is no pair. */
    const int pairs = strcmp(r->info->task, "link") == 0;
    if (!r->query_count) return CLI_OK;
    page_section(r->page, "wins", "Where it wins and loses",
                 "The queries of the test part, in groups by what was known when they were asked: the model beside "
                 "the best rule.");
    fputs("<div class=\"figures\">\n", r->page);
    draw_activity(r);
    if (pairs) draw_met(r);
    const int code = pairs ? draw_age(r) : CLI_OK;
    fputs("</div>\n", r->page);
    page_section_end(r->page);
    return code;
}
