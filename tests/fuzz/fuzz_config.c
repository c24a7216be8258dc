/* Any bytes as a file of options: it is read or refused, what is read is printed back to the same options. */
#include "fuzz/fuzz.h"

#include "cli/config.h"

#include <string.h>

static json_t *printed(cli_table table, const scadyg_train_options *options)
{
    json_t *object = cli_config_json(table, options);
    PROMISE(object);
    return object;
}

static void reads_back(cli_table table, const scadyg_train_options *options)
{
    json_t *object = printed(table, options), *kept = NULL;
    char *text = json_dumps(object, JSON_REAL_PRECISION(17));
    PROMISE(text);
    scadyg_train_options again = {0};
    scadyg_options_default(table.options, table.count, &again);
    scadyg_error error = {0};
    PROMISE(cli_config_parse("again", text, strlen(text), table, &again, sizeof again, &kept, &error) == SCADYG_OK);
    json_t *twice = printed(table, &again);
    PROMISE(json_equal(object, twice));
    json_decref(twice);
    json_decref(object);
    json_decref(kept);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096) return 0;
    cli_table table = {0};
    table.options = scadyg_train_option_table(&table.count);
    scadyg_train_options options, before;
    memset(&options, 0, sizeof options);
    scadyg_options_default(table.options, table.count, &options);
    memcpy(&before, &options, sizeof options);
    json_t *kept = NULL;
    scadyg_error error = {0};
    int status = cli_config_parse("fuzz", (const char *)data, size, table, &options, sizeof options, &kept, &error);
    if (status) {
        PROMISE(error.status == status && error.message[0] && !kept);
        PROMISE(memcmp(&options, &before, sizeof options) == 0);
    } else {
        reads_back(table, &options);
    }
    json_decref(kept);
    return 0;
}
