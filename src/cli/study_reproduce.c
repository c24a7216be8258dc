/*
 * Everything the README publishes of results, from the public files in a folder. Each entry is a command line of study
 * in a folder of its own, which goes on by itself when it was stopped. This is the one list of what is published:
 * bench/accuracy.sh makes the tables of the README from what it writes.
 */
#include "study.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_out.h"
#include "result.h"

typedef struct entry {
    const char *name, *title;
    const char *file;   /* in the folder of the data */
    const char *words;  /* kind of study and its options */
    int only_if_wanted; /* not in the README: only made if --values names it */
} entry;

#define DYGLIB "compare --presets default --protocols dyglib:destination,dyglib:historical,dyglib:inductive"
#define UCI "uci/CollegeMsg.txt.gz"
#define BITCOINALPHA "bitcoinalpha/soc-sign-bitcoinalpha.csv.gz"
#define ENRON "enron/ml_enron.csv.gz"
#define MOOC "mooc/mooc.csv.gz"
#define MATHOVERFLOW "mathoverflow/sx-mathoverflow.txt.gz"
#define COVOTES "un-votes/un_covotes_edgelist.csv.gz"
#define COW_TRADE "trade/cow_trade_edgelist.csv.gz"
#define WIKI_TALK "wiki-talk/wiki-talk-temporal-to-2006-10.txt.gz"

/* clang-format off */
static const entry entries[] = {
    {"uci", "UCI", UCI, "compare --presets default,paper:uci --steps 273", 0},
    {"bitcoinalpha", "BitcoinAlpha", BITCOINALPHA, "compare --presets default,paper:bitcoinalpha --steps 226", 0},
    {"enron", "Enron", ENRON, "compare --presets default --steps 100", 0},
    {"mooc", "MOOC", MOOC, "compare --presets default --steps 100 --step-rule equal-count", 0},
    {"mathoverflow", "mathoverflow", MATHOVERFLOW, "compare --presets default", 0},
    {"un-votes", "UN votes", COVOTES, "compare --presets default --steps 74", 0},
    {"canparl", "CanParl", "canparl/canVote_edgelist.txt.gz", "compare --presets default --steps 14", 0},
    {"uci-event", "UCI", UCI, DYGLIB, 0},
    {"enron-event", "Enron", ENRON, DYGLIB, 0},
    {"mooc-event", "MOOC", MOOC, DYGLIB, 0},
    {"wikipedia-event", "Wikipedia", "wikipedia/wikipedia.csv.gz", DYGLIB ",tgb-link", 0},
    {"cow-trade", "COW trade, yearly", COW_TRADE, "compare --presets default --task affinity --steps 145", 0},
    {"agtpa-trade", "AGTPA trade, yearly", "trade/agtpa_trade_edgelist.csv.gz",
     "compare --presets default --task affinity --steps 21", 0},
    {"un-covotes", "UN co-votes, yearly", COVOTES, "compare --presets default --task affinity --steps 75", 0},
    {"paper-mooc", "MOOC", "mooc/mooc_edges.csv.gz", "compare --presets paper:mooc", 0},
    {"paper-enron-slow", "Enron, lr 0.001", ENRON, "compare --presets paper:enron --lr 0.001", 0},
    {"paper-enron", "Enron", ENRON, "compare --presets paper:enron", 0},
    {"paper-trade", "COW trade", COW_TRADE, "compare --presets paper:trade --task affinity", 0},
    {"paper-trade-yearly", "COW trade, yearly", COW_TRADE,
     "compare --presets paper:trade --task affinity --steps 145", 0},
    {"wiki-talk", "wiki-talk", WIKI_TALK, "compare --presets default", 0},
    {"ablation-uci", "UCI", UCI, "ablation --presets default --steps 273", 1},
    {"ablation-bitcoinalpha", "BitcoinAlpha", BITCOINALPHA, "ablation --presets default --steps 226", 1},
    {"ablation-enron", "Enron", ENRON, "ablation --presets default --steps 100", 1},
    {"ablation-mooc", "MOOC", MOOC, "ablation --presets default --steps 100 --step-rule equal-count", 1},
};
/* clang-format on */

typedef struct reproduction {
    const cli_call *call;
    const study_arguments *arguments;
    json_t *sets, *skipped;
} reproduction;

