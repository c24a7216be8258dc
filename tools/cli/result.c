/* The result of an evaluation as a table: the model, then the baselines, the best of each column marked. */
#include "cli/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/describe.h"

/* ---- As JSON ---- */

json_t *cli_result_json(const scadyg_result *result)
{
    const size_t size = scadyg_result_json(result, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) scadyg_result_json(result, text, size);
    json_t *object = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return object;
}

json_t *cli_results_parse(const char *text)
{
    return text && *text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
}

json_t *cli_results_of(const scadyg_model *model)
{
    return cli_results_parse(scadyg_model_result(model));
}

int cli_result_add(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                   const scadyg_options *options, json_t *results, scadyg_error *error)
{
    scadyg_result *result = NULL;
    int status = scadyg_evaluate(context, model, events, options, &result, error);
    if (!status && json_array_append_new(results, cli_result_json(result)))
        status = sg_fail_memory(error, "the result");
    scadyg_result_free(result);
    return status;
}

double cli_result_score(const json_t *row, const char *key, const char *part)
{
    const json_t *value = json_object_get(row, key);
    if (json_is_object(value)) return cli_json_number_of(value, part);
    return strcmp(part, "std") == 0 ? NAN : cli_json_number_of(row, key);
}

int cli_result_same(const json_t *one, const json_t *other)
{
    json_t *a = json_copy((json_t *)(uintptr_t)one), *b = json_copy((json_t *)(uintptr_t)other);
    json_object_del(a, "pool");
    json_object_del(b, "pool");
    const int same = a && b && json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* ---- The table ---- */

enum { MOST_ROWS = 32, MOST_COLUMNS = 32 };

typedef struct table {
    const char *names[MOST_ROWS];
    const json_t *rows[MOST_ROWS];
    size_t row_count;
    const scadyg_score *columns[MOST_COLUMNS]; /* those that are defined */
    size_t column_count;
    size_t name_width, width; /* of a name, of a number with its mark */
    const char *main;         /* the score that the protocol is known by */
} table;

static void collect_rows(table *t, const json_t *result)
{
    const char *name;
    json_t *row;
    t->names[0] = cli_json_text_of(result, "model");
    t->rows[t->row_count++] = result;
    json_object_foreach (json_object_get(result, "baselines"), name, row) {
        if (t->row_count == MOST_ROWS) break;
        t->names[t->row_count] = name;
        t->rows[t->row_count++] = row;
    }
    for (size_t i = 0; i < t->row_count; i++)
        if (cli_display_width(cli_safe(t->names[i])) > t->name_width)
            t->name_width = cli_display_width(cli_safe(t->names[i]));
}

static void collect_columns(table *t)
{
    const scadyg_score *score;
    const char *main = cli_json_text_of(t->rows[0], "main_score");
    for (size_t c = 0; (score = scadyg_score_at(c)) && t->column_count < MOST_COLUMNS; c++) {
        int defined = 0;
        if (strcmp(score->key, main) == 0) t->main = score->title;
        for (size_t i = 0; i < t->row_count; i++) {
            defined |= isfinite(cli_result_score(t->rows[i], score->key, "mean"));
            if (json_is_object(json_object_get(t->rows[i], score->key))) t->width = 18;
        }
        if (!defined) continue;
        t->columns[t->column_count++] = score;
        if (strlen(score->title) + 2 > t->width) t->width = strlen(score->title) + 2;
    }
}

/* Equal to four digits is equal for the eye. */
static int is_best(const table *t, size_t row, const scadyg_score *score)
{
    const double own = cli_result_score(t->rows[row], score->key, "mean");
    for (size_t i = 0; i < t->row_count; i++)
        if (score->better * (cli_result_score(t->rows[i], score->key, "mean") - own) > 5e-5) return 0;
    return isfinite(own);
}

static void print_score(const table *t, size_t row, const scadyg_score *score, int last)
{
    const double mean = cli_result_score(t->rows[row], score->key, "mean");
    cli_print_padded(cli_mean(mean, cli_result_score(t->rows[row], score->key, "std")), t->width - 1, 1);
    if (is_best(t, row, score))
        putchar('*');
    else if (!last)
        putchar(' ');
}

static void print_block(const table *t, size_t first, size_t count)
{
    printf("%*s", (int)t->name_width + 2, "");
    for (size_t c = first; c < first + count; c++) {
        cli_print_padded(t->columns[c]->title, t->width - 1, 1);
        putchar(c + 1 < first + count ? ' ' : '\n');
    }
    for (size_t i = 0; i < t->row_count; i++) {
        printf("  ");
        cli_print_padded(t->names[i], t->name_width, 0);
        for (size_t c = first; c < first + count; c++) print_score(t, i, t->columns[c], c + 1 == first + count);
        putchar('\n');
    }
}

static uint64_t whole_of(const json_t *result, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(result, key));
}

