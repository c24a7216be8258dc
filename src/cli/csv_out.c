/* CSV in memory. */
#include "csv_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_file.h"

static void put(cli_csv *csv, const char *text, size_t length)
{
    if (csv->failed) return;
    if (csv->room - csv->length < length) {
        size_t room = csv->room ? csv->room : 4096;
        while (room - csv->length < length) room *= 2;
        char *grown = realloc(csv->text, room);
        csv->failed = !grown;
        if (!grown) return;
        csv->text = grown;
        csv->room = room;
    }
    memcpy(csv->text + csv->length, text, length);
    csv->length += length;
}

void cli_csv_text(cli_csv *csv, const char *text)
{
    put(csv, text, strlen(text));
}

void cli_csv_field(cli_csv *csv, const char *text)
{
    size_t length = strlen(text);
    int edges = length > 0 && (text[0] == ' ' || text[length - 1] == ' ' || text[0] == '#' || text[0] == '%');
    if (!edges && !text[strcspn(text, ",;\t\"\r\n")]) {
        put(csv, text, length);
        return;
    }
    put(csv, "\"", 1);
    for (const char *c = text; *c; c++) {
        put(csv, c, 1);
        if (*c == '"') put(csv, c, 1);
    }
    put(csv, "\"", 1);
}

void cli_csv_number(cli_csv *csv, double value, int digits)
{
    char text[CLI_TEXT];
    if (isnan(value)) return;
    snprintf(text, sizeof text, "%.*g", digits, value);
    cli_csv_text(csv, text);
}

int cli_csv_write(cli_csv *csv, const char *path, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (csv->failed) {
        *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the CSV output"};
        status = error->status;
    } else if (!path || strcmp(path, "-") == 0) {
        fwrite(csv->text, 1, csv->length, stdout); /* a failed write is told by cli_finish */
    } else {
        status = cli_file_write(path, csv->text, csv->length, error);
    }
    free(csv->text);
    *csv = (cli_csv){0};
    return status;
}