/* ---- The data ---- */

static char *join(const cli_call *call, const char *folder, const char *name, const char *ending)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", folder, name, ending) >= 0) return path;
    cli_fail(call->command, "not enough memory for a file name");
    return NULL;
}

/* Into a folder of the study, since that of the data may be nobody's to write to. Two entries may share a file. */
static int import(const reproduction *r, const char *file, const char *events)
{
    size_t count;
    const scadyg_option *table = scadyg_import_option_table(&count);
    scadyg_import_options options = {0};
    scadyg_error error = {0};
    if (train_exists(events)) return CLI_OK;
    scadyg_options_default(table, count, &options);
    options.threads = r->arguments->train.threads;
    int status = scadyg_import(&file, 1, events, &options, cli_progress(&r->arguments->common), NULL, &error);
    cli_progress_erase();
    return status ? cli_fail_error(r->call->command, &error, events) : CLI_OK;
}

/* ---- One entry ---- */

enum { MOST_WORDS = 256 };

/* The entry's words, then what was typed, which wins. Returns how many words there are. */
static size_t words_of(const reproduction *r, char *options, char **names, char **words)
{
    size_t count = 0, named = 0;
    char *rest = NULL;
    for (char *word = strtok_r(options, " ", &rest); word && count < 32; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    for (size_t i = 0; i < r->call->given_count && count + 2 < MOST_WORDS; i++) {
        if (asprintf(&names[named], "--%s", r->call->given[i].option->name) < 0) break;
        words[count++] = names[named++];
        if (r->call->given[i].text) words[count++] = (char *)(uintptr_t)r->call->given[i].text;
    }
    return count;
}

/* Runs "study KIND OPTIONS... EVENTS -o FOLDER" as if it were typed. */
static int run_study(const reproduction *r, const entry *e, char *events, char *folder)
{
    static char output[] = "-o", seeds[] = "--seeds", quiet[] = "-q", verbose[] = "-v";
    char *words[MOST_WORDS + 16] = {output, folder, seeds}, *names[MOST_WORDS] = {NULL};
    char number[CLI_TEXT], *options = strdup(e->words);
    size_t count = 3;
    if (!options) return cli_fail(r->call->command, "not enough memory for the options");
    snprintf(number, sizeof number, "%lld", (long long)r->arguments->seeds);
    words[count++] = number;
    if (r->arguments->common.quiet) words[count++] = quiet;
    if (r->arguments->common.verbose) words[count++] = verbose;
    count += words_of(r, options, names, words + count);
    words[count++] = events;
    cli_call call = {0};
    int code = cli_parse(&call, r->call->command, words, count);
    if (!code) code = r->call->command->run(&call);
    cli_call_free(&call);
    for (size_t i = 0; i < MOST_WORDS; i++) free(names[i]);
    free(options);
    return code;
}

static int keep(const reproduction *r, const entry *e, const char *folder)
{
    json_error_t where;
    char *path = join(r->call, folder, "results", ".json");
    if (!path) return CLI_FAILURE;
    json_t *results = json_load_file(path, 0, &where), *set = json_object();
    int code = results ? CLI_OK : cli_fail(r->call->command, "%s: %s", path, where.text);
    json_object_set_new(set, "name", json_string(e->name));
    json_object_set_new(set, "title", json_string(e->title));
    json_object_set_new(set, "file", json_string(e->file));
    json_object_set_new(set, "study", json_string(e->words));
    json_object_set(set, "results", results);
    if (!code) json_array_append(r->sets, set);
    json_decref(set);
    json_decref(results);
    free(path);
    return code;
}

/* "trade/cow.csv.gz" as "trade-cow.csv.gz.events" */
static char *events_path(const reproduction *r, const char *data, const char *file)
{
    char *path = join(r->call, data, file, ".events");
    for (char *c = path ? path + strlen(data) + 1 : NULL; c && *c; c++)
        if (*c == '/') *c = '-';
    return path;
}

static int run_entry(const reproduction *r, const entry *e, const char *data, const char *file)
{
    char *events = events_path(r, data, e->file), *folder = join(r->call, r->arguments->output, e->name, "");
    int code = events && folder ? CLI_OK : CLI_FAILURE;
    if (!code && !r->arguments->common.quiet) {
        printf("\n== %s, %s: %s\n", e->name, e->file, e->words);
        fflush(stdout);
    }
    if (!code) code = import(r, file, events);
    if (!code) code = run_study(r, e, events, folder);
    if (!code) code = keep(r, e, folder);
    free(events);
    free(folder);
    return code;
}

/* ---- The tables of the README ---- */

static const json_t *best_rule(const json_t *rows, const char *column, const char *score)
{
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const double value = study_cell(row, column, score, "mean");
        if (!json_is_true(json_object_get(row, "rule")) || !isfinite(value)) continue;
        if (!best || value > study_cell(best, column, score, "mean")) best = row;
    }
    return best;
}