/* A part has events, or labels. */
static uint64_t size_of_part(const json_t *part, const char **what)
{
    const int labels = json_object_get(part, "labels") != NULL;
    *what = labels ? "label" : "event";
    return whole_of(part, labels ? "labels" : "events");
}

/* "training 41,884 events, 2004-04-15 to 2004-05-22" for each part that has any. */
static void print_parts(const json_t *result, const scadyg_shape *shape)
{
    const char *name, *what;
    json_t *part;
    int width = 0;
    json_object_foreach (json_object_get(result, "parts"), name, part) {
        const int length = (int)strlen(cli_count(size_of_part(part, &what)));
        if (length > width) width = length;
    }
    json_object_foreach (json_object_get(result, "parts"), name, part) {
        const uint64_t size = size_of_part(part, &what);
        if (!size) continue;
        printf("  %-10s  %*s %s%s, %s to %s\n", cli_safe(name), width, cli_count(size), what, sg_plural(size),
               cli_time(shape, cli_json_number_of(part, "first_time")),
               cli_time(shape, cli_json_number_of(part, "last_time")));
    }
}

/* Text that grows; what does not fit is left out. */
typedef struct line {
    char text[640];
    size_t length;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
    va_end(arguments);
    if (more > 0) l->length += (size_t)more;
    if (l->length >= sizeof l->text) l->length = sizeof l->text - 1;
}

/* Where it is too long it is broken behind a comma. */
static void print_line(const line *l, size_t indent)
{
    const size_t right = cli_terminal_width(STDOUT_FILENO);
    size_t column = indent;
    printf("%*s", (int)indent, "");
    for (const char *clause = l->text, *next; *clause; clause = next) {
        const char *comma = strstr(clause, ", ");
        char text[sizeof l->text];
        next = comma ? comma + 2 : clause + strlen(clause);
        snprintf(text, sizeof text, "%.*s", (int)(next - clause - (comma ? 1 : 0)), clause);
        const size_t width = cli_display_width(text);
        const int first = clause == l->text, fits = column + 1 + width <= right;
        if (!first) printf(fits ? " " : "\n  ");
        printf("%s", text);
        column = first ? column + width : fits ? column + 1 + width : 2 + width;
    }
    putchar('\n');
}

/* Among what the positive is to be found. */
static void add_negatives(line *l, const json_t *result)
{
    const json_t *negatives = json_object_get(result, "negatives");
    if (!*cli_json_text_of(result, "pool") || json_is_null(negatives)) return;
    if (strcmp(cli_json_text_of(result, "protocol"), "live") != 0) {
        add(l, ", negatives: %s", cli_safe(cli_json_text_of(result, "pool")));
        if (json_is_integer(negatives)) add(l, " (%s each)", cli_count((uint64_t)json_integer_value(negatives)));
    } else if (json_is_integer(negatives))
        add(l, ", among %s of the destinations so far, some of them earlier partners",
            cli_count((uint64_t)json_integer_value(negatives) + 1));
    else
        add(l, ", among all destinations so far");
}

/* "dyglib protocol, test part, 1,234 queries, negatives: destination (1 each), reveal: batch, 5 seeds from 1" */
static void print_heading(const json_t *result)
{
    const uint64_t seeds = whole_of(result, "seeds"), one_in = whole_of(result, "one_in"),
                   of = whole_of(result, "of"), sources = whole_of(result, "sources_one_in");
    line l = {0};
    add(&l, "%s protocol, %s part, %s", cli_safe(cli_json_text_of(result, "protocol")),
        cli_safe(cli_json_text_of(result, "part")), cli_counted(whole_of(result, "queries"), "query", "queries"));
    if (one_in > 1) add(&l, " (one in %s)", cli_count(one_in));
    if (of) add(&l, " (of %s)", cli_count(of));
    if (sources > 1) add(&l, " of one source in %s (--memory)", cli_count(sources));
    add_negatives(&l, result);
    if (strcmp(cli_json_text_of(result, "reveal"), "batch") == 0) add(&l, ", reveal: batch");
    if (strcmp(cli_json_text_of(result, "answer"), "pool") == 0) add(&l, ", an answer per pool");
    if (seeds > 1) add(&l, ", %s seeds from", cli_count(seeds));
    add(&l, "%s %lld", seeds > 1 ? "" : ", seed",
        (long long)json_integer_value(json_object_get(result, "first_seed")));
    print_line(&l, 0);
}

