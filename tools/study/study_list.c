/*
 * study run: the studies of a list, each a command line of study in a folder of its own, which goes on by itself when it
 * was stopped. The list is a file: bench/published.tsv is what the README publishes, and docs/studies.md says how one is
 * written. bench/accuracy.sh makes the tables of the README from what this writes.
 */
#include "study/study.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"

typedef struct list {
    const cli_call *call;
    const study_arguments *arguments;
    const char *path;
    study_list read;
    json_t *sets, *skipped;
    sg_folder home, data; /* of the results, and of the events files that are made for them */
    int lock;
} list;

/* ---- Reading the list ---- */

static int fail_line(const char *name, uint64_t line, scadyg_error *error, const char *reason, const char *field)
{
    return sg_fail(error, SCADYG_E_INPUT, "%.400s:%llu: %s%s%.200s%s", name, (unsigned long long)line, reason,
                   field ? " '" : "", field ? field : "", field ? "'" : "");
}

/* It becomes a folder's name: letters, digits, and within it . _ and -. */
static int is_name(const char *text)
{
    if (!isalnum((unsigned char)*text)) return 0;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("._-", *text)) return 0;
    return 1;
}

static int is_below(const char *path)
{
    if (!*path || *path == '/') return 0;
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strcspn(at, "/") == 2 && at[0] == '.' && at[1] == '.') return 0;
    return 1;
}

static int check_entry(const char *name, const study_list *read, const study_entry *e, scadyg_error *error)
{
    if (!is_name(e->name))
        return fail_line(name, e->line, error, "a name has letters, digits, '.', '_' and '-', not", e->name);
    if (!is_below(e->file) || strchr(" -", *e->file))
        return fail_line(name, e->line, error, "this is not the name of a file in the folder:", e->file);
    if (strcmp(e->when, "always") != 0 && strcmp(e->when, "named") != 0)
        return fail_line(name, e->line, error, "the fourth column is 'always' or 'named', not", e->when);
    if (!*e->words || (strcspn(e->words, " ") == 3 && strncmp(e->words, "run", 3) == 0))
        return fail_line(name, e->line, error, "the fifth column is a kind of study with its options, not",
                         e->words);
    for (const study_entry *before = read->entries; before < e; before++)
        if (strcmp(before->name, e->name) == 0)
            return fail_line(name, e->line, error, "there are two studies named", e->name);
    return SCADYG_OK;
}

static int read_line(const char *name, study_list *read, char *text, size_t length, uint64_t line,
                     scadyg_error *error)
{
    enum { COLUMNS = 5 };
    sg_field fields[COLUMNS];
    if (length && text[length - 1] == '\r') length--;
    if (!length || *text == '#') return SCADYG_OK;
    if (memchr(text, 0, length)) return fail_line(name, line, error, "a zero byte: a binary file, not text", NULL);
    if (sg_fields_cut(text, length, '\t', fields, COLUMNS) != COLUMNS)
        return fail_line(name, line, error,
                         "a line has five columns with tabs between them: name, title, file, when, study", NULL);
    for (size_t i = 0; i < COLUMNS; i++) fields[i].text[fields[i].length] = 0;
    if (sg_grow(&read->entries, &read->room, read->count + 1, sizeof *read->entries))
        return sg_fail_memory(error, name);
    study_entry *e = &read->entries[read->count];
    *e = (study_entry){line, fields[0].text, fields[1].text, fields[2].text, fields[3].text, fields[4].text};
    int status = check_entry(name, read, e, error);
    if (!status) read->count++;
    return status;
}

int study_list_parse(const char *name, const char *data, size_t size, study_list *read, scadyg_error *error)
{
    *read = (study_list){.text = malloc(size + 1)};
    if (!read->text) return sg_fail_memory(error, name);
    if (size) memcpy(read->text, data, size);
    read->text[size] = 0;
    int status = SCADYG_OK;
    uint64_t line = 0;
    for (char *at = read->text, *end = read->text + size; at < end && !status;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        status = read_line(name, read, at, length, ++line, error);
        at += length + (newline != NULL);
    }
    if (!status && !read->count) status = sg_fail(error, SCADYG_E_INPUT, "%.400s has no studies", name);
    if (status) study_list_free(read);
    return status;
}