static void print_line(const json_t *set, const json_t *row, const char *column)
{
    const json_t *rows = json_object_get(json_object_get(set, "results"), "rows");
    const char *score = study_main_score(column), *sign = cli_utf8() ? "\xC2\xB1" : "+-";
    const double mean = study_cell(row, column, score, "mean"), std = study_cell(row, column, score, "std");
    const json_t *rule = best_rule(rows, column, score);
    char text[CLI_TEXT], what[2 * CLI_TEXT], model[192];
    if (!isfinite(mean)) return;
    study_row_name(row, model, sizeof model);
    if (isfinite(std))
        snprintf(text, sizeof text, "%.4f %s %.4f", mean, sign, std);
    else
        snprintf(text, sizeof text, "%.4f", mean);
    snprintf(what, sizeof what, "%s %s", column, score);
    cli_print_padded(json_string_value(json_object_get(set, "name")), 23, 0);
    cli_print_padded(what, 24, 0);
    cli_print_padded(model, 30, 0);
    cli_print_padded(text, 16, 1);
    if (rule)
        printf("  %s %.4f", json_string_value(json_object_get(rule, "series")),
               study_cell(rule, column, score, "mean"));
    putchar('\n');
}

static void print_sets(const reproduction *r)
{
    size_t i, k, c;
    json_t *set, *row, *column;
    if (r->arguments->common.quiet || !json_array_size(r->sets)) return;
    printf("\n%-23s%-24s%-30s%16s  best rule\n", "data", "protocol, score", "model", "test part");
    json_array_foreach(r->sets, i, set)
    {
        const json_t *results = json_object_get(set, "results");
        json_array_foreach(json_object_get(results, "rows"), k, row)
        {
            if (json_is_true(json_object_get(row, "rule"))) continue;
            json_array_foreach(json_object_get(results, "columns"), c, column)
                print_line(set, row, json_string_value(json_object_get(column, "id")));
        }
    }
}

/* All cells of all entries, one line each. */
static int write_csv(const reproduction *r)
{
    cli_csv csv = {0};
    scadyg_error error = {0};
    size_t i, k;
    json_t *set, *row, *scores, *cell;
    const char *column, *score;
    cli_csv_text(&csv, "data,model,rule,column,score,mean,std,runs\n");
    json_array_foreach(r->sets, i, set)
        json_array_foreach(json_object_get(json_object_get(set, "results"), "rows"), k, row)
            json_object_foreach(json_object_get(row, "cells"), column, scores)
                json_object_foreach(scores, score, cell)
    {
        char count[CLI_TEXT];
        if (!json_is_object(cell)) continue;
        cli_csv_field(&csv, json_string_value(json_object_get(set, "name")));
        cli_csv_text(&csv, ",");
        cli_csv_field(&csv, json_string_value(json_object_get(row, "series")));
        cli_csv_text(&csv, json_is_true(json_object_get(row, "rule")) ? ",1," : ",0,");
        cli_csv_field(&csv, column);
        cli_csv_text(&csv, ",");
        cli_csv_field(&csv, score);
        cli_csv_text(&csv, ",");
        cli_csv_number(&csv, study_cell(row, column, score, "mean"), 17);
        cli_csv_text(&csv, ",");
        cli_csv_number(&csv, study_cell(row, column, score, "std"), 17);
        snprintf(count, sizeof count, ",%zu\n", json_array_size(json_object_get(cell, "values")));
        cli_csv_text(&csv, count);
    }
    char *path = join(r->call, r->arguments->output, "results", ".csv");
    if (!path) {
        free(csv.text);
        return CLI_FAILURE;
    }
    int status = cli_csv_write(&csv, path, &error);
    free(path);
    return status ? cli_fail_error(r->call->command, &error, NULL) : CLI_OK;
}

