/* messages for people: a row per node, the columns in blocks that fit the terminal. */
#include "messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDEST_NAME = 24 };

typedef struct table {
    const message_set *set;
    char **names;
    size_t name_width;
    size_t width;        /* of a message */
    int digits;          /* of a number */
    size_t column_width; /* on the screen, with the space before it */
} table;

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

static char **node_names(const message_set *set, scadyg_error *error)
{
    char **names = calloc(set->count + 1, sizeof *names);
    if (!names) {
        *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the table"};
        return NULL;
    }
    for (size_t i = 0; i < set->count; i++) {
        names[i] = cli_node_text(set->events, message_node(set, i), error);
        if (names[i]) continue;
        free_names(names, set->count);
        return NULL;
    }
    return names;
}

/* So many digits, but 1277 rather than 1.28e+03. */
static size_t number_text(const table *t, double value, char text[CLI_TEXT])
{
    if (fabs(value) >= 999.5 && fabs(value) < 1e7) return (size_t)snprintf(text, CLI_TEXT, "%.0f", value);
    return (size_t)snprintf(text, CLI_TEXT, "%.*g", t->digits, value);
}

static void print_numbers(const table *t, const double *values, size_t count)
{
    char text[CLI_TEXT];
    for (size_t i = 0; i < count; i++) {
        number_text(t, values[i], text);
        printf("%*s", (int)t->column_width, text);
    }
    putchar('\n');
}

static void print_block(const table *t, size_t first, size_t count)
{
    cli_print_padded("node", t->name_width, 0);
    for (size_t c = first; c < first + count; c++)
        printf("%*s", (int)t->column_width, scadyg_messages_column_name(t->set->messages, c));
    putchar('\n');
    cli_print_padded("rate", t->name_width, 0);
    print_numbers(t, scadyg_messages_rates(t->set->messages) + first, count);
    for (size_t i = 0; i < t->set->count; i++) {
        cli_print_padded(t->names[i], t->name_width, 0);
        print_numbers(t, t->set->values + i * t->width + first, count);
    }
}

static void widen(table *t, size_t length)
{
    if (length + 1 > t->column_width) t->column_width = length + 1;
}

static void widen_for(table *t, double value)
{
    char text[CLI_TEXT];
    widen(t, number_text(t, value, text));
}

/* How wide a column must be for numbers of so many digits. Returns how many columns fit on the screen. */
static size_t measure_columns(table *t, int digits)
{
    t->digits = digits;
    t->column_width = 0;
    for (size_t c = 0; c < t->width; c++) {
        widen(t, strlen(scadyg_messages_column_name(t->set->messages, c)));
        widen_for(t, scadyg_messages_rates(t->set->messages)[c]);
    }
    for (size_t i = 0; i < t->set->count * t->width; i++) widen_for(t, t->set->values[i]);
    size_t fit = (cli_terminal_width(STDOUT_FILENO) - t->name_width) / t->column_width;
    return fit < 1 ? 1 : fit;
}

/* Four digits; three if that brings every column on one screen. */
static size_t measure(table *t)
{
    t->width = scadyg_messages_width(t->set->messages);
    t->name_width = strlen("node");
    for (size_t i = 0; i < t->set->count; i++) {
        size_t width = cli_display_width(t->names[i]);
        if (width > WIDEST_NAME) width = WIDEST_NAME;
        if (width > t->name_width) t->name_width = width;
    }
    t->name_width++;
    if (measure_columns(t, 4) >= t->width || measure_columns(t, 3) < t->width) return measure_columns(t, 4);
    return measure_columns(t, 3);
}

static void print_heading(const message_set *set, int verbose)
{
    const scadyg_shape *shape = scadyg_events_shape(set->events);
    char at[64];
    scadyg_time_human(shape->time_kind, set->at_end ? shape->last_time : set->at, at);
    printf(set->at_end ? "messages just after the last event, at %s\n" : "messages at %s\n", at);
    if (verbose)
        printf("%zu columns, %lld steps\n", scadyg_messages_width(set->messages),
               (long long)scadyg_messages_step_count(set->messages));
    putchar('\n');
}

int messages_print_table(const message_set *set, const cli_common *common, scadyg_error *error)
{
    table t = {.set = set, .names = node_names(set, error)};
    if (!t.names) return error->status;
    size_t fit = measure(&t);
    if (!common->quiet) print_heading(set, common->verbose);
    /* Blocks of about the same width look better than a full one and a rest. */
    size_t blocks = (t.width + fit - 1) / fit, per_block = blocks ? (t.width + blocks - 1) / blocks : 0;
    for (size_t first = 0; first < t.width; first += per_block) {
        if (first) putchar('\n');
        print_block(&t, first, t.width - first < per_block ? t.width - first : per_block);
    }
    char more[CLI_TEXT];
    if (!common->quiet && set->wanted > set->count)
        printf("\n%s more nodes not shown; --node chooses, --json and -o F.npy have them all\n",
               cli_count(set->wanted - set->count, more));
    free_names(t.names, set->count);
    return SCADYG_OK;
}
