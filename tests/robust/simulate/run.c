/* Runs a scenario: stage after stage, each in a process of its own, with what must hold after it. */
#include "robust/simulate/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 300 /* seconds; what takes longer hangs */ };

/* ---- Small things ---- */

uint64_t sim_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t sim_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ p[i]) * 0x100000001b3u + 1;
    return hash;
}

ssize_t __real_read(int fd, void *data, size_t size);
int __real_open(const char *path, int flags, ...);
int __real_close(int fd);

/* Cuts from one text up to another, again and again. The new size. */
static size_t leave_out(char *text, size_t size, const char *from, const char *to)
{
    char *begin;
    while ((begin = memmem(text, size, from, strlen(from)))) {
        const char *end = memmem(begin, size - (size_t)(begin - text), to, strlen(to));
        if (!end) break;
        memmove(begin, end, size - (size_t)(end - text));
        size -= (size_t)(end - begin);
    }
    return size;
}

/* A record tells which epochs were trained before, and of a training that was finished before none. */
static size_t leave_out_history(const char *path, char *text, size_t size)
{
    const size_t length = strlen(path);
    if (length < 8 || strcmp(path + length - 5, ".json") != 0) return size;
    if (strcmp(path + length - 8, "run.json") == 0) {
        size = leave_out(text, size, "\"epochs\": [", "\"best_epoch\"");
        size = leave_out(text, size, "\"prepare_seconds\": ", "\n");
    }
    return leave_out(text, size, "\"resumed\": ", "\n");
}

/* Also called in the process of the command, where it is no call to be counted. */
uint64_t sim_hash_file(const char *path)
{
    static char data[16 << 20];
    size_t size = 0;
    const int fd = __real_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 1;
    for (ssize_t got; (got = __real_read(fd, data + size, sizeof data - size)) > 0;) size += (size_t)got;
    __real_close(fd);
    if (size == sizeof data) abort(); /* an input is too large */
    return sim_hash_bytes(0, data, leave_out_history(path, data, size));
}

int sim_is_temporary(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".tmp") == 0;
}

/* ---- Folders ---- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

int sim_remove(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int empty_folder(const char *path)
{
    if (sim_remove(path) && errno != ENOENT) return -1;
    return mkdir(path, 0777);
}

/* Inputs are links, so that they are the same file in every run. */
static int link_inputs(const sim_bench *bench, const sim_work *work)
{
    char list[256], from[2 * SIM_PATH], to[2 * SIM_PATH], *rest = NULL;
    snprintf(list, sizeof list, "%s", work->inputs);
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        snprintf(from, sizeof from, "%s/%s", bench->fixtures, word);
        snprintf(to, sizeof to, "%s/%s", bench->work, word);
        if (link(from, to)) return -1;
    }
    return 0;
}

static int write_older(const sim_bench *bench, const sim_work *work)
{
    char list[256], path[2 * SIM_PATH], *rest = NULL;
    snprintf(list, sizeof list, "%s", work->outputs);
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (sim_is_word_of(work->inputs, word)) continue;
        snprintf(path, sizeof path, "%s/%s", bench->work, word);
        FILE *file = fopen(path, "w");
        if (!file || fputs("older\n", file) < 0 || fclose(file)) return -1;
    }
    return 0;
}

static int prepare(const sim_bench *bench, const sim_plan *plan)
{
    sim_state *s = bench->state;
    const sim_work *work = &sim_works[plan->work];
    memset(s, 0, sizeof *s);
    snprintf(s->folder, SIM_PATH, "%s", bench->work);
    snprintf(s->graves, SIM_PATH, "%s", bench->graves);
    s->named = plan->named;
    s->memory = work->memory;
    if (empty_folder(bench->work) || empty_folder(bench->graves) || link_inputs(bench, work)) return -1;
    return plan->older ? write_older(bench, work) : 0;
}

/* ---- A stage ---- */

static void redirect(const char *path, int to)
{
    const int fd = open(path, to ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0666);
    if (fd < 0 || dup2(fd, to) < 0) _exit(99);
    close(fd);
}

static void become_command(const sim_bench *bench, int count, char **words)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect("/dev/null", STDIN_FILENO);
    redirect(bench->out, STDOUT_FILENO);
    redirect(bench->err, STDERR_FILENO);
    if (chdir(bench->work)) _exit(99);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sim_begin(bench->state, 0);
    const int code = sim_tool(count, words);
    sim_end();
    exit(code);
}

