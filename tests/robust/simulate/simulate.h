/*
 * A simulator of faults. One seed decides a whole scenario: which command is run on what, with how many threads, on which
 * kind of disk, and what goes wrong when: calls that fail, writes and reads cut short, a disk that is full, signals, kills,
 * and the loss of power. After every fault the command is run again, with --resume where it has that, in the end without any
 * fault; then its files must have the bytes of a run that nothing disturbed.
 *
 * The command is the real one (tools/cli/main.c and all it stands on) in a process of its own. The linker's --wrap sends its
 * system calls and allocations through calls.c, which counts them by class and strikes the one the schedule names; the
 * schedule and the counts are in memory that driver and command share. disk.c follows what a disk would have kept.
 *
 * With one thread the same seed is the same run, call by call: the hash of all calls is equal. With more threads the calls
 * of one class may come in another order, so a moment may fall on another call; results must be the same all the same.
 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include <stddef.h>
#include <stdint.h>

/* ---- Calls, by class ---- */

enum {
    SIM_READ,   /* read, pread, and reads of a stream */
    SIM_WRITE,  /* write, pwrite, ftruncate, and what is printed */
    SIM_SYNC,   /* fsync, of files and of folders */
    SIM_NAME,   /* linkat, rename, unlink, mkdir, a file that is made by open */
    SIM_OPEN,   /* open, fopen, dup */
    SIM_CLOSE,  /* close */
    SIM_LOOK,   /* stat, fstat, access, mmap, flock and the like */
    SIM_MEMORY, /* malloc and its kin */
    SIM_START,  /* pthread_create, posix_spawn */
    SIM_ANY,    /* each of these but memory, counted together */
    SIM_CLASSES
};
extern const char *const sim_class_names[SIM_CLASSES];

enum {
    SIM_FAIL,
    SIM_FAIL_ON /* and all later ones */,
    SIM_KILL,
    SIM_KILL_AFTER,
    SIM_INTERRUPT,
    SIM_TERMINATE,
    SIM_ACTIONS
};
extern const char *const sim_action_names[SIM_ACTIONS];

/* What happens at the n-th call of a class. */
typedef struct sim_fault {
    int class, action, reason; /* the reason is an errno */
    uint64_t at;
} sim_fault;

#define SIM_FAULTS 3

/* What goes wrong while a command runs once. */
typedef struct sim_stage {
    sim_fault faults[SIM_FAULTS];
    size_t count;
    unsigned noise; /* of a thousand reads or writes, how many are cut short or interrupted */
    int64_t space;  /* bytes that the disk takes; -1: all */
    int power;      /* a kill is a loss of power: what was not made durable may be gone */
} sim_stage;

/* ---- What a disk would have kept (disk.c) ---- */

/* A file of which not all is durable. */
typedef struct sim_inode {
    uint64_t number, low, high; /* bytes [low, high) may be lost */
    int poisoned;               /* an fsync of it has failed: a later one that succeeds means nothing */
} sim_inode;

enum { SIM_MADE, SIM_MADE_FOLDER, SIM_RENAMED, SIM_REMOVED };

/* A change of names, in the order made; durable once the folder was synced. */
typedef struct sim_naming {
    int kind, durable;
    uint64_t victim; /* the file that lost its name, 0: none */
    char path[240], from[240];
} sim_naming;

enum { SIM_INODES = 1024, SIM_NAMINGS = 4096, SIM_VERSIONS = 512, SIM_PATH = 240 };

typedef struct sim_disk {
    size_t inode_count, naming_count;
    int full; /* the tables are: the simulator is too small */
    sim_inode inodes[SIM_INODES];
    sim_naming namings[SIM_NAMINGS];
} sim_disk;

/* ---- What driver and command share ---- */

/* A file that had a name at some time: content it may have after a fault. */
typedef struct sim_version {
    char path[SIM_PATH]; /* below the folder */
    uint64_t hash;
} sim_version;

typedef struct sim_state {
    char folder[SIM_PATH], graves[SIM_PATH]; /* where the command works; where files without a name are kept */
    /* The schedule of this stage. */
    sim_stage stage;
    uint64_t seed;   /* of the noise */
    uint64_t memory; /* instead of what --memory says; 0: no */
    int named;       /* no unnamed files, as on file systems that have none */
    int recording;   /* the undisturbed run: keep the versions of files */
    /* What came of it. */
    uint64_t calls[SIM_CLASSES], written;
    uint64_t scratch_reads; /* of what was sorted on disk */
    uint64_t trace;         /* hash of all calls */
    uint64_t struck[SIM_CLASSES][SIM_ACTIONS], cut_short, interrupted, no_space;
    int killed, removal_failed;
    int started;            /* the command has started processes of its own */
    int folder_unsynced;    /* a folder may not be read, so it cannot be synced */
    int64_t descriptors;    /* that are open */
    char outside[SIM_PATH]; /* a path that was changed outside the folder; "": none */
    size_t version_count;
    sim_version versions[SIM_VERSIONS];
    sim_disk disk;
} sim_state;