void study_list_free(study_list *read)
{
    free(read->entries);
    free(read->text);
    *read = (study_list){0};
}

/* ---- One entry ---- */

static char *join(const list *l, const char *folder, const char *name, const char *ending)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", folder, name, ending) >= 0) return path;
    cli_fail(l->call->command, "not enough memory for a file name");
    return NULL;
}

enum { MOST_WORDS = 256 };

/* The words of a command line, each newly allocated; NULL is one that could not be had. */
typedef struct command_line {
    char *words[MOST_WORDS];
    size_t count;
} command_line;

static void add_word(command_line *line, const char *word)
{
    if (line->count < MOST_WORDS) line->words[line->count++] = word ? strdup(word) : NULL;
}

/* Those of a column of the list, with blanks between them. */
static void add_words(command_line *line, const char *text)
{
    char *rest = NULL, *words = strdup(text);
    for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest))
        add_word(line, word);
    if (!words) add_word(line, NULL);
    free(words);
}

/* Runs it as if it were typed, and frees it. `column` is where it comes from. */
static int run_line(const list *l, const study_entry *e, const cli_command *command, command_line *line,
                    const char *column)
{
    cli_call call = {0};
    int code = CLI_OK;
    for (size_t i = 0; i < line->count; i++)
        if (!line->words[i]) code = cli_fail(l->call->command, "not enough memory for the options");
    if (!code) code = cli_parse_joined(&call, command, line->words, line->count);
    call.context = l->call->context;
    call.error = l->call->error;
    if (!code && command == l->call->command) ((study_arguments *)call.arguments)->within = &l->home;
    if (!code) code = command->run(&call);
    if (code == CLI_USAGE)
        cli_note(l->call->command, "%s:%llu: this %s cannot be run: '%s'", l->path, (unsigned long long)e->line,
                 command->name, column);
    cli_call_free(&call);
    for (size_t i = 0; i < line->count; i++) free(line->words[i]);
    return code;
}

/* ---- The events: imported, or generated ---- */

static int is_generated(const study_entry *e)
{
    return strcmp(e->file, "generate") == 0 || strncmp(e->file, "generate ", 9) == 0;
}

/* The file of an entry in the folder of the data, without the options of import. */
static char *data_file(const list *l, const study_entry *e)
{
    return join(l, l->arguments->data, cli_text("%.*s", (int)strcspn(e->file, " "), e->file), "");
}

/* Into a folder of the study, since that of the data may be nobody's to write to. Two entries may share a file. */
static int make_events(const list *l, const study_entry *e, const char *events, const char *oracle)
{
    command_line line = {.count = 0};
    const int generated = is_generated(e);
    if (sg_exists(events) && (!generated || sg_exists(oracle)))
        return study_found(l->call, events); /* a regular file, as study_file has found */
    if (!generated) {
        char *file = data_file(l, e);
        if (!file) return CLI_FAILURE;
        add_word(&line, file);
        free(file);
    }
    add_words(&line, e->file + strcspn(e->file, " "));
    const char *last[] = {"--quiet", "--output", events, generated ? "--oracle" : NULL, oracle};
    for (size_t i = 0; i < CLI_COUNT(last) && last[i]; i++) add_word(&line, last[i]);
    return run_line(l, e, generated ? &cli_generate : &cli_import, &line, e->file);
}

/* ---- The study ---- */

