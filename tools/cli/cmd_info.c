/* scadyg info: what is in an events file, or in a text log. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/describe.h"
#include "cli/open_events.h"

typedef struct info_arguments {
    cli_common common;
    int verify;
} info_arguments;

static const sg_option options[] = {
    CLI_ROW_FLAG(info_arguments, verify, "verify", 0, "check every checksum first", 0),
    CLI_ROW_JSON("print everything as JSON"),
    CLI_ROW_MEMORY(1 << 20, "how much may be used for counting pairs [1G]"),
    CLI_ROW_THREADS,
};

static const cli_example examples[] = {
    {"scadyg info log.events", "what is in it, at a glance"},
    {"scadyg info log.csv --timezone Europe/Berlin", "the same of a text log"},
    {"scadyg info log.events --json", "the same for a program"},
    {"scadyg info log.events --verify --quiet", "check the file; the exit code tells"},
    {NULL, NULL}};

/* Everything info found out about a file. */
typedef struct info_facts {
    const char *path;
    scadyg_events *events;
    scadyg_info *info;
    int verified;          /* --verify was asked for and all is well */
    char roles[CLI_ROLES]; /* whether sources and destinations are separate, in a sentence */
} info_facts;

/* ---- As JSON ---- */

static json_t *numbers_json(const double *values, size_t count)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) failed |= json_array_append_new(array, cli_json_number(values[i]));
    return cli_json_whole(array, failed);
}

static json_t *counts_json(const uint64_t *values, size_t count)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) failed |= json_array_append_new(array, json_integer((json_int_t)values[i]));
    return cli_json_whole(array, failed);
}

static json_t *top_nodes_json(const info_facts *facts, scadyg_error *error)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < facts->info->top_count && !failed; i++) {
        const char *role = cli_node_role(facts->events, facts->info->top_nodes[i], error);
        char *id = role ? cli_node_id(facts->events, facts->info->top_nodes[i], error) : NULL;
        json_t *node =
            id ? json_pack("{s:s, s:I}", "id", id, "events", (json_int_t)facts->info->top_degrees[i]) : NULL;
        failed = !node || (*role && json_object_set_new(node, "role", json_string(role))) ||
                 json_array_append(array, node);
        json_decref(node);
        free(id);
    }
    return cli_json_whole(array, failed);
}

static json_t *info_json(const info_facts *facts, scadyg_error *error)
{
    const scadyg_info *info = facts->info;
    const scadyg_shape *shape = info->shape;
    const double share = shape->events ? (double)info->repeated_pairs / (double)shape->events : 0;
    json_t *object = json_pack("{s:o, s:s, s:o}", "file", cli_json_text(facts->path), "roles", facts->roles,
                               "reading", cli_json_lines(scadyg_events_reading(facts->events)));
    int failed = cli_json_add(object, cli_shape_json(shape));
    failed |= cli_json_add(
        object,
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                  "sources", (json_int_t)info->sources, "destinations", (json_int_t)info->destinations,
                  "distinct_times", (json_int_t)info->distinct_times, "self_loops", (json_int_t)info->self_loops,
                  "repeated_events", (json_int_t)info->repeated_events, "repeated_pairs",
                  (json_int_t)info->repeated_pairs, "distinct_pairs", (json_int_t)info->distinct_pairs, "bipartite",
                  info->bipartite, "edge_features_zero", info->edge_features_zero, "node_features_zero",
                  info->node_features_zero, "time_range", cli_json_number(shape->last_time - shape->first_time),
                  "average_degree", cli_json_number(info->average_degree), "repeated_pair_share",
                  cli_json_number(share), "new_nodes", numbers_json(info->new_nodes, CLI_COUNT(info->new_nodes)),
                  "events_in_tenth", counts_json(info->events_in_tenth, CLI_COUNT(info->events_in_tenth)),
                  "top_nodes", top_nodes_json(facts, error), "histogram",
                  counts_json(info->histogram, CLI_COUNT(info->histogram))));
    if (facts->verified) failed |= json_object_set_new(object, "verified", json_true());
    return cli_json_whole(object, failed || error->status);
}

/* ---- The chart of events over time: one column per equal part of the time range, several rows high ---- */

enum { ROWS = 8 };

/* How full the row is in a column, in eighths. */
static unsigned fill_of(uint64_t value, uint64_t most, unsigned row)
{
    double height = (double)value / (double)most * ROWS * 8;
    unsigned eighths = (unsigned)(height + 0.5);
    if (value > 0 && eighths == 0) eighths = 1; /* few is not none */
    unsigned below = row * 8;
    return eighths <= below ? 0 : eighths - below >= 8 ? 8 : eighths - below;
}

static void print_chart_row(const scadyg_info *info, uint64_t most, unsigned row, int utf8)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ".", ".", ":", ":", ":", "#", "#"};
    char text[SCADYG_INFO_BINS * 4 + 1];
    size_t used = 0, end = 0;
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++) {
        unsigned fill = fill_of(info->histogram[i], most, row);
        const char *block = (utf8 ? blocks : ascii)[fill];
        memcpy(text + used, block, strlen(block));
        used += strlen(block);
        if (fill) end = used;
    }
    text[end] = 0; /* no spaces at the end of a line */
    printf("%s\n", text);
}

