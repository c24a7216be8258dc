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

#include "cli/config.h"

char *study_path(const study *s, const char *format, ...)
{
    char *name = NULL, *path = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&name, format, arguments) < 0) name = NULL;
    va_end(arguments);
    if (!name || asprintf(&path, "%s/%s", s->folder, name) < 0) path = NULL;
    free(name);
    if (!path) cli_fail(s->call->command, "not enough memory for a file name");
    return path;
}

int study_make_folder(const cli_call *call, const char *path)
{
    if ((mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK | X_OK) == 0) return CLI_OK;
    return cli_fail(call->command, "cannot write to the folder %s: %s", path, strerror(errno));
}

/* The lock goes with the process, however it ends. A file system that has none is no reason not to work. */
int study_lock(const cli_call *call, const char *folder, int *lock)
{
    char *path = NULL;
    int code = study_make_folder(call, folder);
    if (code) return code;
    if (asprintf(&path, "%s/lock", folder) < 0) return cli_fail(call->command, "not enough memory for a file name");
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        code = cli_fail(call->command, "cannot write %s: %s", path, strerror(errno));
    else if (flock(*lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        code = cli_fail(call->command, "another process is at work in %s; let it finish, or give another folder",
                        folder);
    free(path);
    return code;
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
    for (size_t i = 0; i < s->judge_count; i++)
        failed |= json_array_append_new(protocols, json_string(s->judges[i].id));
    return cli_json_whole(
        json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "study", s->kind->name, "version", scadyg_version(),
                  "checksum", cli_text("%08x", (unsigned)scadyg_events_checksum(s->events)), "first_seed",
                  (json_int_t)s->first_seed, "protocols", protocols, "nodes", words_json(&s->arguments->node),
                  "times", words_json(&s->arguments->at), "variants", variants_json(s)),
        failed);
}

/* The first place where two settings differ, as "--lr 0.01, not 0.02" and the like. */
static int refuse_difference(const study *s, const char *where, const json_t *there, const json_t *here)
{
    char *one = there ? json_dumps(there, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *other = here ? json_dumps(here, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    int code = cli_usage(s->call->command, "%s has a study with %s %.200s, not %.200s; give another folder",
                         s->folder, where, one ? one : "none", other ? other : "none");
    free(one);
    free(other);
    return code;
}

static int compare_variants(const study *s, const json_t *there, const json_t *here)
{
    const char *name, *option;
    json_t *config, *value;
    json_object_foreach ((json_t *)(uintptr_t)here, name, config) {
        const json_t *old = json_object_get(there, name);
        if (!old)
            return cli_usage(s->call->command, "%s has a study without %s; give another folder", s->folder, name);
        json_object_foreach (config, option, value) {
            if (!json_equal(json_object_get(old, option), value))
                return refuse_difference(s, cli_text("%s: --%s", name, option), json_object_get(old, option),
                                         value);
        }
    }
    json_object_foreach ((json_t *)(uintptr_t)there, name, config) {
        if (!json_object_get(here, name))
            return cli_usage(s->call->command, "%s has a study with %s too; give another folder", s->folder, name);
    }
    return CLI_OK;
}

static int compare_settings(const study *s, const json_t *there, const json_t *here)
{
    static const char *const keys[] = {"study", "version", "checksum", "first_seed", "protocols", "nodes", "times"};
    static const char *const words[] = {"the kind",      "the version", "the data checksum", "the first seed",
                                        "the protocols", "the nodes",   "the times"};
    for (size_t i = 0; i < CLI_COUNT(keys); i++)
        if (!json_equal(json_object_get(there, keys[i]), json_object_get(here, keys[i])))
            return refuse_difference(s, words[i], json_object_get(there, keys[i]), json_object_get(here, keys[i]));
    return compare_variants(s, json_object_get(there, "variants"), json_object_get(here, "variants"));
}

static int settle_settings(const study *s, const char *path, const json_t *here)
{
    json_error_t where;
    if (!cli_exists(path)) return cli_json_write(path, here, s->call->error) ? cli_failed(s->call, NULL) : CLI_OK;
    json_t *there = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!there) return cli_fail(s->call->command, "%s:%d:%d: %s", path, where.line, where.column, where.text);
    int code = compare_settings(s, there, here);
    json_decref(there);
    return code;
}

int study_folder(study *s)
{
    int code = CLI_OK;
    char *path = study_path(s, "study.json"), *runs = study_path(s, "runs"), *charts = study_path(s, "charts");
    json_t *here = settings_json(s);
    if (!path || !runs || !charts)
        code = CLI_FAILURE;
    else if (!here)
        code = cli_fail(s->call->command, "not enough memory for the settings");
    /* Something else than a study must not be filled with files. */
    if (!code && !cli_exists(path) && cli_exists(runs))
        code = cli_fail(s->call->command, "%s has a folder 'runs' but no %s; give another folder", s->folder, path);
    /* A process that makes one run works for the one that has the lock. */
    if (!code && !s->arguments->only) code = study_lock(s->call, s->folder, &s->lock);
    if (!code) code = settle_settings(s, path, here);
    if (!code) code = study_make_folder(s->call, runs);
    if (!code) code = study_make_folder(s->call, charts);
    json_decref(here);
    free(path);
    free(runs);
    free(charts);
    return code;
}

/* ---- The first part of the events ---- */

void study_set_sizes(study *s)
{
    const double events = (double)scadyg_events_shape(s->events)->events;
    for (size_t i = 0; i < s->variant_count; i++)
        if (s->kind->apart) s->variants[i].x = floor(s->variants[i].share * events);
}

int study_events_open(const study *s, const study_variant *variant, scadyg_events **events)
{
    *events = s->events;
    if (variant->share >= 1) return CLI_OK;
    char *path = study_path(s, "runs/first-%.0f.events", variant->x);
    if (!path) return CLI_FAILURE;
    int status = SCADYG_OK;
    if (!cli_exists(path))
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
    for (size_t i = 0; i < s->variant_count; i++) {
        if (s->variants[i].share >= 1) continue;
        char *path = study_path(s, "runs/first-%.0f.events", s->variants[i].x);
        if (path) unlink(path);
        free(path);
    }
}
