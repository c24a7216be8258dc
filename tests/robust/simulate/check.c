/* What must hold after a stage, and in the end. */
#include "robust/simulate/bench.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sim_problem(const sim_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->problem, c->room, format, arguments);
    va_end(arguments);
    return -1;
}

/* ---- Files ---- */

static sim_listing *listed; /* nftw hands nothing on */
static size_t listed_base;

static int list_file(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)at;
    if (kind != FTW_F) return 0;
    if (listed->count == SIM_FILES) return -1;
    snprintf(listed->files[listed->count].path, SIM_PATH, "%s", path + listed_base);
    listed->files[listed->count++].hash = sim_hash_file(path);
    return 0;
}

int sim_list(const char *folder, sim_listing *listing)
{
    listed = listing;
    listed_base = strlen(folder) + 1;
    listing->count = 0;
    return nftw(folder, list_file, 16, FTW_PHYS);
}

static int is_listed(const sim_listing *listing, const char *path, uint64_t *hash)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (strcmp(listing->files[i].path, path) != 0) continue;
        *hash = listing->files[i].hash;
        return 1;
    }
    return 0;
}

int sim_is_word_of(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return 1;
    return 0;
}

static int is_version(const sim_reference *reference, const char *path, uint64_t hash, int *named)
{
    *named = 0;
    for (size_t i = 0; i < reference->version_count; i++) {
        if (strcmp(reference->versions[i].path, path) != 0) continue;
        *named = 1;
        if (reference->versions[i].hash == hash) return 1;
    }
    return 0;
}

static int check_file(const sim_case *c, const char *path, uint64_t hash)
{
    const sim_work *work = &sim_works[c->plan->work];
    char fixture[2 * SIM_PATH];
    int named;
    if (sim_is_word_of(work->inputs, path)) {
        snprintf(fixture, sizeof fixture, "%s/%s", c->bench->fixtures, path);
        /* What is an input and an output grows. */
        const int grown = sim_is_word_of(work->outputs, path) && is_version(c->reference, path, hash, &named);
        return grown || hash == sim_hash_file(fixture) ? 0 : sim_problem(c, "the input %s is another one", path);
    }
    if (sim_is_temporary(path))
        return c->killed || c->removal_failed ? 0 : sim_problem(c, "%s is left behind", path);
    if (c->plan->older && sim_is_word_of(work->outputs, path) && hash == sim_hash_bytes(0, "older\n", 6)) return 0;
    if (is_version(c->reference, path, hash, &named)) return 0;
    return named ? sim_problem(c, "%s has a content that no undisturbed run gives it", path)
                 : sim_problem(c, "%s is a file that no undisturbed run makes", path);
}

/* What was there before does not vanish. */
static int check_older(const sim_case *c, const sim_listing *listing)
{
    char list[256], *rest = NULL;
    uint64_t hash;
    snprintf(list, sizeof list, "%s", c->plan->older ? sim_works[c->plan->work].outputs : "");
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!is_listed(listing, word, &hash)) return sim_problem(c, "the older %s is gone", word);
    return 0;
}

int sim_is_grown(const sim_case *c)
{
    static sim_listing now;
    const sim_work *work = &sim_works[c->plan->work];
    uint64_t hash, wanted;
    if (!*work->outputs || !sim_is_word_of(work->inputs, work->outputs)) return 0;
    return !sim_list(c->bench->work, &now) && is_listed(&now, work->outputs, &hash) &&
           is_listed(&c->reference->last, work->outputs, &wanted) && hash == wanted;
}

int sim_check_files(const sim_case *c)
{
    static sim_listing now;
    if (sim_list(c->bench->work, &now)) return sim_problem(c, "the folder cannot be listed");
    for (size_t i = 0; i < now.count; i++)
        if (check_file(c, now.files[i].path, now.files[i].hash)) return -1;
    return check_older(c, &now);
}

int sim_check_result(const sim_case *c, int more)
{
    static sim_listing now;
    const sim_listing *last = &c->reference->last;
    uint64_t hash;
    if (sim_list(c->bench->work, &now)) return sim_problem(c, "the folder cannot be listed");
    for (size_t i = 0; i < last->count; i++) {
        if (!is_listed(&now, last->files[i].path, &hash))
            return sim_problem(c, "%s is missing%s", last->files[i].path, more ? " after a loss of power" : "");
        if (hash != last->files[i].hash)
            return sim_problem(c, "%s has other bytes than that of the undisturbed run%s", last->files[i].path,
                               more ? ", after a loss of power" : "");
    }
    for (size_t i = 0; i < now.count && !more && !c->removal_failed; i++) {
        const char *path = now.files[i].path;
        if (!is_listed(last, path, &hash) && !(sim_is_temporary(path) && c->killed))
            return sim_problem(c, "%s is left in the end", path);
    }
    if (sim_works[c->plan->work].prints && sim_hash_file(c->bench->out) != c->reference->printed)
        return sim_problem(c, "it printed something else than the undisturbed run");
    return 0;
}

/* ---- Words ---- */

/* Each line of standard error is the program's own, in the form of all its messages. */
static int check_lines(const sim_case *c, char *text, size_t *count)
{
    char *rest = NULL;
    *count = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), ++*count)
        if (strncmp(line, "scadyg ", 7) != 0 || !strstr(line, ": "))
            return sim_problem(c, "on standard error: %.300s", line);
    return 0;
}

/* Faults that have struck: all of them, or signals only. Reads and writes that are cut short are none. */
static uint64_t count_struck(const sim_case *c, int signals)
{
    const sim_state *s = c->bench->state;
    uint64_t count = 0;
    for (int class = 0; class < SIM_CLASSES; class ++)
        for (int action = 0; action < SIM_ACTIONS; action++)
            if (!signals || action == SIM_INTERRUPT || action == SIM_TERMINATE) count += s->struck[class][action];
    return count;
}

int sim_check_words(const sim_case *c, int code)
{
    char text[8192] = "";
    size_t lines;
    const int fd = open(c->bench->err, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (length < 0) return sim_problem(c, "standard error cannot be read");
    text[length] = 0;
    if (check_lines(c, text, &lines)) return -1;
    if (code < 0 || code == 0) return 0;
    if (code != 1 && !(count_struck(c, 1) && (code == 130 || code == 143)))
        return sim_problem(c, "exit code %d: %.300s", code, text);
    if (!count_struck(c, 0) && !c->bench->state->no_space)
        return sim_problem(c, "exit code %d though nothing has failed: %.300s", code, text);
    return lines ? 0 : sim_problem(c, "exit code %d without a word", code);
}