static void print_chart(const scadyg_info *info)
{
    const scadyg_shape *shape = info->shape;
    int utf8 = cli_utf8();
    uint64_t most = 1;
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++)
        if (info->histogram[i] > most) most = info->histogram[i];
    const char *label = cli_count(most), *first = cli_time(shape, shape->first_time),
               *last = cli_time(shape, shape->last_time);
    int width = (int)strlen(label);
    printf("\n  events over time\n");
    for (unsigned row = ROWS; row-- > 0;) {
        printf("  %*s %s", width, row == ROWS - 1 ? label : "", utf8 ? "│" : "|");
        print_chart_row(info, most, row, utf8);
    }
    printf("  %*s %s", width, "0", utf8 ? "└" : "+");
    for (size_t i = 0; i < SCADYG_INFO_BINS; i++) fputs(utf8 ? "─" : "-", stdout);
    int gap = SCADYG_INFO_BINS - (int)strlen(first);
    printf("\n  %*s  %s%*s\n", width, "", first, gap > (int)strlen(last) ? gap : (int)strlen(last) + 2, last);
}

/* ---- For people, laid out for a terminal of 80 columns ---- */

enum { LABEL = 17, LONGEST_IN_TWO_COLUMNS = 20, ROLE = 12 };

static void print_row(const char *label, const char *value, const char *remark)
{
    printf("  %-*s %s%s%s\n", LABEL, label, value, remark && *remark ? "  " : "", remark ? remark : "");
}

static const char *range_text(const scadyg_shape *shape, double range, char buffer[CLI_TEXT])
{
    switch (shape->time_kind) {
    case SCADYG_TIME_NUMBER:
        if (range < 120) /* as seconds it would be the same number again */
            snprintf(buffer, CLI_TEXT, "%.15g", range);
        else
            snprintf(buffer, CLI_TEXT, "%.15g (%s if seconds)", range, cli_duration(range));
        return buffer;
    case SCADYG_TIME_YEAR: snprintf(buffer, CLI_TEXT, "%.15g year%s", range, sg_plural(range)); return buffer;
    case SCADYG_TIME_UNIX_MILLI: return cli_duration_in(range / 1000, buffer);
    case SCADYG_TIME_UNIX_MICRO: return cli_duration_in(range / 1e6, buffer);
    default: return cli_duration_in(range, buffer);
    }
}

/* How its text was read, where something was to be said of it. */
static void print_reading(const scadyg_events *events)
{
    const char *line = scadyg_events_reading(events);
    for (int first = 1; *line; first = 0) {
        const int length = (int)strcspn(line, "\n");
        print_row(first ? "text read with" : "", cli_safe(cli_text("%.*s", length, line)), "");
        line += length + (line[length] == '\n');
    }
}

static void print_figures(const info_facts *facts, int verbose)
{
    const scadyg_info *info = facts->info;
    const scadyg_shape *shape = info->shape;
    const uint32_t edge = cli_edge_features(shape);
    print_row("nodes", cli_count(shape->nodes),
              cli_text("(%s source%s, %s destination%s)", cli_count(info->sources), sg_plural(info->sources),
                       cli_count(info->destinations), sg_plural(info->destinations)));
    cli_roles_print(facts->roles, 2, LABEL);
    print_row("events", cli_count(shape->events), "");
    print_row("edge features",
              shape->has_weight && shape->edge_features
                  ? cli_text("%u (%u and weight)", edge, shape->edge_features)
                  : cli_text("%u%s", edge, shape->has_weight ? " (weight)" : ""),
              info->edge_features_zero ? "all zero" : "");
    print_row("node features", cli_text("%u", shape->node_features), info->node_features_zero ? "all zero" : "");
    print_row("labels", shape->has_label ? "yes" : "no", "");
    print_row("distinct times", cli_count(info->distinct_times), "");
    print_row("first time", cli_time(shape, shape->first_time), "");
    print_row("last time", cli_time(shape, shape->last_time), "");
    print_row("time range", range_text(shape, shape->last_time - shape->first_time, (char[CLI_TEXT]){0}), "");
    print_row("average degree", cli_text("%.2f", info->average_degree), "");
    print_row("self-loops", cli_count(info->self_loops), "");
    print_row("repeated events", cli_count(info->repeated_events), "same source, destination and time");
    print_row("repeated pairs", cli_count(info->repeated_pairs),
              cli_text("(%s of the events are between a pair seen before)",
                       cli_share(info->repeated_pairs, shape->events)));
    if (verbose) print_row("distinct pairs", cli_count(info->distinct_pairs), "");
    if (verbose) print_row("times are", scadyg_time_kind_name(shape->time_kind), "");
    if (verbose) print_row("ids are", shape->integer_ids ? "integers" : "text", "");
    print_reading(facts->events);
    if (facts->verified) print_row("checksums", "all right", "");
}

