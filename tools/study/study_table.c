/* The tables of a study: on the screen, and as CSV. Both are made from the results as results.json has them. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 24, CELL = 19 };

typedef struct table_column {
    const char *column, *score;
    const char *heading; /* above its name, or "" */
    const char *name;    /* the column itself; of a protocol without what is below */
    const char *words;   /* below its name, or "" */
    int best;            /* mark the best */
} table_column;

typedef struct table {
    const json_t *rows;
    table_column columns[MOST_COLUMNS];
    size_t count;
    size_t name_width;
    int differences; /* what is not the first row of its series stands as its difference to that */
} table;

static int has_column(const table *t, const char *column, const char *score)
{
    json_t *row;
    for (size_t i = 0; (row = json_array_get(t->rows, i)); i++) {
        if (isfinite(study_cell(row, column, score, "mean"))) return 1;
    }
    return 0;
}

static void add_column(table *t, const char *column, const char *score, const char *heading, int best)
{
    if (t->count == MOST_COLUMNS || !has_column(t, column, score)) return;
    t->columns[t->count++] = (table_column){
        .column = column, .score = score, .heading = heading, .name = column, .words = "", .best = best};
}

static void add_evaluation(table *t, const study_evaluation *evaluation, const char *score, const char *heading,
                           int best)
{
    const size_t before = t->count;
    add_column(t, evaluation->id, score, heading, best);
    if (t->count == before) return;
    t->columns[before].name = evaluation->place;
    t->columns[before].words = evaluation->words;
}

static int has_any(const table *t, const json_t *row)
{
    for (size_t c = 0; c < t->count; c++)
        if (isfinite(study_cell(row, t->columns[c].column, t->columns[c].score, "mean"))) return 1;
    return json_object_get(row, "failures") != NULL;
}

/* Equal to four digits is equal for the eye. */
static int is_best(const table *t, const json_t *row, const table_column *c)
{
    json_t *other;
    const double own = study_cell(row, c->column, c->score, "mean");
    if (json_is_true(json_object_get(row, "oracle"))) return 0;
    for (size_t i = 0; (other = json_array_get(t->rows, i)); i++) {
        if (!json_is_true(json_object_get(other, "oracle")) &&
            study_cell(other, c->column, c->score, "mean") > own + 5e-5)
            return 0;
    }
    return isfinite(own);
}

/* Numbers of any size, under headings of their own; all others are scores under the name of their protocol. */
static int is_plain(const table_column *c)
{
    return strcmp(c->column, "cost") == 0 || strcmp(c->column, "memory") == 0;
}

/* The whole model of an ablation is the first row of its series. */
static const json_t *whole_of(const table *t, const json_t *row)
{
    const json_t *series = json_object_get(row, "series"), *first = NULL;
    for (size_t i = 0; !first && i < json_array_size(t->rows); i++)
        if (json_equal(json_object_get(json_array_get(t->rows, i), "series"), series))
            first = json_array_get(t->rows, i);
    return first;
}

static void print_cell(const table *t, const json_t *row, const table_column *c, int last)
{
    const double mean = study_cell(row, c->column, c->score, "mean");
    const double spread = study_cell(row, c->column, c->score, "std");
    const json_t *whole = t->differences ? whole_of(t, row) : row;
    const double difference = mean - study_cell(whole, c->column, c->score, "mean");
    const char *text = whole != row ? isfinite(difference) ? cli_text("%+.4f", difference) : "-"
                       : !is_plain(c) || !isfinite(mean) ? cli_mean(mean, spread)
                       : spread > 0 ? cli_text("%.3g %s %.1g", mean, cli_utf8() ? "\xC2\xB1" : "+-", spread)
                       : mean >= 1000 && mean < 1e15 ? cli_count((uint64_t)(mean + 0.5)) /* some are counts */
                                                     : cli_text("%.3g", mean);
    cli_print_padded(text, CELL - 1, 1);
    if (c->best && is_best(t, row, c))
        putchar('*');
    else if (!last)
        putchar(' ');
}

static const char *heading_of(const table_column *column)
{
    return is_plain(column) ? "" : column->heading;
}

static const char *name_of(const table_column *column)
{
    return is_plain(column) ? column->heading : column->name;
}

static const char *words_of(const table_column *column)
{
    return column->words;
}

/* One of the lines above the numbers, unless there is nothing in it. */
static void print_line(const table *t, size_t first, size_t count, const char *(*text)(const table_column *column))
{
    size_t some = 0;
    for (size_t c = first; c < first + count; c++) some += strlen(text(&t->columns[c]));
    if (!some) return;
    printf("%*s", (int)t->name_width + 2, "");
    for (size_t c = first; c < first + count; c++) {
        cli_print_padded(text(&t->columns[c]), CELL - 1, 1);
        putchar(c + 1 < first + count ? ' ' : '\n');
    }
}

static void print_block(const table *t, size_t first, size_t count)
{
    json_t *row;
    print_line(t, first, count, heading_of);
    print_line(t, first, count, name_of);
    print_line(t, first, count, words_of);
    for (size_t i = 0; (row = json_array_get(t->rows, i)); i++) {
        if (!has_any(t, row)) continue;
        printf("  ");
        cli_print_padded(study_row_name(row), t->name_width, 0);
        for (size_t c = first; c < first + count; c++) print_cell(t, row, &t->columns[c], c + 1 == first + count);
        const json_t *failures = json_object_get(row, "failures");
        if (failures) printf("  %zu failed", json_array_size(failures));
        if (json_is_true(json_object_get(row, "idle"))) printf("  no effect: it learned just as the whole");
        if (json_is_true(json_object_get(row, "chosen"))) printf("  best on validation");
        putchar('\n');
    }
}

