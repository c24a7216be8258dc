/* messages as JSON, written as it goes: a large graph never becomes a tree in memory. */
#include "messages.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The shorter of two writings that read back to the same double; JSON has no infinity. */
static void print_number(double value)
{
    char text[CLI_TEXT];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
    fputs(isfinite(value) ? text : "null", stdout);
}

static void print_numbers(const double *values, size_t count)
{
    putchar('[');
    for (size_t i = 0; i < count; i++) {
        if (i) putchar(',');
        print_number(values[i]);
    }
    putchar(']');
}

static int print_string(const char *text, scadyg_error *error)
{
    json_t *string = json_string(text);
    int failed = !string || (json_dumpf(string, stdout, JSON_ENCODE_ANY) && !ferror(stdout));
    json_decref(string);
    if (!failed) return SCADYG_OK;
    *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the JSON output"};
    return error->status;
}

static int print_node(const message_set *set, size_t index, size_t width, scadyg_error *error)
{
    char *id = cli_node_id(set->events, message_node(set, index), error);
    if (!id) return error->status;
    fputs(index ? ",\n" : "\n", stdout);
    int status = print_string(id, error);
    free(id);
    putchar(':');
    print_numbers(set->values + index * width, width);
    return status;
}

int messages_print_json(const message_set *set, scadyg_error *error)
{
    size_t width = scadyg_messages_width(set->messages);
    fputs("{\"at\":", stdout);
    print_number(set->at);
    fputs(",\n\"rates\":", stdout);
    print_numbers(scadyg_messages_rates(set->messages), width);
    fputs(",\n\"columns\":[", stdout);
    for (size_t i = 0; i < width; i++) {
        if (i) putchar(',');
        if (print_string(scadyg_messages_column_name(set->messages, i), error)) return error->status;
    }
    fputs("],\n\"messages\":{", stdout);
    for (size_t i = 0; i < set->count; i++) {
        if (ferror(stdout)) break; /* told by cli_finish */
        if (cli_signal_seen()) return error->status = SCADYG_E_CANCELLED;
        if (print_node(set, i, width, error)) return error->status;
    }
    fputs("}}\n", stdout);
    return SCADYG_OK;
}