/* "study KIND OPTIONS... EVENTS -o FOLDER" as if it were typed: the entry's words, then what was typed, which wins. */
static int run_study(const list *l, const study_entry *e, const char *events, const char *oracle,
                     const char *folder)
{
    command_line line = {.count = 0};
    add_words(&line, e->words);
    for (size_t i = 0; i < l->call->given_count; i++) {
        const cli_given *given = &l->call->given[i];
        const int flag = given->option->type == SCADYG_OPTION_FLAG, off = flag && strcmp(given->text, "0") == 0;
        add_word(&line, cli_text("--%s%s", off ? "no-" : "", given->option->name));
        if (!flag) add_word(&line, given->text);
    }
    const char *last[][2] = {{"--seeds", cli_text("%lld", (long long)l->arguments->seeds)},
                             {"--until", cli_text("%.17g", l->arguments->until)},
                             {"-o", folder},
                             {"--oracle", oracle}};
    for (size_t i = 0; i < CLI_COUNT(last); i++) {
        if (!last[i][1]) continue;
        add_word(&line, last[i][0]);
        add_word(&line, last[i][1]);
    }
    if (l->arguments->common.quiet) add_word(&line, "-q");
    if (l->arguments->common.verbose) add_word(&line, "-v");
    add_word(&line, events);
    return run_line(l, e, l->call->command, &line, e->words);
}

static int keep_results(const list *l, const study_entry *e)
{
    sg_folder folder;
    json_t *results = NULL;
    if (sg_folder_make_in(&folder, &l->home, e->name, l->call->error)) return cli_failed(l->call, NULL);
    int status = study_read(&folder, "results.json", study_results_parse, &results, l->call->error);
    int code = status ? cli_failed(l->call, NULL) : CLI_OK;
    if (!code && !results) code = cli_fail(l->call->command, "%s has no results.json", folder.path);
    if (!code && json_array_append_new(l->sets, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", e->name, "title",
                                                          cli_json_text(e->title), "file", cli_json_text(e->file),
                                                          "study", cli_json_text(e->words), "results", results)))
        code = cli_fail(l->call->command, "not enough memory for the results");
    sg_folder_close(&folder);
    return code;
}

/* "trade/cow.csv.gz" as "trade-cow.csv.gz.events"; what is read in another way has another name. */
static char *events_path(const list *l, const study_entry *e, const char *ending)
{
    char *name = strdup(e->file), *path = NULL;
    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._", *c)) *c = '-';
    if (name) path = study_file(l->call, &l->data, "%s.%s", name, ending);
    if (!name) cli_fail(l->call->command, "not enough memory for a file name");
    free(name);
    return path;
}

static int run_entry(const list *l, const study_entry *e)
{
    char *events = events_path(l, e, "events"), *folder = join(l, l->arguments->output, e->name, "");
    char *oracle = is_generated(e) ? events_path(l, e, "oracle.csv") : NULL;
    int code = events && folder && (oracle || !is_generated(e)) ? CLI_OK : CLI_FAILURE;
    if (!code && !l->arguments->common.quiet) {
        printf("\n== %s, %s: %s\n", e->name, cli_safe(e->file), cli_safe(e->words));
        fflush(stdout);
    }
    if (!code) code = make_events(l, e, events, oracle);
    if (!code) code = run_study(l, e, events, oracle, folder);
    if (!code) code = keep_results(l, e);
    free(events);
    free(oracle);
    free(folder);
    return code;
}

/* ---- The tables ---- */

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

/* "+0.0133 ± 0.0040 against pair-recency 0.5471": the difference, and the best baseline. */
static void print_margin(const json_t *set, const json_t *row, const char *column, const char *score)
{
    const json_t *rows = json_object_get(json_object_get(set, "results"), "rows");
    const json_t *rule = best_rule(rows, column, score), *oracle = study_row(rows, "oracle", "");
    const double best = study_cell(rule, column, score, "mean"), mean = study_cell(row, column, score, "mean"),
                 error = study_cell(row, column, score, "difference_error"),
                 most = study_cell(oracle, column, score, "mean");
    if (rule)
        printf("  %+.4f%s against %s %.4f", mean - best,
               isfinite(error) ? cli_text(" %s %.4f", cli_utf8() ? "±" : "+-", error) : "",
               cli_safe(cli_json_text_of(rule, "series")), best);
    if (isfinite(most)) printf(", %.1f %% of the oracle's %.4f", 100 * mean / most, most);
}

