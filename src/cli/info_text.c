/* info for people, laid out for a terminal of 80 columns. */
#include "info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 17, LONGEST_IN_TWO_COLUMNS = 20 };

static void row(const char *label, const char *value, const char *remark)
{
    printf("  %-*s %s%s%s\n", LABEL, label, value, remark && *remark ? "  " : "", remark ? remark : "");
}

void info_range_text(const scadyg_shape *shape, double range, char buffer[CLI_TEXT])
{
    char human[CLI_TEXT];
    switch (shape->time_kind) {
    case SCADYG_TIME_NUMBER:
        if (range < 120) /* as seconds it would be the same number again */
            snprintf(buffer, CLI_TEXT, "%.15g", range);
        else
            snprintf(buffer, CLI_TEXT, "%.15g (%s if seconds)", range, cli_duration(range, human));
        break;
    case SCADYG_TIME_YEAR: snprintf(buffer, CLI_TEXT, "%.15g year%s", range, range == 1 ? "" : "s"); break;
    case SCADYG_TIME_UNIX_MILLI: cli_duration(range / 1000, buffer); break;
    default: cli_duration(range, buffer);
    }
}

static void print_features(const scadyg_info *info)
{
    const scadyg_shape *shape = &info->shape;
    char text[CLI_TEXT];
    cli_edge_features_text(shape, text);
    row("edge features", text, info->edge_features_zero ? "all zero" : "");
    snprintf(text, sizeof text, "%u", shape->node_features);
    row("node features", text, info->node_features_zero ? "all zero" : "");
    row("labels", shape->has_label ? "yes" : "no", "");
}

static void print_nodes(const scadyg_info *info)
{
    char nodes[CLI_TEXT], sources[CLI_TEXT], destinations[CLI_TEXT], remark[256];
    const char *spaces = info->shape.two_id_spaces ? ", two id spaces" : "";
    snprintf(remark, sizeof remark, "(%s sources, %s destinations, %s%s)", cli_count(info->sources, sources),
             cli_count(info->destinations, destinations), info->bipartite ? "bipartite" : "not bipartite", spaces);
    row("nodes", cli_count(info->shape.nodes, nodes), remark);
}

static void print_times(const scadyg_info *info)
{
    const scadyg_shape *shape = &info->shape;
    char text[64], range[CLI_TEXT];
    row("distinct times", cli_count(info->distinct_times, text), "");
    scadyg_time_human(shape->time_kind, shape->first_time, text);
    row("first time", text, "");
    scadyg_time_human(shape->time_kind, shape->last_time, text);
    row("last time", text, "");
    info_range_text(shape, shape->last_time - shape->first_time, range);
    row("time range", range, "");
}

static void print_pairs(const scadyg_info *info, int verbose)
{
    char text[CLI_TEXT], share[CLI_TEXT], remark[128];
    snprintf(text, sizeof text, "%.2f", info->average_degree);
    row("average degree", text, "");
    row("self-loops", cli_count(info->self_loops, text), "");
    row("repeated events", cli_count(info->repeated_events, text), "same source, destination and time");
    snprintf(remark, sizeof remark, "(%s of the events are between a pair seen before)",
             cli_share(info->repeated_pairs, info->shape.events, share));
    row("repeated pairs", cli_count(info->repeated_pairs, text), remark);
    if (verbose) row("distinct pairs", cli_count(info->distinct_pairs, text), "");
}

static void print_tenths(const scadyg_info *info)
{
    printf("\n  %-*s", LABEL, "tenth of the time");
    for (int i = 1; i <= 10; i++) printf("%6d", i);
    printf("\n  %-*s", LABEL, "events, %");
    for (size_t i = 0; i < 10; i++)
        printf("%6.1f",
               info->shape.events ? 100.0 * (double)info->events_in_tenth[i] / (double)info->shape.events : 0);
    printf("\n  %-*s", LABEL, "new nodes, %");
    for (size_t i = 0; i < 10; i++) {
        if (info->events_in_tenth[i] && isfinite(info->new_nodes[i]))
            printf("%6.1f", 100 * info->new_nodes[i]);
        else
            printf("%6s", "-");
    }
    putchar('\n');
}

static void print_top(const scadyg_info *info, char *const *names, size_t columns)
{
    size_t rows = (info->top_count + columns - 1) / columns, name_width = 0, count_width = 0;
    char count[CLI_TEXT], share[CLI_TEXT];
    for (size_t i = 0; i < info->top_count; i++) {
        size_t width = cli_display_width(names[i]), digits = strlen(cli_count(info->top_degrees[i], count));
        if (width > name_width) name_width = width;
        if (digits > count_width) count_width = digits;
    }
    if (name_width > 40) name_width = 40; /* one very long id does not push the others off the screen */
    printf("\n  most active nodes, their events, share of all events\n");
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = r; i < info->top_count; i += rows) {
            printf(i == r ? "  " : "     ");
            cli_print_padded(names[i], name_width, 0);
            printf("  %*s %7s", (int)count_width, cli_count(info->top_degrees[i], count),
                   cli_share(info->top_degrees[i], info->shape.events, share));
        }
        putchar('\n');
    }
}

static int print_top_nodes(const info_facts *facts, scadyg_error *error)
{
    char *names[SCADYG_INFO_TOP] = {0};
    size_t longest = 0;
    for (size_t i = 0; i < facts->info.top_count && !error->status; i++) {
        names[i] = cli_node_text(facts->events, facts->info.top_nodes[i], error);
        if (names[i] && cli_display_width(names[i]) > longest) longest = cli_display_width(names[i]);
    }
    if (!error->status && facts->info.top_count)
        print_top(&facts->info, names, longest <= LONGEST_IN_TWO_COLUMNS ? 2 : 1);
    for (size_t i = 0; i < SCADYG_INFO_TOP; i++) free(names[i]);
    return error->status;
}

int info_print(const info_facts *facts, int verbose, scadyg_error *error)
{
    const scadyg_info *info = &facts->info;
    char text[CLI_TEXT];
    printf("%s  (%s)\n\n", facts->path, cli_bytes(cli_file_size(facts->path), text));
    print_nodes(info);
    row("events", cli_count(info->shape.events, text), "");
    print_features(info);
    print_times(info);
    print_pairs(info, verbose);
    if (verbose) row("times are", scadyg_time_kind_name(info->shape.time_kind), "");
    if (verbose) row("ids are", info->shape.integer_ids ? "integers" : "text", "");
    if (facts->verified) row("checksums", "all right", "");
    print_tenths(info);
    int status = print_top_nodes(facts, error);
    if (status) return status;
    info_chart(info);
    return SCADYG_OK;
}
