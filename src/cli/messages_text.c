/* messages for people: a row per node, the columns in blocks that fit the terminal. */
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUE_WIDTH = 11, WIDEST_NAME = 24 };

typedef struct table {
    const message_set *set;
    char **names;
    size_t name_width;
    size_t width;        /* of a message */
    size_t column_width; /* on the screen, with the space before it */
} table;

static void free_names(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

static char **node_names(const message_set *set, scadyg_error *error) {
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

static void print_block(const table *t, size_t first, size_t count) {
    const double *rates = scadyg_messages_rates(t->set->messages);
    cli_print_padded("node", t->name_width, 0);
    for (size_t c = first; c < first + count; c++)
        printf("%*s", (int)t->column_width, scadyg_messages_column_name(t->set->messages, c));
    putchar('\n');
    cli_print_padded("(rate)", t->name_width, 0);
    for (size_t c = first; c < first + count; c++) printf("%*.4g", (int)t->column_width, rates[c]);
    putchar('\n');
    for (size_t i = 0; i < t->set->count; i++) {
        cli_print_padded(t->names[i], t->name_width, 0);
        for (size_t c = first; c < first + count; c++)
            printf("%*.4g", (int)t->column_width, t->set->values[i * t->width + c]);
        putchar('\n');
    }
}

static void measure(table *t) {
    t->width = scadyg_messages_width(t->set->messages);
    t->name_width = strlen("(rate)");
    t->column_width = VALUE_WIDTH;
    for (size_t i = 0; i < t->set->count; i++) {
        size_t width = cli_display_width(t->names[i]);
        if (width > WIDEST_NAME) width = WIDEST_NAME;
        if (width > t->name_width) t->name_width = width;
    }
    for (size_t c = 0; c < t->width; c++) {
        size_t length = strlen(scadyg_messages_column_name(t->set->messages, c)) + 2;
        if (length > t->column_width) t->column_width = length;
    }
}

static void print_heading(const message_set *set) {
    const scadyg_shape *shape = scadyg_events_shape(set->events);
    char at[64];
    scadyg_time_human(shape->time_kind, set->at_end ? shape->last_time : set->at, at);
    printf(set->at_end ? "messages just after the last event, at %s\n\n" : "messages at %s\n\n", at);
}

int messages_print_table(const message_set *set, int quiet, scadyg_error *error) {
    table t = {.set = set, .names = node_names(set, error)};
    if (!t.names) return error->status;
    measure(&t);
    if (!quiet) print_heading(set);
    size_t fit = (cli_terminal_width(STDOUT_FILENO) - t.name_width) / t.column_width;
    if (fit < 1) fit = 1;
    /* Blocks of about the same width look better than a full one and a rest. */
    size_t blocks = (t.width + fit - 1) / fit, per_block = blocks ? (t.width + blocks - 1) / blocks : 0;
    for (size_t first = 0; first < t.width; first += per_block) {
        if (first) putchar('\n');
        print_block(&t, first, t.width - first < per_block ? t.width - first : per_block);
    }
    char more[CLI_TEXT];
    if (!quiet && set->wanted > set->count)
        printf("\n%s more nodes not shown; --node chooses, --json and -o F.npy have them all\n",
               cli_count(set->wanted - set->count, more));
    free_names(t.names, set->count);
    return SCADYG_OK;
}
