/* The commands that are disturbed, and what they work on. */
#include "robust/simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL " -q --steps 10 --epochs 3 --patience 3 --batch 32 --hidden 4 --seed %d"

const sim_work sim_works[] = {
    {"import-spill", "import -q wide.csv --memory 16M -o out.events", "", "wide.csv", "out.events", 5 << 20, 0},
    {"import-gzip", "import -q log.csv.gz -o out.events", "", "log.csv.gz", "out.events", 0, 0},
    {"import-features", "import -q rich.csv -o out.events", "", "rich.csv rich.nodes.csv", "out.events", 0, 0},
    {"export", "export -q rich.events -o out.csv", "", "rich.events", "out.csv out.nodes.csv", 0, 0},
    {"export-gzip", "export -q g.events -o out.csv.gz", "", "g.events", "out.csv.gz", 0, 0},
    {"export-zstd", "export -q g.events -o out.csv.zst", "", "g.events", "out.csv.zst", 0, 0},
    {"export-print", "export -q g.events -o -", "", "g.events", "", 0, 1},
    {"generate", "generate -q --events 300 --nodes 20 --seed %d --oracle best.csv -o out.events", "", "",
     "out.events best.csv", 0, 0},
    {"train", "train g.events -o m.scadyg --no-fallback" SMALL, "--resume", "g.events", "m.scadyg", 0, 0},
    {"train-stepwise", "train g.events -o m.scadyg --no-fallback --stepwise --averaging 0" SMALL, "--resume",
     "g.events", "m.scadyg", 0, 0},
    {"train-paper", "train g.events -o m.scadyg --json run.json --model scadyg-paper" SMALL, "--resume", "g.events",
     "m.scadyg run.json", 0, 0},
    {"train-affinity", "train g.events -o m.scadyg --task affinity" SMALL, "--resume", "g.events", "m.scadyg", 0,
     0},
    {"train-log", "train log.csv -o m.scadyg --model scadyg-paper" SMALL, "--resume", "log.csv", "m.scadyg", 0, 0},
    {"train-again", "train g.events -o m.scadyg --model scadyg-paper" SMALL, "", "g.events", "m.scadyg", 0, 0},
    {"train-rule", "train -q g.events -o m.scadyg --model popularity --steps 10", "--resume", "g.events",
     "m.scadyg", 0, 0},
    {"tune", "tune g.events -o m.scadyg --trials 3 --search-seed 3 --no-fallback" SMALL, "--resume", "g.events",
     "m.scadyg", 0, 0},
    {"tune-random", "tune g.events -o m.scadyg --trials 2 --method random --model scadyg-paper" SMALL, "--resume",
     "g.events", "m.scadyg", 0, 0},
    {"study", "study compare g.events -o s --seeds 2 --models scadyg-paper" SMALL, "", "g.events", "", 0, 0},
    {"study-ablation", "study ablation g.events -o s --seeds 1 --models scadyg-paper --values time" SMALL, "",
     "g.events", "", 0, 0},
    {"study-apart", "study efficiency g.events -o s --seeds 1 --models scadyg-paper" SMALL, "", "g.events", "", 0,
     0},
    {"study-list", "study run list.tsv --data . -o s --seeds 1" SMALL, "", "list.tsv log.csv", "", 0, 0},
    {"eval", "eval -q m.scadyg g.events --json out.json --seed %d", "", "m.scadyg g.events", "out.json", 0, 0},
    {"predict", "predict -q m.scadyg g.events -i pairs.csv -o out.csv", "", "m.scadyg g.events pairs.csv",
     "out.csv", 0, 0},
    {"predict-print", "predict -q m.scadyg g.events -i pairs.csv", "", "m.scadyg g.events pairs.csv", "", 0, 1},
    {"rank", "rank -q m.scadyg g.events --source 1 --json", "", "m.scadyg g.events", "", 0, 1},
    {"embed", "embed -q p.scadyg g.events -o out.npy", "", "p.scadyg g.events", "out.npy", 0, 0},
    {"messages", "messages -q g.events -o out.npy", "", "g.events", "out.npy", 0, 0},
    {"report", "report -q m.scadyg g.events -o out.html", "", "m.scadyg g.events", "out.html", 0, 0},
    {"show", "show -q m.scadyg --json", "", "m.scadyg", "", 0, 1},
    {"info", "info -q g.events --json", "", "g.events", "", 0, 1},
    {"report-study", "report -q results.json -o out.html", "", "results.json", "out.html", 0, 0},
    {"study-weights", "study weights g.events -o s --seeds 1 --models scadyg-paper" SMALL, "", "g.events", "", 0,
     0},
    {"append", "append -q rich.events later.csv", "", "rich.events later.csv later.nodes.csv", "rich.events", 0, 0},
    {"append-late", "append -q g.events --late sort early.csv", "", "g.events early.csv", "g.events", 0, 0},
    {"append-spill", "append -q half.events wide.csv --late sort --memory 16M", "", "half.events wide.csv",
     "half.events", 5 << 20, 0},
    {"join", "import -q half.events rest.csv half2.events -o out.events", "", "half.events rest.csv half2.events",
     "out.events", 0, 0},
    {"join-rich", "import -q rich.events later.events -o out.events", "", "rich.events later.events", "out.events",
     0, 0},
    {"affinity", "affinity -q a.scadyg g.events --node 1 --json", "", "a.scadyg g.events", "", 0, 1},
};
const size_t sim_work_count = sizeof sim_works / sizeof *sim_works;

