/* scadyg info: what is in an events file. */
#include "info.h"

typedef struct info_arguments {
    cli_common common;
    int verify;
    uint64_t memory;
} info_arguments;

#define FIELD(field) .offset = offsetof(info_arguments, field)

static const scadyg_option options[] = {
    {.name = "verify", .kind = SCADYG_OPTION_FLAG, FIELD(verify), .help = "check every checksum first"},
    {.name = "json", .kind = SCADYG_OPTION_FLAG, FIELD(common.json), .help = "print everything as JSON"},
    {.name = "memory",
     .kind = SCADYG_OPTION_SIZE,
     FIELD(memory),
     .argument = "SIZE",
     .fallback = "1G",
     .least = 1 << 20,
     .most = 1e18,
     .help = "how much may be used for counting pairs"},
    {.name = "threads",
     .kind = SCADYG_OPTION_INT,
     FIELD(common.threads),
     .argument = "N",
     .fallback = "all",
     .choices = "all",
     .least = 0,
     .most = 1024,
     .help = "threads to use"},
};

static const char *const examples[] = {"scadyg info log.events",
                                       "what is in it, at a glance",
                                       "scadyg info log.events --json",
                                       "the same for a program",
                                       "scadyg info log.events --verify --quiet",
                                       "check the file; the exit code tells",
                                       NULL};

static int print(const cli_call *call, const info_facts *facts)
{
    const info_arguments *arguments = call->arguments;
    scadyg_error error = {0};
    cli_progress_erase();
    if (arguments->common.json) {
        json_t *object = info_json(facts, &error);
        return error.status ? cli_fail_error(call->command, &error, NULL) : cli_json_print(call->command, object);
    }
    if (arguments->common.quiet) return CLI_OK;
    if (info_print(facts, arguments->common.verbose, &error)) return cli_fail_error(call->command, &error, NULL);
    return CLI_OK;
}

static int run(cli_call *call)
{
    const info_arguments *arguments = call->arguments;
    info_facts facts = {.verified = arguments->verify};
    int code = cli_one_operand(call, "events file", &facts.path);
    if (code) return code;
    scadyg_error error = {0};
    if (scadyg_events_open(facts.path, &facts.events, &error) ||
        (arguments->verify && scadyg_events_verify(facts.events, &error)) ||
        scadyg_info_compute(facts.events, arguments->memory, (int)arguments->common.threads,
                            cli_progress(&arguments->common), &facts.info, &error))
        code = cli_fail_error(call->command, &error, NULL);
    else
        code = print(call, &facts);
    scadyg_events_close(facts.events);
    return code;
}

const cli_command cli_info = {
    .name = "info",
    .summary = "show what is in an events file",
    .operands = "X.events",
    .description = "Shows the number of nodes and events, their features, the time range, how often pairs\n"
                   "meet again, how many nodes are new in each tenth of the time, the most active nodes and a\n"
                   "chart of events over time.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .size = sizeof(info_arguments),
    .run = run,
};
