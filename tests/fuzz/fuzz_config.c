/* Any bytes as a file of options: it is read or refused, what is read is printed back to the same options. */
#include "fuzz/fuzz.h"

#include "cli/config.h"

#include <string.h>

/* As train does: the kind and the task first, then the others. */
static int read_options(const cli_tables *tables, const char *data, size_t size, scadyg_options **options,
                        scadyg_error *error)
{
    json_t *config = NULL;
    const char *model = NULL, *task = NULL;
    int status = cli_config_parse("fuzz", data, size, &config, error);
    PROMISE(!status == !!config);
    if (!status) status = cli_config_word("fuzz", config, "model", &model, error);
    if (!status) status = cli_config_word("fuzz", config, "task", &task, error);
    if (!status) status = scadyg_options_open_train(model, task, options, error);
    if (!status) status = cli_config_set(tables, "fuzz", config, *options, error);
    json_decref(config);
    return status;
}

static void check_reads_back(const cli_tables *tables, const scadyg_options *options)
{
    scadyg_options *again = NULL;
    scadyg_error error = {0};
    json_t *object = cli_config_json(options);
    char *text = object ? json_dumps(object, JSON_REAL_PRECISION(17)) : NULL;
    PROMISE(text);
    PROMISE(read_options(tables, text, strlen(text), &again, &error) == SCADYG_OK);
    PROMISE(cli_config_equal(options, again));
    scadyg_options_close(again);
    json_decref(object);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cli_tables tables; /* for the life of the process */
    if (size > 4096) return 0;
    if (!tables.command) PROMISE(cli_tables_open(&tables, &cli_train) == CLI_OK);
    scadyg_options *options = NULL;
    scadyg_error error = {0};
    int status = read_options(&tables, (const char *)data, size, &options, &error);
    if (status)
        PROMISE(error.status == status && error.message[0]);
    else
        check_reads_back(&tables, options);
    scadyg_options_close(options);
    return 0;
}
