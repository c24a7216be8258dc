/* forge KIND FIRST COUNT: forges the files of the seeds FIRST .. FIRST+COUNT-1, one after the other, and uses them. */
#include "robust/forge.h"

#include "robust/scratch.h"
#include "under_sanitizer.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds of the processor: what the largest file takes, a thousand times. Time on the clock does not count. */
#define WORK (UNDER_SANITIZER ? 120 : 20)

/* Beside FORGE_MEMORY: the program itself, mapped files, what libraries hold. An allocation beyond it fails. */
#define ROOM ((uint64_t)512 << 20)

#if UNDER_SANITIZER
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=768:allocator_may_return_null=1";
}
#endif

int forge_told(int status, const scadyg_error *error)
{
    if (!status) return status;
    PROMISE(error->status == status && error->message[0]);
    if (status == SCADYG_E_MEMORY && !strstr(error->message, "--memory")) {
        fprintf(stderr, "memory was wanting: %s\n", error->message);
        abort();
    }
    return status;
}

scadyg_context *forge_context(void)
{
    static scadyg_context *context;
    if (!context) PROMISE(scadyg_context_open(&context, NULL) == SCADYG_OK);
    scadyg_context_set_threads(context, 1);
    scadyg_context_set_memory(context, FORGE_MEMORY);
    return context;
}

/* ---- Numbers ---- */

uint64_t forge_whole(sg_rng *rng)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      16,
                                      255,
                                      4096,
                                      65536,
                                      1 << 20,
                                      INT32_MAX,
                                      UINT32_MAX - 1,
                                      UINT32_MAX,
                                      (uint64_t)1 << 32,
                                      (uint64_t)1 << 40,
                                      (uint64_t)1 << 62,
                                      INT64_MAX,
                                      (uint64_t)1 << 63,
                                      UINT64_MAX - 1,
                                      UINT64_MAX};
    const size_t count = sizeof values / sizeof *values, i = sg_rng_below(rng, count + 2);
    return i < count ? values[i] : sg_rng_next(rng) >> sg_rng_below(rng, 64);
}

double forge_real(sg_rng *rng)
{
    static const double values[] = {NAN,    INFINITY, -INFINITY, 0,     -0.0,    1,     -1,    1e308,
                                    -1e308, 5e-324,   1e-300,    1e300, 3.4e38f, 1e-45, 0.999, 1e15};
    const size_t count = sizeof values / sizeof *values, i = sg_rng_below(rng, count + 2);
    return i < count ? values[i] : sg_rng_normal(rng) * pow(10, (double)sg_rng_below(rng, 40) - 20);
}

void forge_number(sg_rng *rng, unsigned char *bytes, size_t size, size_t step, char *what, size_t room)
{
    if (size < step) return;
    const size_t at = sg_rng_below(rng, size / step) * step;
    const int as = (int)sg_rng_below(rng, 4);
    const uint64_t whole = forge_whole(rng);
    const double real = forge_real(rng);
    const float narrow = (float)real;
    if (as == 0) memcpy(bytes + at, &whole, step < 8 ? step : 8);
    if (as == 1) memcpy(bytes + at, &whole, step < 4 ? step : 4);
    if (as == 2) memcpy(bytes + at, &real, step < 8 ? step : 8);
    if (as == 3) memcpy(bytes + at, &narrow, step < 4 ? step : 4);
    snprintf(what, room, as < 2 ? "%llu at %zu" : "%llx at %zu (%g)", (unsigned long long)whole, at, real);
}

/* ---- Running ---- */

static void set_limits(void)
{
    const struct rlimit work = {WORK, WORK + 5}, core = {0, 0};
    struct rlimit space = {FORGE_MEMORY + ROOM, FORGE_MEMORY + ROOM};
    PROMISE(setrlimit(RLIMIT_CPU, &work) == 0 && setrlimit(RLIMIT_CORE, &core) == 0);
    /* A sanitizer maps more than there is, and has a bound of its own. */
    if (!UNDER_SANITIZER) PROMISE(setrlimit(RLIMIT_AS, &space) == 0);
}

enum { REFUSED = 0, ANSWERED = 10, NEITHER };

/* Uses the file in a process of its own. */
static int use_apart(const forger *f, const char *path)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    PROMISE(child >= 0);
    if (child == 0) {
        set_limits();
        exit(f->use(path) ? ANSWERED : REFUSED);
    }
    PROMISE(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == REFUSED || WEXITSTATUS(status) == ANSWERED))
        return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) fprintf(stderr, "%s\n", strsignal(WTERMSIG(status)));
    return NEITHER;
}

int main(int count, char **arguments)
{
    static const forger *const forgers[] = {&forge_events, &forge_models, &forge_checkpoints};
    if (count != 4) {
        fprintf(stderr, "forge events|models|checkpoints FIRST COUNT\n");
        return 2;
    }
    const forger *f = NULL;
    for (size_t i = 0; i < sizeof forgers / sizeof *forgers; i++)
        if (strcmp(forgers[i]->name, arguments[1]) == 0) f = forgers[i];
    PROMISE(f);
    char *directory = scratch_make(), *path = strdup(scratch_path(directory, "forged"));
    const uint64_t first = strtoull(arguments[2], NULL, 10), seeds = strtoull(arguments[3], NULL, 10);
    uint64_t refused = 0, answered = 0;
    f->prepare(directory);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        char what[256] = "";
        sg_rng rng;
        sg_rng_seed(&rng, seed, 0xF0);
        f->forge(&rng, path, what, sizeof what);
        const int outcome = use_apart(f, path);
        if (outcome == NEITHER) fprintf(stderr, "forge %s %llu 1: %s\n", f->name, (unsigned long long)seed, what);
        refused += outcome == REFUSED;
        answered += outcome == ANSWERED;
    }
    printf("%llu forged %s: %llu refused, %llu answered\n", (unsigned long long)seeds, f->name,
           (unsigned long long)refused, (unsigned long long)answered);
    free(path);
    scratch_remove(directory);
    return refused + answered != seeds;
}