static int write_json(const reproduction *r)
{
    scadyg_error error = {0};
    char *path = join(r->call, r->arguments->output, "results", ".json");
    json_t *results = json_object();
    json_object_set_new(results, "study", json_string("reproduce"));
    json_object_set_new(results, "version", json_string(scadyg_version()));
    json_object_set(results, "datasets", r->sets);
    json_object_set(results, "skipped", r->skipped);
    int code = path ? CLI_OK : CLI_FAILURE;
    if (!code && cli_json_write(path, results, &error)) code = cli_fail_error(r->call->command, &error, NULL);
    json_decref(results);
    free(path);
    return code;
}

/* ---- The whole ---- */

static int is_wanted(const char *list, const entry *e)
{
    const size_t length = strlen(e->name);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, e->name, length) == 0 && (at[length] == ',' || !at[length])) return 1;
    return !list && !e->only_if_wanted;
}

static int check_names(const cli_call *call, const char *list)
{
    const char *names[CLI_COUNT(entries)];
    for (size_t i = 0; i < CLI_COUNT(entries); i++) names[i] = entries[i].name;
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char word[CLI_TEXT];
        size_t i = 0;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        while (i < CLI_COUNT(entries) && strcmp(names[i], word) != 0) i++;
        if (i < CLI_COUNT(entries)) continue;
        const char *nearest = cli_nearest(word, names, CLI_COUNT(entries));
        return cli_usage(call->command, "--values: nothing is published as '%s'%s%s%s", word,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    return CLI_OK;
}

static int check(const cli_call *call)
{
    const study_arguments *a = call->arguments;
    if (call->operand_count > 1)
        return cli_usage(call->command, "'%s' is one too many; study reproduce takes --data DIR",
                         call->operands[1]);
    if (!a->output) return cli_usage(call->command, "no output folder given; add -o FOLDER");
    if (!a->data)
        return cli_usage(call->command, "study reproduce needs the folder of the public files: --data DIR");
    if (a->presets || a->protocols)
        return cli_usage(call->command, "study reproduce has its own --presets and --protocols; leave them out");
    int code = check_names(call, a->values);
    if (!code && access(a->data, R_OK | X_OK))
        code = cli_fail(call->command, "cannot read the folder %s: %s", a->data, strerror(errno));
    return code;
}

/* What fails does not keep the others from being made; what is stopped does. */
static int run_entries(const reproduction *r, const char *data)
{
    int worst = CLI_OK;
    for (size_t i = 0; i < CLI_COUNT(entries) && worst < 128; i++) {
        if (!is_wanted(r->arguments->values, &entries[i])) continue;
        char *file = join(r->call, r->arguments->data, entries[i].file, "");
        if (!file) return CLI_FAILURE;
        int code = CLI_OK;
        if (train_exists(file)) {
            code = run_entry(r, &entries[i], data, file);
        } else {
            json_array_append_new(r->skipped, json_string(entries[i].name));
            if (!r->arguments->common.quiet)
                printf("\n== %s: skipped, no %s in %s\n", entries[i].name, entries[i].file, r->arguments->data);
        }
        if (code > worst) worst = code;
        free(file);
    }
    return worst;
}

int study_reproduce(const cli_call *call)
{
    int code = check(call);
    if (code) return code;
    reproduction r = {.call = call, .arguments = call->arguments, .sets = json_array(), .skipped = json_array()};
    char *data = join(call, r.arguments->output, "data", "");
    int lock = -1;
    code = data ? study_lock(call, r.arguments->output, &lock) : CLI_FAILURE;
    if (!code) code = study_make_folder(call, data);
    if (!code) code = run_entries(&r, data);
    if (code < 128 && data) {
        if (!code && !json_array_size(r.sets))
            code = cli_fail(call->command, "none of the public files is in %s", r.arguments->data);
        print_sets(&r);
        if (!code) code = write_csv(&r);
        if (!code) code = write_json(&r);
    }
    if (!code && !r.arguments->common.quiet)
        printf("\nsaved       %s: results.json, results.csv, and a folder for each\n", r.arguments->output);
    if (lock >= 0) close(lock);
    json_decref(r.sets);
    json_decref(r.skipped);
    free(data);
    return code;
}
