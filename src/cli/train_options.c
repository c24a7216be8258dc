/* The options of train, from all the places they may come from. */
#include "train.h"

#include <string.h>

cli_table train_table(void)
{
    cli_table table = {0};
    table.options = scadyg_train_option_table(&table.count);
    return table;
}

int train_settle(const cli_call *call, json_t **kept)
{
    train_arguments *arguments = call->arguments;
    cli_table table = train_table();
    scadyg_error error = {0};
    if (!arguments->preset && !arguments->config) return CLI_OK;
    scadyg_train_options *train = &arguments->train;
    memset(train, 0, sizeof *train);
    scadyg_options_default(table.options, table.count, train);
    if (arguments->preset && scadyg_preset_apply(arguments->preset, train, &error))
        return cli_fail_error(call->command, &error, NULL);
    if (arguments->config && cli_config_read(arguments->config, table, train, sizeof *train, kept, &error))
        return cli_fail_error(call->command, &error, NULL);
    return cli_set_given(call);
}

int train_same_options(const scadyg_train_options *one, const scadyg_train_options *other)
{
    cli_table table = train_table();
    json_t *a = cli_config_json(table, one), *b = cli_config_json(table, other);
    int same = a && b && json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}