size_t sim_words(const sim_work *work, int variant, int threads, int again, char *text, size_t size, char **words)
{
    size_t count = 0;
    char variable[16], *rest = NULL;
    const char *hole = strstr(work->words, "%d");
    snprintf(variable, sizeof variable, "%d", variant);
    const size_t length = hole ? (size_t)(hole - work->words) : strlen(work->words);
    const int takes_threads = strncmp(work->words, "show", 4) != 0;
    snprintf(text, size, "scadyg %.*s%s%s %s", (int)length, work->words, hole ? variable : "", hole ? hole + 2 : "",
             again ? work->resume : "");
    words[count++] = strtok_r(text, " ", &rest);
    while (count < SIM_WORDS - 3 && (words[count] = strtok_r(NULL, " ", &rest))) count++;
    if (takes_threads) {
        static char option[] = "--threads", one[] = "1", two[] = "2";
        words[count++] = option;
        words[count++] = threads == 1 ? one : two;
    }
    words[count] = NULL;
    return count;
}

/* ---- Fixtures ---- */

static void give_up(const char *what)
{
    fprintf(stderr, "simulate: cannot make the inputs: %s\n", what);
    exit(2);
}

/* One call of the command, undisturbed. */
static void make(const char *line)
{
    char text[512], *words[SIM_WORDS];
    const sim_work work = {.words = line, .resume = ""};
    const size_t count = sim_words(&work, 1, 1, 0, text, sizeof text, words);
    fflush(NULL);
    const pid_t child = fork();
    int status = 0;
    if (child == 0) exit(sim_tool((int)count, words));
    if (child < 0 || waitpid(child, &status, 0) < 0 || status) give_up(line);
}

static FILE *begin_file(const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file) give_up(name);
    return file;
}

/* Out of order, and wide enough to fill more memory than a chunk of rows takes: there is something to sort on disk. */
static void write_wide(const char *name, unsigned rows)
{
    enum { FEATURES = 400 };
    FILE *file = begin_file(name);
    fprintf(file, "source,target,time");
    for (unsigned k = 0; k < FEATURES; k++) fprintf(file, ",f%u", k);
    for (unsigned i = 0; i < rows; i++) {
        fprintf(file, "\n%u,%u,%u", i * 7919 % 201, i * 104729 % 199, i * 15485863 % 10007);
        for (unsigned k = 0; k < FEATURES; k++) fprintf(file, ",%u", (i + k) % 10);
    }
    fputc('\n', file);
    if (fclose(file)) give_up(name);
}

static void write_rich(const char *name, const char *nodes, unsigned last, unsigned sources)
{
    FILE *file = begin_file(name);
    fprintf(file, "source,target,time,weight,f0,f1\n");
    for (unsigned i = 0; i < 120; i++)
        fprintf(file, "n%u,\"m, %u\",%u,%u.5,0.25,%u\n", i % sources, i % 5, last - i, i % 3, i);
    if (fclose(file)) give_up(name);
    file = begin_file(nodes);
    fprintf(file, "id,f0,f1\n");
    for (unsigned i = 0; i < sources; i++) fprintf(file, "n%u,%u,0.5\n", i, i);
    for (unsigned i = 0; i < 5; i++) fprintf(file, "\"m, %u\",%u,0.5\n", i, i);
    if (fclose(file)) give_up(nodes);
}

/* Before all of the generated graph, and new to it. */
static void write_early(void)
{
    FILE *file = begin_file("early.csv");
    fprintf(file, "src,dst,time\n");
    for (unsigned i = 0; i < 40; i++) fprintf(file, "%u,%u,%u\n", 50 + i % 5, i % 7, 1000000 + 7919 * i % 300000);
    if (fclose(file)) give_up("early.csv");
}

static void write_pairs(void)
{
    FILE *file = begin_file("pairs.csv");
    fprintf(file, "src,dst,time\n");
    for (unsigned i = 0; i < 40; i++) fprintf(file, "%u,%u,%u\n", i % 5, 5 + i % 7, 1302862 + i);
    if (fclose(file)) give_up("pairs.csv");
    file = begin_file("list.tsv");
    fprintf(file, "one\tOne\tlog.csv\talways\tcompare --models scadyg-paper\n");
    if (fclose(file)) give_up("list.tsv");
}

void sim_fixtures(const char *folder)
{
    if (chdir(folder)) give_up(folder);
    write_wide("wide.csv", 3000);
    write_wide("rest.csv", 30);
    write_rich("rich.csv", "rich.nodes.csv", 1000, 7);
    write_rich("later.csv", "later.nodes.csv", 1500, 9);
    write_early();
    write_pairs();
    make("generate -q --events 200 --nodes 12 --seed 5 -o g.events");
    make("export -q g.events -o log.csv");
    make("export -q g.events -o log.csv.gz");
    make("import -q rich.csv -o rich.events");
    make("import -q later.csv -o later.events");
    make("import -q rest.csv -o half.events");
    make("import -q rest.csv -o half2.events");
    make("train -q g.events --steps 10 --epochs 2 --batch 32 --hidden 4 --no-fallback -o m.scadyg");
    make("train -q g.events --model scadyg-paper --steps 10 --epochs 2 --batch 32 --hidden 4 -o p.scadyg");
    make("train -q g.events --task affinity --steps 10 --epochs 2 --batch 32 --hidden 4 -o a.scadyg");
    make("study compare -q g.events --models scadyg-paper --steps 10 --epochs 2 --batch 32 --hidden 4 --seeds 2 -o "
         "s");
    if (rename("s/results.json", "results.json")) give_up("results.json");
}