static void print_tenths(const scadyg_info *info)
{
    printf("\n  %-*s", LABEL, "tenth of the time");
    for (int i = 1; i <= 10; i++) printf("%6d", i);
    printf("\n  %-*s", LABEL, "events, %");
    for (size_t i = 0; i < 10; i++)
        printf("%6.1f",
               info->shape->events ? 100.0 * (double)info->events_in_tenth[i] / (double)info->shape->events : 0);
    printf("\n  %-*s", LABEL, "new nodes, %");
    for (size_t i = 0; i < 10; i++) {
        if (info->events_in_tenth[i] && isfinite(info->new_nodes[i]))
            printf("%6.1f", 100 * info->new_nodes[i]);
        else
            printf("%6s", "-");
    }
    putchar('\n');
}

static void print_top(const scadyg_info *info, char *const *names, const char *const *roles, size_t columns)
{
    size_t rows = (info->top_count + columns - 1) / columns, name_width = 0, count_width = 0;
    for (size_t i = 0; i < info->top_count; i++) {
        size_t width = cli_display_width(names[i]), digits = strlen(cli_count(info->top_degrees[i]));
        if (width > name_width) name_width = width;
        if (digits > count_width) count_width = digits;
    }
    if (name_width > 40) name_width = 40; /* one very long id does not push the others off the screen */
    printf("\n  most active nodes, their events, share of all events\n");
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = r; i < info->top_count; i += rows) {
            printf(i == r ? "  " : "     ");
            cli_print_padded(names[i], name_width, 0);
            if (*roles[i]) printf(" %-*s", ROLE - 1, roles[i]);
            printf("  %*s %7s", (int)count_width, cli_count(info->top_degrees[i]),
                   cli_share(info->top_degrees[i], info->shape->events));
        }
        putchar('\n');
    }
}

/* "source", or "" where nodes have no roles: a column behind the ids. */
static int find_top_roles(const info_facts *facts, const char **roles, scadyg_error *error)
{
    for (size_t i = 0; i < facts->info->top_count && !error->status; i++)
        roles[i] = cli_node_role(facts->events, facts->info->top_nodes[i], error);
    return error->status;
}

static int print_top_nodes(const info_facts *facts, scadyg_error *error)
{
    char *names[SCADYG_INFO_TOP] = {0};
    const char *roles[SCADYG_INFO_TOP] = {0};
    size_t longest = 0;
    for (size_t i = 0; i < facts->info->top_count && !error->status; i++) {
        names[i] = cli_node_text(facts->events, facts->info->top_nodes[i], error);
        if (names[i] && cli_display_width(names[i]) > longest) longest = cli_display_width(names[i]);
    }
    if (!error->status && facts->info->top_count && !find_top_roles(facts, roles, error))
        print_top(facts->info, names, roles,
                  longest + (facts->info->shape->two_id_spaces ? ROLE : 0) <= LONGEST_IN_TWO_COLUMNS ? 2 : 1);
    for (size_t i = 0; i < SCADYG_INFO_TOP; i++) free(names[i]);
    return error->status;
}

static int print_facts(const cli_call *call, const info_facts *facts)
{
    const info_arguments *arguments = call->arguments;
    cli_progress_erase();
    if (arguments->common.json) {
        json_t *object = info_json(facts, call->error);
        return call->error->status ? cli_failed(call, NULL) : cli_json_print(call->command, object);
    }
    if (arguments->common.quiet) return CLI_OK;
    printf("%s  (%s)\n\n", cli_safe(facts->path), cli_bytes(cli_file_size(facts->path)));
    print_figures(facts, arguments->common.verbose);
    print_tenths(facts->info);
    if (print_top_nodes(facts, call->error)) return cli_failed(call, NULL);
    print_chart(facts->info);
    return CLI_OK;
}

static int run(cli_call *call)
{
    const info_arguments *arguments = call->arguments;
    info_facts facts = {.verified = arguments->verify};
    int code = cli_one_operand(call, "events file", &facts.path);
    if (code) return code;
    code = cli_events_open(call, facts.path, "", arguments->common.quiet ? NULL : stderr, &facts.events);
    if (code) return code;
    if ((arguments->verify && scadyg_events_verify(call->context, facts.events, call->error)) ||
        scadyg_info_compute(call->context, facts.events, &facts.info, call->error) ||
        cli_roles_of(call, facts.path, facts.events, facts.roles, call->error))
        code = cli_failed(call, NULL);
    else
        code = cli_events_check(call, facts.events, print_facts(call, &facts));
    scadyg_info_free(facts.info);
    scadyg_events_close(facts.events);
    return code;
}

const cli_command cli_info = {
    .name = "info",
    .summary = "show what is in an events file or a text log",
    .operands = "X.events",
    .description = "Shows the number of nodes and events, their features, the time range, how often pairs\n"
                   "meet again, how many nodes are new in each tenth of the time, the most active nodes and a\n"
                   "chart of events over time. A text log is taken as well as an events file.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    .size = sizeof(info_arguments),
    .run = run,
};
