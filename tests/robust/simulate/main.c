/*
 * simulate [--seeds FILE] [--first SEED --count N] [--jobs N] [--twice N] [--plan LINE] [--keep] [--verbose]
 *
 * Runs scenarios (simulate.h): those of a file, a line each as --plan takes it; N from a seed on. Every n-th of those
 * with one thread is run --twice and must be the same, call by call. A scenario that fails is printed as a line for the file; with --keep it is the last one, and its folder stays.
 */
#include "robust/simulate/simulate.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct arguments {
    const char *seeds, *plan;
    uint64_t first, count, twice;
    int jobs, keep, verbose;
} arguments;

enum { PLAN_LINE = 4096, PROBLEM = 2048, MOST_LINES = 1000 };

/* ---- One ---- */

static void run_one(sim_bench *bench, const arguments *a, sim_plan *plan, int planned, sim_figures *figures)
{
    char problem[PROBLEM] = "", line[PLAN_LINE];
    uint64_t trace = 0, again = 0;
    int failed = sim_run(bench, plan, planned, figures, &trace, problem, sizeof problem);
    if (!failed && a->twice && plan->seed % a->twice == 0 && trace) {
        sim_figures none = {0};
        failed = sim_run(bench, plan, 1, &none, &again, problem, sizeof problem);
        figures->repeated++;
        if (!failed && again != trace) {
            failed = 1;
            figures->different++;
            snprintf(problem, sizeof problem, "it is another run when it is run again");
        }
    }
    figures->failures += failed != 0;
    if (!failed && !a->verbose) return;
    sim_plan_print(plan, line, sizeof line);
    printf("%s\n    %s (%016llx)\n", line, failed ? problem : "held", (unsigned long long)trace);
    fflush(stdout);
    if (failed && a->keep) exit(3);
}

/* ---- Many ---- */

/* The file is read before anything is run: a process that ends would move the place of a stream it shares. */
static size_t read_lines(const char *path, char (*lines)[PLAN_LINE], size_t most)
{
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "simulate: cannot read %s\n", path);
        exit(2);
    }
    while (count < most && fgets(lines[count], PLAN_LINE, file)) {
        lines[count][strcspn(lines[count], "\n")] = 0;
        if (*lines[count] && *lines[count] != '#') count++;
    }
    fclose(file);
    return count;
}

static void run_written(sim_bench *bench, const arguments *a, int job, sim_figures *figures)
{
    static char lines[MOST_LINES][PLAN_LINE];
    sim_plan plan;
    const size_t count = read_lines(a->seeds, lines, MOST_LINES);
    for (size_t i = (size_t)job; i < count; i += (size_t)a->jobs) {
        if (sim_plan_read(&plan, lines[i])) {
            fprintf(stderr, "simulate: %s: this is no scenario: %s\n", a->seeds, lines[i]);
            exit(2);
        }
        run_one(bench, a, &plan, 1, figures);
    }
}

static void work_through(const arguments *a, int job, const char *folder, sim_figures *figures)
{
    sim_plan plan;
    sim_bench *bench = sim_bench_open(folder);
    if (!bench) {
        fprintf(stderr, "simulate: cannot work in %s\n", folder);
        exit(2);
    }
    if (a->plan && job == 0) {
        if (sim_plan_read(&plan, a->plan)) exit(2);
        run_one(bench, a, &plan, 1, figures);
    }
    if (a->seeds) run_written(bench, a, job, figures);
    for (uint64_t i = (uint64_t)job; i < a->count; i += (uint64_t)a->jobs) {
        sim_plan_begin(&plan, a->first + i);
        run_one(bench, a, &plan, 0, figures);
    }
    sim_bench_close(bench);
}

/* ---- Figures ---- */