/* "MRR +0.0210 +- 0.0070 against pair-recency, the best baseline, on 4,460 queries of 812 sources" */
static void print_difference(const table *t, const json_t *result)
{
    const double difference = cli_json_number_of(result, "difference"),
                 error = cli_json_number_of(result, "difference_error");
    const char *unit = cli_safe(cli_json_text_of(result, "cluster_of"));
    const uint64_t clusters = whole_of(result, "clusters");
    line l = {0};
    if (!isfinite(difference)) return;
    add(&l, "%s %+.4f", t->main, difference);
    if (isfinite(error)) add(&l, " %s %.4f", cli_utf8() ? "±" : "+-", error);
    add(&l, " against %s, the best baseline, on %s of %s %s%s", cli_safe(cli_json_text_of(result, "best_baseline")),
        cli_counted(whole_of(result, "queries"), "query", "queries"), cli_count(clusters), unit,
        clusters == 1                ? ""
        : strcmp(unit, "batch") == 0 ? "es"
                                     : "s");
    print_line(&l, 2);
}

/* "AP +0.0133 ± 0.0040 (pair-recency), AUC ...": each against the best baseline by that score. */
static void print_differences(const json_t *result)
{
    const json_t *differences = json_object_get(result, "differences");
    const scadyg_score *score;
    line l = {0};
    for (size_t i = 0; (score = scadyg_score_at(i)); i++) {
        const json_t *one = json_object_get(differences, score->key);
        const double difference = cli_json_number_of(one, "difference"), error = cli_json_number_of(one, "error");
        if (!isfinite(difference) || !isfinite(error)) continue;
        add(&l, "%s%s %+.4f %s %.4f (%s)", l.length ? ", " : "", score->title, difference, cli_utf8() ? "±" : "+-",
            error, cli_safe(cli_json_text_of(one, "best_baseline")));
    }
    if (l.length) print_line(&l, 2);
}

static void print_notes(const json_t *result)
{
    const uint64_t unranked = whole_of(result, "unranked"), left_out = whole_of(result, "left_out");
    line ranked = {0}, trained = {0};
    if (isfinite(cli_result_score(result, "ap_partners", "mean")))
        printf("  AP, AUC: against random destinations; (met): against earlier partners\n");
    if (unranked) {
        add(&ranked, "%s of the events are left out: their destination was never seen before",
            cli_share(unranked, unranked + whole_of(result, "queries")));
        print_line(&ranked, 2);
    }
    if (left_out) {
        add(&trained, "%s of this part %s left out: the model was trained on %s",
            cli_counted(left_out, "event", "events"), left_out == 1 ? "is" : "are", left_out == 1 ? "it" : "them");
        print_line(&trained, 2);
    }
}

void cli_result_print(const json_t *result, const scadyg_shape *shape)
{
    if (!json_is_object(result)) return;
    table t = {.width = 9, .main = "score"};
    collect_rows(&t, result);
    collect_columns(&t);
    print_heading(result);
    print_parts(result, shape);
    const size_t room = cli_terminal_width(STDOUT_FILENO), left = t.name_width + 2;
    const size_t fit = room > left + t.width ? (room - left) / t.width : 1;
    const size_t blocks = (t.column_count + fit - 1) / fit;
    const size_t per_block = blocks ? (t.column_count + blocks - 1) / blocks : 1;
    for (size_t first = 0; first < t.column_count; first += per_block) {
        if (first) putchar('\n');
        print_block(&t, first, t.column_count - first < per_block ? t.column_count - first : per_block);
    }
    print_difference(&t, result);
    print_differences(result);
    print_notes(result);
}

/* Where every node is a destination, the pools of both kinds are one. */
void cli_results_print(const json_t *results, const scadyg_shape *shape)
{
    const json_t *before = NULL;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        if (before && cli_result_same(before, result)) {
            printf("\nThe same with negatives: %s.\n", cli_safe(cli_json_text_of(result, "pool")));
            continue;
        }
        putchar('\n');
        cli_result_print(result, shape);
        before = result;
    }
}