static void print_line(const json_t *set, const json_t *row, const json_t *of)
{
    const char *column = cli_json_text_of(of, "id"), *score = cli_json_text_of(of, "main");
    const double mean = study_cell(row, column, score, "mean"), std = study_cell(row, column, score, "std");
    if (!isfinite(mean)) return;
    cli_print_padded(cli_json_text_of(set, "name"), 23, 0);
    cli_print_padded(cli_text("%s %s", column, score), 40, 0);
    cli_print_padded(study_row_name(row), 30, 0);
    cli_print_padded(cli_mean(mean, std), 16, 1);
    print_margin(set, row, column, score);
    putchar('\n');
}

static int is_model(const json_t *row)
{
    return !json_is_true(json_object_get(row, "rule")) && !json_is_true(json_object_get(row, "oracle"));
}

static void print_sets(const list *l)
{
    json_t *set, *row, *column;
    if (l->arguments->common.quiet || !json_array_size(l->sets)) return;
    if (l->arguments->until < 1)
        printf("\nThe first %g of the events of each log; the test part is the last of these.\n",
               l->arguments->until);
    printf("\n%-23s%-40s%-30s%16s  best baseline\n", "data", "protocol, score", "model", "test part");
    for (size_t i = 0; (set = json_array_get(l->sets, i)); i++) {
        const json_t *results = json_object_get(set, "results");
        for (size_t k = 0; (row = json_array_get(json_object_get(results, "rows"), k)); k++)
            for (size_t c = 0; is_model(row) && (column = json_array_get(json_object_get(results, "columns"), c));
                 c++)
                print_line(set, row, column);
    }
}

static void put_csv_row(cli_csv *csv, const json_t *row, void *set)
{
    cli_csv_field(csv, cli_json_text_of(set, "name"));
    cli_csv_field(csv, cli_json_text_of(row, "series"));
    cli_csv_text(csv, json_is_true(json_object_get(row, "rule")) ? "1," : "0,");
}

/* All cells of all entries, one line each; and everything as JSON. */
static int write_results(const list *l)
{
    cli_csv csv = {0};
    char *path = study_file(l->call, &l->home, "results.csv");
    cli_csv_text(&csv, "data,model,rule,column,score,mean,std,runs\n");
    for (size_t i = 0; i < json_array_size(l->sets); i++) {
        json_t *set = json_array_get(l->sets, i);
        study_csv_cells(&csv, json_object_get(json_object_get(set, "results"), "rows"), put_csv_row, set);
    }
    int status = path ? cli_csv_write(&csv, path, l->call->error) : SCADYG_OK;
    free(csv.text);
    if (!path) return CLI_FAILURE;
    free(path);
    if (status) return cli_failed(l->call, NULL);
    path = study_file(l->call, &l->home, "results.json");
    if (!path) return CLI_FAILURE;
    json_t *results = json_pack("{s:s, s:s, s:f, s:O, s:O}", "study", "run", "version", scadyg_version(), "until",
                                l->arguments->until, "datasets", l->sets, "skipped", l->skipped);
    status = cli_json_write(path, results, l->call->error);
    json_decref(results);
    free(path);
    return status ? cli_failed(l->call, NULL) : CLI_OK;
}

/* ---- The whole ---- */

static int is_wanted(const char *names, const study_entry *e)
{
    const size_t length = strlen(e->name);
    for (const char *at = names; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, e->name, length) == 0 && (at[length] == ',' || !at[length])) return 1;
    return !names && strcmp(e->when, "always") == 0;
}