static void print_figures(const sim_figures *f, double seconds)
{
    printf("%llu scenarios, %llu runs of a command: %llu done, %llu refused, %llu stopped by a signal, %llu killed "
           "(%llu with "
           "loss of power); %.0f s\n",
           (unsigned long long)f->scenarios, (unsigned long long)f->stages, (unsigned long long)f->exits[0],
           (unsigned long long)f->exits[1], (unsigned long long)f->exits[2], (unsigned long long)f->kills,
           (unsigned long long)f->losses, seconds);
    for (int action = 0; action < SIM_ACTIONS; action++) {
        printf("%-10s", sim_action_names[action]);
        for (int class = 0; class < SIM_CLASSES; class ++)
            printf(" %s %llu", sim_class_names[class], (unsigned long long)f->struck[class][action]);
        putchar('\n');
    }
    printf("%llu reads and writes cut short, %llu interrupted, %llu without space; %llu scenarios run twice, %llu "
           "of them "
           "different; %llu failed\n",
           (unsigned long long)f->cut_short, (unsigned long long)f->interrupted, (unsigned long long)f->no_space,
           (unsigned long long)f->repeated, (unsigned long long)f->different, (unsigned long long)f->failures);
}

static void add(sim_figures *to, const sim_figures *more)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++) a[i] += b[i];
}

/* ---- The whole ---- */

static void read_arguments(int argc, char **argv, arguments *a)
{
    static const struct option options[] = {{"seeds", required_argument, NULL, 's'},
                                            {"first", required_argument, NULL, 'f'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"jobs", required_argument, NULL, 'j'},
                                            {"twice", required_argument, NULL, 't'},
                                            {"plan", required_argument, NULL, 'p'},
                                            {"verbose", no_argument, NULL, 'v'},
                                            {"keep", no_argument, NULL, 'k'},
                                            {NULL, 0, NULL, 0}};
    static char seeds[PATH_MAX];
    *a = (arguments){.first = 1, .jobs = 1};
    for (int letter; (letter = getopt_long(argc, argv, "", options, NULL)) != -1;) switch (letter) {
        case 's': a->seeds = realpath(optarg, seeds); break; /* each job works in a folder of its own */
        case 'f': a->first = strtoull(optarg, NULL, 10); break;
        case 'n': a->count = strtoull(optarg, NULL, 10); break;
        case 'j': a->jobs = atoi(optarg) > 0 ? atoi(optarg) : 1; break;
        case 't': a->twice = strtoull(optarg, NULL, 10); break;
        case 'p': a->plan = optarg; break;
        case 'v': a->verbose = 1; break;
        case 'k': a->keep = 1; break;
        default: exit(2);
        }
}

/* Each job is a process of its own with a folder of its own. */
static int run_jobs(const arguments *a, char *folder, sim_figures *figures)
{
    int broken = 0;
    for (int job = 0; job < a->jobs; job++) {
        char own[512];
        snprintf(own, sizeof own, "%s/%d", folder, job);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            if (mkdir(own, 0777)) exit(2);
            work_through(a, job, own, &figures[job]);
            exit(0);
        }
        broken |= child < 0;
    }
    for (int job = 0, status; job < a->jobs; job++) broken |= wait(&status) < 0 || status != 0;
    return broken;
}

/* A process that the command itself starts. */
static int run_command(int argc, char **argv)
{
    sim_state *state =
        mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(getenv("SIMULATE_STATE")), 0);
    if (state == MAP_FAILED) return 99;
    sim_begin(state, 1);
    const int code = sim_tool(argc, argv);
    sim_end();
    return code;
}

int main(int argc, char **argv)
{
    if (strcmp(argv[0], "scadyg") == 0 && getenv("SIMULATE_STATE")) return run_command(argc, argv);
    arguments a;
    read_arguments(argc, argv, &a);
    const char *base = getenv("TMPDIR");
    char folder[256];
    snprintf(folder, sizeof folder, "%.200s/simulate-XXXXXX",
             base                       ? base
             : access("/dev/shm", W_OK) ? "/tmp"
                                        : "/dev/shm");
    sim_figures *figures = mmap(NULL, (size_t)(a.jobs + 1) * sizeof *figures, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (figures == MAP_FAILED || !mkdtemp(folder)) return 2;
    if (a.count)
        printf("seeds %llu to %llu\n", (unsigned long long)a.first, (unsigned long long)(a.first + a.count - 1));
    const time_t began = time(NULL);
    int broken = run_jobs(&a, folder, figures);
    for (int job = 0; job < a.jobs; job++) add(&figures[a.jobs], &figures[job]);
    print_figures(&figures[a.jobs], difftime(time(NULL), began));
    if (broken && a.keep)
        printf("kept: %s\n", folder);
    else
        broken |= sim_remove(folder);
    return broken ? 2 : figures[a.jobs].failures ? 1 : 0;
}
