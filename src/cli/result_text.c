/* The result of an evaluation as a table: the model, then the heuristics, the best of each column marked. */
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 16, MOST_COLUMNS = 7 };

typedef struct table {
    const char *names[MOST_ROWS];
    const json_t *rows[MOST_ROWS];
    size_t row_count;
    size_t columns[MOST_COLUMNS]; /* which scores are defined */
    size_t column_count;
    size_t name_width, width; /* of a name, of a number with its mark */
} table;

static const struct {
    const char *key, *title;
} scores[MOST_COLUMNS] = {{"mrr", "MRR"}, {"hits@1", "hits@1"}, {"hits@3", "hits@3"},  {"hits@10", "hits@10"},
                          {"ap", "AP"},   {"auc", "AUC"},       {"ndcg@10", "NDCG@10"}};

static double number(const json_t *value, const char *part)
{
    if (json_is_object(value))
        value = json_object_get(value, part);
    else if (strcmp(part, "std") == 0)
        return NAN;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void collect(table *t, const json_t *result)
{
    *t = (table){.width = 9};
    t->names[0] = text_of(result, "model");
    t->rows[t->row_count++] = result;
    const char *name;
    json_t *row;
    json_object_foreach(json_object_get(result, "heuristics"), name, row)
    {
        if (t->row_count == MOST_ROWS) break;
        t->names[t->row_count] = name;
        t->rows[t->row_count++] = row;
    }
    for (size_t c = 0; c < MOST_COLUMNS; c++) {
        int defined = 0;
        for (size_t i = 0; i < t->row_count; i++) {
            const json_t *value = json_object_get(t->rows[i], scores[c].key);
            defined |= isfinite(number(value, "mean"));
            if (json_is_object(value)) t->width = 18;
        }
        if (defined) t->columns[t->column_count++] = c;
    }
    for (size_t i = 0; i < t->row_count; i++)
        if (cli_display_width(t->names[i]) > t->name_width) t->name_width = cli_display_width(t->names[i]);
}

/* Equal to four digits is equal for the eye. */
static int is_best(const table *t, size_t row, const char *key)
{
    double own = number(json_object_get(t->rows[row], key), "mean");
    for (size_t i = 0; i < t->row_count; i++)
        if (number(json_object_get(t->rows[i], key), "mean") > own + 5e-5) return 0;
    return isfinite(own);
}

static void print_score(const table *t, size_t row, const char *key, int last)
{
    const json_t *value = json_object_get(t->rows[row], key);
    double mean = number(value, "mean"), spread = number(value, "std");
    char text[CLI_TEXT] = "-";
    if (isfinite(mean) && isfinite(spread))
        snprintf(text, sizeof text, "%.4f %s %.4f", mean, cli_utf8() ? "\xC2\xB1" : "+-", spread);
    else if (isfinite(mean))
        snprintf(text, sizeof text, "%.4f", mean);
    cli_print_padded(text, t->width - 1, 1);
    if (is_best(t, row, key))
        putchar('*');
    else if (!last)
        putchar(' ');
}

static void print_block(const table *t, size_t first, size_t count)
{
    printf("%*s", (int)t->name_width + 2, "");
    for (size_t c = first; c < first + count; c++) {
        cli_print_padded(scores[t->columns[c]].title, t->width - 1, 1);
        putchar(c + 1 < first + count ? ' ' : '\n');
    }
    for (size_t i = 0; i < t->row_count; i++) {
        printf("  ");
        cli_print_padded(t->names[i], t->name_width, 0);
        for (size_t c = first; c < first + count; c++)
            print_score(t, i, scores[t->columns[c]].key, c + 1 == first + count);
        putchar('\n');
    }
}

/* "dyglib protocol, test part, 1,234 queries, negatives: destination (1 each), reveal: batch, 5 seeds" */
static void print_heading(const json_t *result)
{
    char count[CLI_TEXT];
    long long seeds = (long long)json_integer_value(json_object_get(result, "seeds"));
    const json_t *negatives = json_object_get(result, "negatives");
    printf("%s protocol, %s part, %s queries", text_of(result, "protocol"), text_of(result, "part"),
           cli_count((uint64_t)json_integer_value(json_object_get(result, "queries")), count));
    if (json_object_get(result, "one_in"))
        printf(" (one in %s)", cli_count((uint64_t)json_integer_value(json_object_get(result, "one_in")), count));
    if (*text_of(result, "pool") && strcmp(text_of(result, "protocol"), "tgb-node") != 0) {
        printf(", negatives: %s", text_of(result, "pool"));
        if (json_is_integer(negatives))
            printf(" (%s each)", cli_count((uint64_t)json_integer_value(negatives), count));
    }
    if (*text_of(result, "reveal")) printf(", reveal: %s", text_of(result, "reveal"));
    if (seeds > 1) printf(", %lld seeds", seeds);
    putchar('\n');
}

void cli_result_print(const json_t *result)
{
    if (!json_is_object(result)) return;
    table t;
    collect(&t, result);
    print_heading(result);
    size_t room = cli_terminal_width(STDOUT_FILENO), left = t.name_width + 2;
    size_t fit = room > left + t.width ? (room - left) / t.width : 1;
    size_t blocks = (t.column_count + fit - 1) / fit;
    size_t per_block = blocks ? (t.column_count + blocks - 1) / blocks : 1;
    for (size_t first = 0; first < t.column_count; first += per_block) {
        if (first) putchar('\n');
        print_block(&t, first, t.column_count - first < per_block ? t.column_count - first : per_block);
    }
}

/* Where every node is a destination, the pools of both kinds are one. */
static int same_but_pool(const json_t *one, const json_t *other)
{
    json_t *a = json_copy((json_t *)(uintptr_t)one), *b = json_copy((json_t *)(uintptr_t)other);
    json_object_del(a, "pool");
    json_object_del(b, "pool");
    int same = a && b && json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

void cli_results_print(const json_t *results)
{
    const json_t *before = NULL;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        if (before && same_but_pool(before, result)) {
            printf("\nThe same with negatives: %s.\n", text_of(result, "pool"));
            continue;
        }
        putchar('\n');
        cli_result_print(result);
        before = result;
    }
}