static void print_table(table *t, const char *title, size_t seeds)
{
    json_t *row;
    if (!t->count) return;
    t->name_width = 0;
    for (size_t i = 0; (row = json_array_get(t->rows, i)); i++) {
        const size_t width = cli_display_width(study_row_name(row));
        if (has_any(t, row) && width > t->name_width) t->name_width = width;
    }
    printf("\n%s", title);
    if (seeds > 1) printf(", mean and standard deviation over %zu seeds", seeds);
    putchar('\n');
    size_t room = cli_terminal_width(STDOUT_FILENO), left = t->name_width + 2;
    size_t fit = room > left + 2 * CELL ? (room - left) / CELL : 1;
    for (size_t first = 0; first < t->count; first += fit) {
        if (first) putchar('\n');
        print_block(t, first, t->count - first < fit ? t->count - first : fit);
    }
}

static const char *main_score(const json_t *results, size_t evaluation)
{
    return cli_json_text_of(json_array_get(json_object_get(results, "columns"), evaluation), "main");
}

/* Those with a cut-off (hits@10) only if a protocol is known by them. */
static int is_shown(const study *s, const json_t *results, const scadyg_score *score)
{
    if (s->arguments->common.verbose || !strchr(score->key, '@')) return 1;
    for (size_t i = 0; i < s->evaluation_count; i++)
        if (strcmp(main_score(results, i), score->key) == 0) return 1;
    return 0;
}

/* As in the paper: a table for the ranks, then one for AP and one for AUC. */
static void print_by_score(const study *s, const json_t *results, int best)
{
    const scadyg_score *score;
    for (size_t k = 0; (score = scadyg_score_at(k)); k++) {
        table t = {.rows = json_object_get(results, "rows")};
        if (!is_shown(s, results, score)) continue;
        for (size_t i = 0; i < s->evaluation_count; i++)
            add_evaluation(&t, &s->evaluations[i], score->key, "", best);
        print_table(&t, cli_text("%s, test part", score->title),
                    json_array_size(json_object_get(results, "seeds")));
    }
}

/* Where values are compared: what they are chosen by, then what came of it. */
static void print_by_evaluation(const study *s, const json_t *results)
{
    table t = {.rows = json_object_get(results, "rows")};
    add_column(&t, "validation", "score", "", 0);
    add_column(&t, "validation, live", "score", "", 0);
    for (size_t i = 0; i < s->evaluation_count; i++) {
        const char *score = main_score(results, i);
        add_evaluation(&t, &s->evaluations[i], score, study_score_title(score), 0);
    }
    print_table(&t, "validation, and the test part by each protocol",
                json_array_size(json_object_get(results, "seeds")));
    t.differences = s->kind->parts;
    if (t.differences) print_table(&t, "difference to the whole model", 1);
}

/* How each cost grows: 1 is as the events do, 0 not at all. */
static void print_slopes(const study *s, const json_t *results)
{
    const char *series;
    json_t *slopes;
    printf("\ngrowth with the number of events (slope on logarithmic scales)\n");
    for (const study_cost *cost = s->kind->costs; cost->key; cost++) {
        printf("  %-20s", study_score_title(cost->key));
        json_object_foreach (json_object_get(results, "slopes"), series, slopes) {
            const json_t *slope = json_object_get(slopes, cost->key);
            printf("  %s", json_is_number(slope)
                               ? cli_text("%.40s %.2f", cli_safe(series), json_number_value(slope))
                               : "-");
        }
        putchar('\n');
    }
}

static void print_memory(const json_t *results)
{
    table t = {.rows = json_object_get(results, "rows")};
    add_column(&t, "memory", "most", "ahead, logits", 0);
    add_column(&t, "memory", "half_life", cli_text("half-life, %.40s", cli_json_text_of(results, "time_unit")), 0);
    add_column(&t, "memory", "drift", "drift of W_x", 0);
    print_table(&t, "how far partners are ahead of strangers, until when half of it is left, how far W_x moves",
                json_array_size(json_object_get(results, "seeds")));
}

void study_print(const study *s, const json_t *results)
{
    if (s->arguments->common.quiet) return;
    if (s->kind->costs) {
        table t = {.rows = json_object_get(results, "rows")};
        for (const study_cost *cost = s->kind->costs; cost->key; cost++)
            add_column(&t, "cost", cost->key, study_score_title(cost->key), 0);
        print_table(&t, "cost", json_array_size(json_object_get(results, "seeds")));
    }
    if (s->kind->apart) print_slopes(s, results);
    if (s->kind->look) print_memory(results);
    if ((s->kind->costs || s->kind->look) && !s->arguments->common.verbose) return;
    if (s->kind->varied)
        print_by_evaluation(s, results);
    else
        print_by_score(s, results, 1);
    if (s->kind->varied && s->arguments->common.verbose) print_by_score(s, results, 0);
}

/* ---- CSV: a line for every cell ---- */

static void put_csv_row(cli_csv *csv, const json_t *row, void *data)
{
    (void)data;
    cli_csv_field(csv, cli_json_text_of(row, "series"));
    cli_csv_field(csv, cli_json_text_of(row, "label"));
    cli_csv_number(csv, cli_json_number_of(row, "x"), 10);
}

int study_csv(const study *s, const json_t *results)
{
    cli_csv csv = {0};
    cli_csv_text(&csv, "series,label,x,column,score,mean,std,runs\n");
    study_csv_cells(&csv, json_object_get(results, "rows"), put_csv_row, NULL);
    char *path = study_file(s->call, &s->home, "results.csv");
    if (!path) {
        free(csv.text);
        return CLI_FAILURE;
    }
    int status = cli_csv_write(&csv, path, s->call->error);
    free(path);
    return status ? cli_failed(s->call, NULL) : CLI_OK;
}
