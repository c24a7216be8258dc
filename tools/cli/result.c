/* The result of an evaluation as a table: the model, then the baselines, the best of each column marked. */
#include "cli/result.h"

#include <math.h>
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

json_t *cli_results_of(const scadyg_model *model)
{
    const char *text = scadyg_model_result(model);
    return text && *text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
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
        if (cli_display_width(t->names[i]) > t->name_width) t->name_width = cli_display_width(t->names[i]);
}

static void collect_columns(table *t)
{
    const scadyg_score *score;
    for (size_t c = 0; (score = scadyg_score_at(c)) && t->column_count < MOST_COLUMNS; c++) {
        int defined = 0;
        for (size_t i = 0; i < t->row_count; i++) {
            defined |= isfinite(cli_result_score(t->rows[i], score->key, "mean"));
            if (json_is_object(json_object_get(t->rows[i], score->key))) t->width = 18;
        }
        if (defined) t->columns[t->column_count++] = score;
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

/* "dyglib protocol, test part, 1,234 queries, negatives: destination (1 each), reveal: batch, 5 seeds" */
static void print_heading(const json_t *result)
{
    const long long seeds = (long long)json_integer_value(json_object_get(result, "seeds"));
    const json_t *negatives = json_object_get(result, "negatives"), *one_in = json_object_get(result, "one_in");
    printf("%s protocol, %s part, %s queries", cli_json_text_of(result, "protocol"),
           cli_json_text_of(result, "part"),
           cli_count((uint64_t)json_integer_value(json_object_get(result, "queries"))));
    if (json_integer_value(one_in) > 1) printf(" (one in %s)", cli_count((uint64_t)json_integer_value(one_in)));
    if (*cli_json_text_of(result, "pool") && !json_is_null(negatives)) {
        printf(", negatives: %s", cli_json_text_of(result, "pool"));
        if (json_is_integer(negatives)) printf(" (%s each)", cli_count((uint64_t)json_integer_value(negatives)));
    }
    if (strcmp(cli_json_text_of(result, "reveal"), "batch") == 0) printf(", reveal: batch");
    if (seeds > 1) printf(", %lld seeds", seeds);
    putchar('\n');
}

void cli_result_print(const json_t *result)
{
    if (!json_is_object(result)) return;
    table t = {.width = 9};
    collect_rows(&t, result);
    collect_columns(&t);
    print_heading(result);
    const size_t room = cli_terminal_width(STDOUT_FILENO), left = t.name_width + 2;
    const size_t fit = room > left + t.width ? (room - left) / t.width : 1;
    const size_t blocks = (t.column_count + fit - 1) / fit;
    const size_t per_block = blocks ? (t.column_count + blocks - 1) / blocks : 1;
    for (size_t first = 0; first < t.column_count; first += per_block) {
        if (first) putchar('\n');
        print_block(&t, first, t.column_count - first < per_block ? t.column_count - first : per_block);
    }
}

/* Where every node is a destination, the pools of both kinds are one. */
void cli_results_print(const json_t *results)
{
    const json_t *before = NULL;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        if (before && cli_result_same(before, result)) {
            printf("\nThe same with negatives: %s.\n", cli_json_text_of(result, "pool"));
            continue;
        }
        putchar('\n');
        cli_result_print(result);
        before = result;
    }
}