static int check_name(const list *l, const char *word)
{
    const study_entry *entries = l->read.entries;
    size_t i = 0;
    while (i < l->read.count && strcmp(entries[i].name, word) != 0) i++;
    if (i < l->read.count) return CLI_OK;
    const char *const *first = (const char *const *)(const void *)&entries[0].name;
    const char *nearest = sg_nearest(word, first, sizeof *entries, l->read.count);
    return cli_usage(l->call->command, "--values: %s has no study named '%s'%s%s%s", l->path, word,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int check_names(const list *l)
{
    char *names = l->arguments->values ? strdup(l->arguments->values) : NULL, *rest = NULL;
    int code = CLI_OK;
    for (char *word = names ? strtok_r(names, ",", &rest) : NULL; word && !code; word = strtok_r(NULL, ",", &rest))
        code = check_name(l, word);
    free(names);
    return code;
}

static int check_arguments(list *l)
{
    static const char *const what[] = {"kind of study", "list of studies"};
    const study_arguments *a = l->arguments;
    const char *operands[2];
    int code = cli_operands(l->call, what, 2, operands);
    if (code) return code;
    l->path = operands[1];
    if (!a->output) return cli_usage(l->call->command, "no output folder given; add -o FOLDER");
    if (!a->data) return cli_usage(l->call->command, "study run needs the folder of the files: --data DIR");
    if (a->models || a->protocols)
        return cli_usage(l->call->command, "the list has its own --models and --protocols; leave them out");
    if (l->call->of_log)
        return cli_usage(l->call->command, "the list says how its files are read; leave --%s out",
                         l->call->of_log->name);
    sg_mapping file = {0};
    int status = sg_map(&file, l->path, l->call->error);
    if (!status) status = study_list_parse(l->path, (const char *)file.data, file.size, &l->read, l->call->error);
    const int changed = sg_mapping_check(&file, l->path, l->call->error);
    sg_unmap(&file);
    code = status || changed ? cli_failed(l->call, NULL) : check_names(l);
    if (!code && access(a->data, R_OK | X_OK))
        code = cli_fail(l->call->command, "cannot read the folder %s: %s", a->data, strerror(errno));
    return code;
}

/* What fails does not keep the others from being made; what is stopped does. */
static int run_entries(const list *l)
{
    int worst = CLI_OK;
    for (size_t i = 0; i < l->read.count && worst < 128; i++) {
        const study_entry *e = &l->read.entries[i];
        if (!is_wanted(l->arguments->values, e)) continue;
        char *file = is_generated(e) ? NULL : data_file(l, e);
        if (!file && !is_generated(e)) return CLI_FAILURE;
        int code = CLI_OK;
        if (!file || sg_exists(file)) {
            code = run_entry(l, e);
        } else {
            json_array_append_new(l->skipped, json_string(e->name));
            if (!l->arguments->common.quiet)
                printf("\n== %s: skipped, no %.*s in %s\n", e->name, (int)strcspn(e->file, " "), cli_safe(e->file),
                       cli_safe(l->arguments->data));
        }
        if (code > worst) worst = code;
        free(file);
    }
    return worst;
}

static int open_folders(list *l)
{
    if (sg_folder_make(&l->home, l->arguments->output, l->call->error)) return cli_failed(l->call, NULL);
    int code = study_lock(l->call, &l->home, &l->lock);
    if (!code && sg_folder_make_in(&l->data, &l->home, "data", l->call->error)) code = cli_failed(l->call, NULL);
    return code;
}

static int run_all(list *l)
{
    int code = open_folders(l);
    if (!code) code = run_entries(l);
    if (code >= 128) return code;
    if (!code && !json_array_size(l->sets))
        code = cli_fail(l->call->command, "none of the files is in %s", l->arguments->data);
    print_sets(l);
    if (!code) code = write_results(l);
    if (!code && !l->arguments->common.quiet)
        printf("\nsaved       %s: results.json, results.csv, and a folder for each\n",
               cli_safe(l->arguments->output));
    return code;
}

int study_run_list(const cli_call *call)
{
    list l = {.call = call,
              .arguments = call->arguments,
              .sets = json_array(),
              .skipped = json_array(),
              .home = SG_FOLDER_NONE,
              .data = SG_FOLDER_NONE,
              .lock = -1};
    int code = check_arguments(&l);
    if (!code) code = run_all(&l);
    if (l.lock >= 0) close(l.lock);
    sg_folder_close(&l.data);
    sg_folder_close(&l.home);
    json_decref(l.sets);
    json_decref(l.skipped);
    study_list_free(&l.read);
    return code;
}