/* Waits; what takes too long is ended. -1: it hangs. */
static int wait_for(pid_t child, int *status)
{
    sigset_t ended;
    const struct timespec most = {.tv_sec = PATIENCE};
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    pid_t got;
    while ((got = waitpid(child, status, WNOHANG)) == 0)
        if (sigtimedwait(&ended, NULL, &most) < 0 && errno == EAGAIN) break;
    kill(-child, SIGKILL); /* with runs that it started */
    if (got == 0) waitpid(child, status, 0);
    while (waitpid(-1, NULL, 0) > 0) continue;
    return got == child ? 0 : -1;
}

/* Runs the command once. The exit code; -1: killed as planned, -2: anything else, with the problem told. */
static int run_stage(const sim_case *c, const sim_stage *stage, int again, int threads)
{
    sim_state *s = c->bench->state;
    char text[1024], *words[SIM_WORDS];
    int status = 0;
    const size_t count =
        sim_words(&sim_works[c->plan->work], c->plan->variant, threads, again, text, sizeof text, words);
    s->stage = *stage;
    s->seed = sim_mix(c->plan->seed) ^ s->trace;
    memset(s->calls, 0, sizeof s->calls);
    memset(s->struck, 0, sizeof s->struck);
    s->written = s->cut_short = s->interrupted = s->no_space = 0;
    s->killed = s->removal_failed = s->folder_unsynced = 0;
    s->descriptors = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) become_command(c->bench, (int)count, words);
    if (child < 0 || wait_for(child, &status)) return sim_problem(c, "it hangs"), -2;
    if (s->outside[0]) return sim_problem(c, "it changed something outside its folder: %s", s->outside), -2;
    if (s->disk.full) return sim_problem(c, "the model of the disk is full"), -2;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && s->killed) return -1;
    if (WIFSIGNALED(status)) return sim_problem(c, "ended by signal %d", WTERMSIG(status)), -2;
    const int code = WEXITSTATUS(status);
    if (s->descriptors && !s->struck[SIM_MEMORY][SIM_FAIL] && !s->struck[SIM_MEMORY][SIM_FAIL_ON])
        return sim_problem(c, "exit code %d, %lld files open", code, (long long)s->descriptors), -2;
    return code;
}

/* ---- References ---- */

static const sim_stage undisturbed = {.space = -1};

static int make_reference(const sim_case *c, sim_reference *reference)
{
    sim_state *s = c->bench->state;
    sim_plan plan = *c->plan;
    plan.older = plan.named = 0;
    sim_case own = *c;
    own.plan = &plan;
    if (prepare(c->bench, &plan)) return sim_problem(c, "the folder cannot be made");
    s->recording = 1;
    const int code = run_stage(&own, &undisturbed, 0, 1);
    if (code == -2) return -1;
    if (sim_check_words(&own, code)) return -1;
    if (code) return sim_problem(c, "the undisturbed run fails with code %d", code);
    if (sim_works[plan.work].memory && !s->scratch_reads) return sim_problem(c, "nothing was sorted on disk");
    reference->versions = malloc(sizeof(sim_version) * (s->version_count + 1));
    if (!reference->versions || s->version_count == SIM_VERSIONS) return sim_problem(c, "no room for the versions");
    memcpy(reference->versions, s->versions, sizeof(sim_version) * s->version_count);
    reference->version_count = s->version_count;
    memcpy(reference->extent.calls, s->calls, sizeof s->calls);
    reference->extent.written = s->written;
    reference->printed = sim_hash_file(c->bench->out);
    return sim_list(c->bench->work, &reference->last);
}

/* ---- A scenario ---- */

static void add_figures(sim_figures *figures, const sim_state *s, int code, int lost)
{
    figures->stages++;
    if (code >= 0) figures->exits[code == 0 ? 0 : code == 1 ? 1 : 2]++;
    figures->kills += code == -1;
    figures->losses += (uint64_t)lost;
    for (int class = 0; class < SIM_CLASSES; class ++)
        for (int action = 0; action < SIM_ACTIONS; action++)
            figures->struck[class][action] += s->struck[class][action];
    figures->cut_short += s->cut_short;
    figures->interrupted += s->interrupted;
    figures->no_space += s->no_space;
}

/* Everything is there, and stays there when power is lost now. */
static int check_end(const sim_case *c)
{
    sim_state *s = c->bench->state;
    const int unsynced = s->folder_unsynced;
    if (sim_check_result(c, 0)) return -1;
    if (unsynced) return 0;
    if (sim_disk_lose_power(s, sim_mix(c->plan->seed ^ 7)))
        return sim_problem(c, "the loss of power cannot be made");
    return sim_check_result(c, 1);
}

