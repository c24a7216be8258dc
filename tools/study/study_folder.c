/* The folder of a study: what is where, and whether it is one of the same study. */
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/config.h"

char *study_file(const cli_call *call, const sg_folder *folder, const char *format, ...)
{
    char *name = NULL, *path = NULL;
    int found;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&name, format, arguments) < 0) name = NULL;
    va_end(arguments);
    if (name && sg_folder_find(folder, name, &found, call->error))
        cli_failed(call, NULL);
    else if (!name || !(path = sg_folder_path(folder, name)))
        cli_fail(call->command, "not enough memory for a file name");
    free(name);
    return path;
}

int study_found(const cli_call *call, const char *path)
{
    return sg_sync_name(path, call->error) ? cli_failed(call, NULL) : CLI_OK;
}

/* The lock goes with the process, however it ends. A file system that has none is no reason not to work. */
int study_lock(const cli_call *call, const sg_folder *folder, int *lock)
{
    if (sg_folder_open_lock(folder, "lock", lock, call->error)) return cli_failed(call, NULL);
    if (flock(*lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return cli_fail(call->command, "another process is at work in %s; let it finish, or give another folder",
                        folder->path);
    return CLI_OK;
}

/* The options of every variant. Seeds are not among them: a study may be given more. */
static json_t *variants_json(const study *s)
{
    json_t *object = json_object();
    for (size_t i = 0; i < s->variant_count; i++) {
        json_t *config = cli_config_json(s->variants[i].train);
        json_object_del(config, "seed");
        json_object_set_new(config, "share", cli_json_number(s->variants[i].share));
        json_object_set_new(object, s->variants[i].name, config);
    }
    return object;
}

static json_t *words_json(const cli_list *list)
{
    json_t *words = json_array();
    for (size_t i = 0; i < list->count; i++) json_array_append_new(words, json_string(list->words[i]));
    return words;
}

static json_t *settings_json(const study *s)
{
    json_t *protocols = json_array();
    int failed = 0;
    for (size_t i = 0; i < s->evaluation_count; i++)
        failed |= json_array_append_new(protocols, json_string(s->evaluations[i].id));
    return cli_json_whole(json_pack("{s:s, s:s, s:f, s:s, s:I, s:o, s:o, s:o, s:o}", "study", s->kind->name,
                                    "version", scadyg_version(), "until", s->arguments->until, "checksum",
                                    cli_text("%08x", (unsigned)scadyg_events_checksum(s->events)), "first_seed",
                                    (json_int_t)s->first_seed, "protocols", protocols, "nodes",
                                    words_json(&s->arguments->node), "times", words_json(&s->arguments->at),
                                    "variants", variants_json(s)),
                          failed);
}

/* ---- Whether two settings are the same ---- */

/* The first place where two settings differ, as "--lr 0.01, not 0.02" and the like. */
static int refuse_difference(const char *folder, const char *where, const json_t *there, const json_t *here,
                             scadyg_error *error)
{
    char *one = there ? json_dumps(there, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *other = here ? json_dumps(here, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    int status =
        sg_fail(error, SCADYG_E_USAGE, "%.300s has a study with %s %.200s, not %.200s; give another folder", folder,
                where, one ? one : "none", other ? other : "none");
    free(one);
    free(other);
    return status;
}

static int compare_variants(const char *folder, const json_t *there, const json_t *here, scadyg_error *error)
{
    const char *name, *option;
    json_t *config, *value;
    json_object_foreach ((json_t *)(uintptr_t)here, name, config) {
        const json_t *old = json_object_get(there, name);
        if (!old)
            return sg_fail(error, SCADYG_E_USAGE, "%.300s has a study without %s; give another folder", folder,
                           name);
        json_object_foreach (config, option, value) {
            if (!json_equal(json_object_get(old, option), value))
                return refuse_difference(folder, cli_text("%s: --%s", name, option), json_object_get(old, option),
                                         value, error);
        }
    }
    json_object_foreach ((json_t *)(uintptr_t)there, name, config) {
        if (!json_object_get(here, name))
            return sg_fail(error, SCADYG_E_USAGE, "%.300s has a study with %.200s too; give another folder", folder,
                           name);
    }
    return SCADYG_OK;
}

int study_settings_compare(const char *folder, const json_t *there, const json_t *here, scadyg_error *error)
{
    static const char *const keys[] = {"study",      "version",   "until", "checksum",
                                       "first_seed", "protocols", "nodes", "times"};
    static const char *const words[] = {"the kind",       "the version",   "--until",   "the data checksum",
                                        "the first seed", "the protocols", "the nodes", "the times"};
    for (size_t i = 0; i < CLI_COUNT(keys); i++)
        if (!json_equal(json_object_get(there, keys[i]), json_object_get(here, keys[i])))
            return refuse_difference(folder, words[i], json_object_get(there, keys[i]),
                                     json_object_get(here, keys[i]), error);
    return compare_variants(folder, json_object_get(there, "variants"), json_object_get(here, "variants"), error);
}

/* ---- Making it, or going on in it ---- */

/* Writes them, or compares them with those that are there. */
static int settle_settings(const study *s, const json_t *there, const json_t *here)
{
    if (there)
        return study_settings_compare(s->folder, there, here, s->call->error) ? cli_failed(s->call, NULL) : CLI_OK;
    char *path = study_file(s->call, &s->home, "study.json");
    if (!path) return CLI_FAILURE;
    int status = cli_json_write(path, here, s->call->error);
    free(path);
    return status ? cli_failed(s->call, NULL) : CLI_OK;
}

/* Something else than a study must not be filled with files. */
static int check_strange(const study *s, const json_t *there)
{
    struct stat runs;
    if (there || fstatat(s->home.fd, "runs", &runs, AT_SYMLINK_NOFOLLOW)) return CLI_OK;
    return cli_fail(s->call->command, "%s has a folder 'runs' but no %s/study.json; give another folder", s->folder,
                    s->folder);
}

static int open_home(study *s)
{
    const sg_folder *within = s->arguments->within;
    int status = within ? sg_folder_make_in(&s->home, within, cli_file_name(s->folder), s->call->error)
                        : sg_folder_make(&s->home, s->folder, s->call->error);
    return status ? cli_failed(s->call, NULL) : CLI_OK;
}

#define UNTIL_NAME "until.events"

/* How many events lie in the first part; those of one time stay together. */
static int count_until(const study *s, uint64_t *count)
{
    const void *column = NULL;
    if (scadyg_events_column(s->events, SCADYG_COLUMN_TIME, &column, s->call->error))
        return cli_failed(s->call, NULL);
    const double *time = column;
    *count = (uint64_t)(s->arguments->until * (double)s->log_events);
    while (*count && *count < s->log_events && time[*count - 1] == time[*count]) --*count;
    if (*count) return CLI_OK;
    return cli_fail(s->call->command, "--until %g leaves no events: no time is over by then", s->arguments->until);
}

/* From here on nothing knows of later events: the first part is a file of its own, which takes the place of the log. */
static int cut_events(study *s)
{
    uint64_t count;
    scadyg_events *first = NULL;
    s->log_events = scadyg_events_shape(s->events)->events;
    if (s->arguments->until >= 1) return CLI_OK;
    int code = count_until(s, &count), status = SCADYG_OK;
    char *path = code ? NULL : study_file(s->call, &s->home, UNTIL_NAME);
    if (!path) return CLI_FAILURE;
    /* One that is there may be of another log, but for a process that makes one run of a study. */
    if (!s->arguments->only) status = scadyg_events_first(s->call->context, s->events, count, path, s->call->error);
    if (!status) status = scadyg_events_open(path, &first, s->call->error);
    cli_progress_erase();
    free(path);
    if (status) return cli_failed(s->call, NULL);
    scadyg_events_close(s->events);
    s->events = first;
    return CLI_OK;
}

static int settle_folder(study *s, const json_t *there)
{
    json_t *here = settings_json(s);
    int code =
        here ? settle_settings(s, there, here) : cli_fail(s->call->command, "not enough memory for the settings");
    json_decref(here);
    return code;
}

int study_folder(study *s)
{
    json_t *there = NULL;
    int code = open_home(s);
    if (!code && study_read(&s->home, "study.json", study_settings_parse, &there, s->call->error))
        code = cli_failed(s->call, NULL);
    if (!code) code = check_strange(s, there);
    /* A process that makes one run works for the one that has the lock. */
    if (!code && !s->arguments->only) code = study_lock(s->call, &s->home, &s->lock);
    if (!code) code = cut_events(s);
    if (!code) code = settle_folder(s, there);
    if (!code && (sg_folder_make_in(&s->run_files, &s->home, "runs", s->call->error) ||
                  sg_folder_make_in(&s->chart_files, &s->home, "charts", s->call->error)))
        code = cli_failed(s->call, NULL);
    json_decref(there);
    return code;
}

void study_folder_close(study *s)
{
    if (s->log_events && !s->arguments->only) sg_folder_remove(&s->home, UNTIL_NAME);
    if (s->lock >= 0) close(s->lock);
    sg_folder_close(&s->chart_files);
    sg_folder_close(&s->run_files);
    sg_folder_close(&s->home);
}

/* ---- Variants that take a share of the events ---- */

void study_set_sizes(study *s)
{
    const double events = (double)scadyg_events_shape(s->events)->events;
    for (size_t i = 0; i < s->variant_count; i++)
        if (s->kind->apart) s->variants[i].x = floor(s->variants[i].share * events);
}

#define PART_NAME(variant) cli_text("first-%.0f.events", (variant)->x)

int study_events_open(const study *s, const study_variant *variant, scadyg_events **events)
{
    *events = s->events;
    if (variant->share >= 1) return CLI_OK;
    char *path = study_file(s->call, &s->run_files, "%s", PART_NAME(variant));
    if (!path) return CLI_FAILURE;
    int status = SCADYG_OK;
    if (!sg_exists(path))
        status = scadyg_events_first(s->call->context, s->events, (uint64_t)variant->x, path, s->call->error);
    if (!status) status = scadyg_events_open(path, events, s->call->error);
    free(path);
    return status ? cli_failed(s->call, NULL) : CLI_OK;
}

void study_events_close(const study *s, scadyg_events *events)
{
    if (events != s->events) scadyg_events_close(events);
}

/* They can be made again, and may be large. */
void study_remove_parts(const study *s)
{
    for (size_t i = 0; i < s->variant_count; i++)
        if (s->variants[i].share < 1) sg_folder_remove(&s->run_files, PART_NAME(&s->variants[i]));
}
