/* The node-specific matrix W_x of the hypernetwork. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"

typedef struct matrix {
    size_t width;
    float *values;             /* [width][width] */
    scadyg_messages *messages; /* for the names of the columns; or NULL */
} matrix;

static const char *column_name(const matrix *m, size_t column, char buffer[CLI_TEXT])
{
    if (m->messages) return scadyg_messages_column_name(m->messages, column);
    snprintf(buffer, CLI_TEXT, "m%zu", column);
    return buffer;
}

static void print_table(const matrix *m)
{
    char buffer[CLI_TEXT];
    size_t width = 11; /* of -0.0001234 and a blank */
    for (size_t c = 0; c < m->width; c++) {
        size_t length = strlen(column_name(m, c, buffer)) + 1;
        if (length > width) width = length;
    }
    printf("%*s", (int)width, "");
    for (size_t c = 0; c < m->width; c++) printf("%*s", (int)width, column_name(m, c, buffer));
    putchar('\n');
    for (size_t r = 0; r < m->width; r++) {
        printf("%*s", (int)width, column_name(m, r, buffer));
        for (size_t c = 0; c < m->width; c++) printf("%*.4g", (int)width, (double)m->values[r * m->width + c]);
        putchar('\n');
    }
}

static json_t *matrix_json(const matrix *m, const cli_session *session, const char *id)
{
    char buffer[CLI_TEXT];
    json_t *object = json_object(), *columns = json_array(), *rows = json_array();
    int failed = json_object_set_new(object, "node", json_string(id));
    failed |= json_object_set_new(object, "at", cli_json_number(session->at));
    for (size_t r = 0; r < m->width && !failed; r++) {
        json_t *row = json_array();
        failed |= json_array_append_new(columns, json_string(column_name(m, r, buffer)));
        for (size_t c = 0; c < m->width && !failed; c++)
            failed |= json_array_append_new(row, cli_json_number((double)m->values[r * m->width + c]));
        failed |= json_array_append_new(rows, row);
    }
    failed |= json_object_set_new(object, "columns", columns);
    failed |= json_object_set_new(object, "weights", rows);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int print(const cli_call *call, const cli_session *session, const matrix *m, uint32_t node)
{
    const cli_common *common = call->arguments;
    scadyg_error error = {0};
    char *id =
        common->json ? cli_node_id(session->events, node, &error) : cli_node_text(session->events, node, &error);
    if (!id) return cli_fail_error(call->command, &error, NULL);
    int code = CLI_OK;
    if (common->json) {
        code = cli_json_print(call->command, matrix_json(m, session, id));
    } else {
        if (!common->quiet) {
            printf("W_x of ");
            cli_session_heading(session, id);
        }
        print_table(m);
    }
    free(id);
    return code;
}

int show_weights(const cli_call *call, const cli_session *session, const char *id)
{
    matrix m = {.width = session->info->width};
    scadyg_error error = {0};
    uint32_t node;
    if (m.width == 0)
        return cli_fail(call->command, "%s is a rule without training; it has no weights", session->model_path);
    int code = cli_session_node(call, session, id, &node);
    if (code) return code;
    m.values = malloc(m.width * m.width * sizeof *m.values);
    if (!m.values)
        code = cli_fail(call->command, "not enough memory for the matrix");
    else if (scadyg_node_weights(session->predictor, node, session->at, m.values, &error))
        code = cli_fail_error(call->command, &error, NULL);
    /* Names are a courtesy: without them the columns are numbered. */
    if (!code && scadyg_messages_open(session->events, &session->info->options->messages, &m.messages, NULL) == 0 &&
        scadyg_messages_width(m.messages) != m.width) {
        scadyg_messages_close(m.messages);
        m.messages = NULL;
    }
    if (!code) code = print(call, session, &m, node);
    scadyg_messages_close(m.messages);
    free(m.values);
    return code;
}