/* The one of this process; NULL in the driver, where all calls are the system's own. */
extern sim_state *sim_here;

/* In the process of the command, or one that it has started: from now on calls may fail. */
void sim_begin(sim_state *state, int started);
void sim_end(void);

/* The command line of scadyg. */
int sim_tool(int argc, char **argv);

/* ---- The model of the disk; called in the process of the command with the model's lock held ---- */

void sim_disk_written(sim_disk *disk, uint64_t number, uint64_t low, uint64_t high);
void sim_disk_synced(sim_disk *disk, uint64_t number, int failed);
void sim_disk_new(sim_disk *disk, uint64_t number); /* the number may have been another file's */
void sim_disk_named(sim_disk *disk, int kind, const char *path, const char *from, uint64_t victim);
void sim_disk_folder_synced(sim_disk *disk, const char *folder);

/* In the driver: the folder becomes one that the disk may have after a loss of power. -1: a call failed. */
int sim_disk_lose_power(sim_state *state, uint64_t seed);

/* ---- Small things ---- */

uint64_t sim_mix(uint64_t x); /* a hash */
uint64_t sim_hash_file(const char *path);
uint64_t sim_hash_bytes(uint64_t hash, const void *data, size_t size);
int sim_remove(const char *path);       /* a file or a whole folder */
int sim_is_temporary(const char *path); /* the name of an output that is not there yet */

/* ---- Workloads (work.c) ---- */

typedef struct sim_work {
    const char *name;
    const char *words;   /* the command; %d is the variant */
    const char *resume;  /* what is added when it is run again, or "" */
    const char *inputs;  /* fixtures it reads */
    const char *outputs; /* those that may be there before */
    uint64_t memory;     /* instead of what --memory says; 0: no */
    int prints;          /* what it prints is a result */
} sim_work;

extern const sim_work sim_works[];
extern const size_t sim_work_count;

enum { SIM_VARIANTS = 3, SIM_WORDS = 64 };

/* Makes the inputs in a folder. Exits on failure. */
void sim_fixtures(const char *folder);

/* The words of a call, NULL after the last; they live in `text`. */
size_t sim_words(const sim_work *work, int variant, int threads, int again, char *text, size_t size, char **words);

/* ---- Scenarios (plan.c) ---- */

enum { SIM_STAGES = 4 };

typedef struct sim_plan {
    uint64_t seed;
    size_t work;
    int variant, threads;
    int older; /* outputs are there before */
    int named;
    size_t count;
    sim_stage stages[SIM_STAGES];
} sim_plan;

/* How often a command makes calls when nothing disturbs it, for moments that are hit. */
typedef struct sim_extent {
    uint64_t calls[SIM_CLASSES], written;
} sim_extent;

/* Which workload, which disk. */
void sim_plan_begin(sim_plan *plan, uint64_t seed);
/* What goes wrong. */
void sim_plan_faults(sim_plan *plan, const sim_extent *extent);
/* As a line of text, and back (-1: it is none). */
void sim_plan_print(const sim_plan *plan, char *text, size_t size);
int sim_plan_read(sim_plan *plan, const char *text);

/* ---- Running (run.c) ---- */

typedef struct sim_figures {
    uint64_t scenarios, stages, failures, repeated, different;
    uint64_t exits[3]; /* 0, 1, a signal that was handled */
    uint64_t kills, losses;
    uint64_t struck[SIM_CLASSES][SIM_ACTIONS], cut_short, interrupted, no_space;
} sim_figures;

typedef struct sim_bench sim_bench; /* folders, references */

sim_bench *sim_bench_open(const char *folder); /* NULL: it cannot be made */
void sim_bench_close(sim_bench *bench);
/* Runs the plan of a seed, or one that was written down. 0: all held; else `problem` says what did not. */
/* *trace is the same when it is run again; 0: it need not be. */
int sim_run(sim_bench *bench, sim_plan *plan, int planned, sim_figures *figures, uint64_t *trace, char *problem,
            size_t size);

#endif