/* It is there, but its name may not last: then the file is the one from before. */
static int check_grown(const sim_case *c)
{
    sim_state *s = c->bench->state;
    if (sim_check_result(c, 1)) return -1;
    if (sim_disk_lose_power(s, sim_mix(c->plan->seed ^ 7)))
        return sim_problem(c, "the loss of power cannot be made");
    return sim_check_files(c);
}

/* Stage i of the plan, or the last one in which nothing goes wrong. 1: the scenario is through. */
static int do_stage(sim_case *c, size_t i, sim_figures *figures)
{
    sim_state *s = c->bench->state;
    const int last = i == c->plan->count;
    const sim_stage *stage = last ? &undisturbed : &c->plan->stages[i];
    const int code = run_stage(c, stage, i > 0, c->plan->threads);
    if (code == -2) return -1;
    c->killed |= code == -1;
    c->removal_failed |= s->removal_failed;
    const int lost = code == -1 && stage->power;
    add_figures(figures, s, code, lost);
    s->trace = sim_mix(s->trace ^ (uint64_t)(code + 2));
    if (sim_check_words(c, code)) return -1;
    if (lost && sim_disk_lose_power(s, sim_mix(c->plan->seed ^ sim_mix(i + 100))))
        return sim_problem(c, "the loss of power cannot be made");
    if (sim_check_files(c)) return -1;
    if (code == 0) return check_end(c) ? -1 : 1;
    /* What has grown would grow once more: a kill or a failure behind the last moment leaves nothing to do. */
    if (sim_is_grown(c)) return check_grown(c) ? -1 : 1;
    return last ? sim_problem(c, "it fails when nothing goes wrong any more") : 0;
}

/* Threads meet in any order, and so do the processes that a signal goes to. */
static int is_repeatable(const sim_plan *plan, const sim_state *s)
{
    int signals = 0;
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; k < plan->stages[i].count; k++)
            signals |= plan->stages[i].faults[k].action == SIM_INTERRUPT ||
                       plan->stages[i].faults[k].action == SIM_TERMINATE;
    return plan->threads == 1 && !(signals && s->started);
}

int sim_run(sim_bench *bench, sim_plan *plan, int planned, sim_figures *figures, uint64_t *trace, char *problem,
            size_t size)
{
    sim_reference *reference = &bench->references[plan->work * SIM_VARIANTS + (size_t)plan->variant - 1];
    sim_case c = {.bench = bench, .plan = plan, .reference = reference, .problem = problem, .room = size};
    if (!reference->versions && make_reference(&c, reference)) return -1;
    if (!planned) sim_plan_faults(plan, &reference->extent);
    if (prepare(bench, plan)) return sim_problem(&c, "the folder cannot be made");
    int done = 0;
    size_t i = 0;
    for (; i <= plan->count && !done; i++) done = do_stage(&c, i, figures);
    figures->scenarios++;
    *trace = is_repeatable(plan, bench->state) ? bench->state->trace : 0;
    if (done >= 0) return 0;
    const size_t used = strlen(problem);
    snprintf(problem + used, size - used, " (stage %zu)", i);
    return -1;
}

/* ---- The bench ---- */

sim_bench *sim_bench_open(const char *folder)
{
    sim_bench *bench = calloc(1, sizeof *bench);
    const int fd = memfd_create("simulate", 0); /* for the processes that the command starts, too */
    char number[16];
    if (!bench || fd < 0 || ftruncate(fd, sizeof *bench->state)) return NULL;
    snprintf(number, sizeof number, "%d", fd);
    setenv("SIMULATE_STATE", number, 1);
    bench->state = mmap(NULL, sizeof *bench->state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bench->references = calloc(sim_work_count * SIM_VARIANTS, sizeof *bench->references);
    snprintf(bench->fixtures, SIM_PATH, "%.200s/fixtures", folder);
    snprintf(bench->work, SIM_PATH, "%.200s/work", folder);
    snprintf(bench->graves, SIM_PATH, "%.200s/graves", folder);
    snprintf(bench->out, SIM_PATH, "%.200s/out", folder);
    snprintf(bench->err, SIM_PATH, "%.200s/err", folder);
    if (bench->state == MAP_FAILED || !bench->references || mkdir(bench->fixtures, 0777)) return NULL;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sim_fixtures(bench->fixtures);
    return bench;
}

void sim_bench_close(sim_bench *bench)
{
    for (size_t i = 0; i < sim_work_count * SIM_VARIANTS; i++) free(bench->references[i].versions);
    free(bench->references);
    munmap(bench->state, sizeof *bench->state);
    free(bench);
}
