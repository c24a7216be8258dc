/*
 * The command line: what its files share.
 *
 * A command is a table entry: its words for the help, its options (its own, and those of the library), and the function
 * that runs it. Parsing, help, man pages and completion all read the same tables.
 */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/options.h"
#include "scadyg_lab.h"

#define CLI_COUNT(array) (sizeof(array) / sizeof *(array))

enum { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2 };

/* Two types of options more than the library has, both a cli_list: one takes every word up to the next option, one takes
 * a word each time it is given. */
enum { CLI_OPTION_LIST = 100, CLI_OPTION_EACH = 101 };

typedef struct cli_list {
    const char **words;
    size_t count;
} cli_list;

/* The first member of every command's arguments. */
typedef struct cli_common {
    int help, help_all;
    int quiet, verbose;
    int json;
    int64_t threads;    /* 0: all */
    uint64_t memory;    /* 0: as the library thinks fit */
    const char *labels; /* a file; NULL: not given */
    int no_state;       /* keep no state beside the events */
} cli_common;

/* What the help shows as the default of an option whose table entry cannot say it. */
typedef struct cli_default {
    const char *name, *shown;
} cli_default;

typedef struct cli_example {
    const char *line, *what; /* a command line, and what it does */
} cli_example;

typedef struct cli_call cli_call;
typedef struct cli_files cli_files;
typedef struct cli_tables cli_tables;

/* A list of words at the end of the help. */
typedef struct cli_entries {
    const char *heading; /* in the help, and in capitals in the man page */
    /* The i-th; NULL after the last. *summary may stay as it is: NULL. */
    const char *(*at)(const cli_tables *tables, size_t i, const char **summary);
} cli_entries;

typedef struct cli_command {
    const char *name;
    const char *summary;         /* one line */
    const char *operands;        /* the synopsis after the name, without "[options]" */
    const char *description;     /* paragraphs, separated by an empty line */
    const char *details;         /* more of them, for --help-all and the man page; or NULL */
    const cli_example *examples; /* ends with a NULL line; or NULL */
    const sg_option *options;    /* its own: fields of the arguments */
    size_t option_count;
    const char *set;             /* the library's options it takes ("import"), or NULL */
    int reads_log;               /* it takes a text log for events, and with it the options of import */
    int trains;                  /* it takes the options of training as well, of every kind of model */
    const char *const *fixed;    /* those of them that it settles itself; ends with NULL; or NULL */
    const cli_default *defaults; /* ends with a NULL name; or NULL */
    const cli_entries *entries;  /* or NULL */
    size_t size;                 /* of the arguments, which begin with cli_common */
    int (*run)(cli_call *call);  /* returns the exit code */
} cli_command;

/* ---- A command's own table, and rows of it ---- */

#define CLI_OPTIONS(table) .options = table, .option_count = CLI_COUNT(table)
#define CLI_DEFAULTS(...)                                                                                          \
    .defaults = (const cli_default[])                                                                              \
    {                                                                                                              \
        __VA_ARGS__,                                                                                               \
        {                                                                                                          \
            NULL, NULL                                                                                             \
        }                                                                                                          \
    }

#define CLI_ROW_FLAG(type, field, name, letter, help, level)                                                       \
    SG_OPTION(type, field, name, letter, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0, help, level)
#define CLI_ROW_TEXT(type, field, name, letter, argument, help, level)                                             \
    SG_OPTION(type, field, name, letter, SCADYG_OPTION_TEXT, argument, NULL, NULL, 1, 0, help, level)
#define CLI_ROW_LIST(type, field, name, kind, argument, help, level)                                               \
    SG_OPTION(type, field, name, 0, kind, argument, NULL, NULL, 1, 0, help, level)
#define CLI_ROW_FILE(type, field, name, letter, argument, help, level, use)                                        \
    SG_FILE_OPTION(type, field, name, letter, SCADYG_OPTION_TEXT, argument, NULL, NULL, 1, 0, help, level, use)
#define CLI_ROW_OUTPUT(type, field, what, help)                                                                    \
    CLI_ROW_FILE(type, field, "output", 'o', what, help, 0, SCADYG_FILE_WRITTEN)
#define CLI_ROW_JSON(help) CLI_ROW_FLAG(cli_common, json, "json", 0, help, 0)
#define CLI_ROW_LABELS                                                                                             \
    CLI_ROW_FILE(cli_common, labels, "labels", 0, "FILE",                                                          \
                 "affinity: the labels, for a model that was trained with labels from a file", 0,                  \
                 SCADYG_FILE_READ)
#define CLI_ROW_AT(type)                                                                                           \
    CLI_ROW_TEXT(type, at, "at", 0, "TIME", "a number or a date; only events strictly before it count", 0)
#define CLI_ROW_ROLE(type)                                                                                         \
    SG_OPTION(type, role, "role", 0, SCADYG_OPTION_CHOICE, "ROLE", "any", "any|source|destination", 1, 0,          \
              "where sources and destinations are separate: which of them the ids are", 0)
#define CLI_ROW_TOP(type)                                                                                          \
    SG_OPTION(type, top, "top", 0, SCADYG_OPTION_INT, "N", "10", NULL, 1, 1e9, "how many to show", 0)
#define CLI_ROW_THREADS                                                                                            \
    SG_OPTION(cli_common, threads, "threads", 0, SCADYG_OPTION_INT, "N", "all", "all", 0, 1024,                    \
              "threads to use; the result does not depend on it", 0)
#define CLI_ROW_MEMORY(least, help)                                                                                \
    SG_OPTION(cli_common, memory, "memory", 0, SCADYG_OPTION_SIZE, "SIZE", NULL, "auto", least, 1e18, help, 0)
#define CLI_ROW_ANSWER_MEMORY                                                                                      \
    CLI_ROW_MEMORY(1, "refuse a model that needs more than this with the events [half of the machine's]")
#define CLI_ROW_NO_STATE                                                                                           \
    CLI_ROW_FLAG(cli_common, no_state, "no-state", 0,                                                              \
                 "neither use nor write X.state, which saves following a large log again", 1)

/* ---- commands.c: the commands, and all options of each ---- */

extern const cli_command cli_import, cli_append, cli_export, cli_info, cli_generate, cli_messages, cli_help;
extern const cli_command cli_train, cli_tune, cli_eval, cli_backtest, cli_study, cli_report, cli_predict, cli_rank,
    cli_embed, cli_affinity, cli_show;
extern const cli_command *const cli_commands[];
extern const size_t cli_command_count;

const cli_command *cli_command_find(const char *name); /* NULL if there is none */

/* A usage error that names the nearest command; `command` is the one that was given the word, or NULL. */
int cli_unknown_command(const cli_command *command, const char *word);

/* An option of a command: of its own (a field of its arguments), of the library's set, of import, or of a kind of model. */
typedef struct cli_row {
    const scadyg_option *shown;
    const sg_option *own; /* NULL: of the library */
    int of_log;           /* how a text log is read */
    int of_kind;
} cli_row;

struct cli_tables {
    const cli_command *command;
    scadyg_options *set;    /* of command->set; NULL: none */
    scadyg_options *log;    /* of import, if the command reads logs; else NULL */
    scadyg_options **kinds; /* [kind_count] all defaults, in the order of scadyg_kind_at */
    size_t kind_count;
    cli_row *rows; /* its own, those of the set, of reading a log, of all kinds each once, and the common ones */
    size_t count;
};

int cli_tables_open(cli_tables *tables, const cli_command *command); /* an exit code */
void cli_tables_close(cli_tables *tables);

/* The default as the help shows it in brackets; NULL: nothing to show. */
const char *cli_option_default(const cli_command *command, const scadyg_option *option);

int cli_option_is_list(const scadyg_option *option);
int cli_option_hidden(const cli_command *command, const scadyg_option *option); /* has no help text, or is fixed */
int cli_option_is_on(const scadyg_option *option); /* a flag that is on unless --no-NAME is given */

/* ---- Options of the library, by name ---- */

const scadyg_option *cli_option_find(const scadyg_options *options, const char *name); /* NULL: it has none */
int cli_option_is(const scadyg_options *options, const char *name, const char *text);
double cli_option_number(const scadyg_options *options, const char *name); /* NaN: there is none, or it is a word */
char *cli_option_text(const scadyg_options *options, const char *name);    /* newly allocated */

/* A set with some values: pairs of name and text, then NULL. */
int cli_options_with(scadyg_options **options, scadyg_error *error, const char *set, ...) __attribute__((sentinel));

/* Sets an option of a kind of model; if it has none of this name, the sentence says which kinds do. */
int cli_kind_set(const cli_tables *tables, scadyg_options *options, const char *name, const char *text,
                 scadyg_error *error);

/* ---- parse.c ---- */

/* An option of training that was typed, and its value. */
typedef struct cli_given {
    const scadyg_option *option;
    const char *text; /* of a flag "1" or "0" */
} cli_given;

/* One use of a command: what was typed, taken apart. */
struct cli_call {
    const cli_command *command;
    char **words; /* as they came */
    size_t word_count;
    scadyg_context *context;
    scadyg_error *error; /* of the library's calls, for cli_failed */
    cli_tables tables;
    void *arguments;
    const char **operands;
    size_t operand_count;
    unsigned char *taken; /* [tables.count] an option with one value was typed */
    int joined;           /* ... and may come again */
    cli_given *given;     /* options of training, in the order typed */
    size_t given_count;
    cli_given *log_given; /* those of the command's set, and those that say how a text log is read */
    size_t log_given_count;
    const scadyg_option *of_log; /* the first of them; NULL: none was typed */
    cli_files *files;            /* read and written */
};

/* Takes words apart. Returns CLI_OK, or CLI_USAGE or CLI_FAILURE after saying why. Free with cli_call_free. */
int cli_parse(cli_call *call, const cli_command *command, char **words, size_t count);
void cli_call_free(cli_call *call);

/* The same of words from several places, of a list and of a person: of an option that comes twice the last counts. */
int cli_parse_joined(cli_call *call, const cli_command *command, char **words, size_t count);

/* The single operand, or a usage error that says what it should be ("events file"). */
int cli_one_operand(const cli_call *call, const char *what, const char **operand);

/* The same for several; `what` has a word for each. */
int cli_operands(const cli_call *call, const char *const *what, size_t count, const char **operands);

/* What an option of training was last typed with; NULL: it was not. */
const char *cli_given_text(const cli_call *call, const char *name);

/* A word as a shell takes it back. */
void cli_put_word(FILE *to, const char *word);

/*
 * ---- files.c: what is read is never written over ----
 *
 * The files that operands and options name are known by the tables: they are compared before a command runs, by device and
 * inode, whatever their names. What else a command reads or writes it says here. Exit codes, after having said which
 * option must name another file.
 */

int cli_files_open(cli_call *call);
void cli_files_close(cli_call *call);
int cli_reads(const cli_call *call, const char *path);
int cli_reads_options(const cli_call *call, const scadyg_options *options); /* the files that they name */
int cli_writes(const cli_call *call, const char *option, const char *path); /* option: the one it follows from */

/* ---- terminal.c: the one line on standard error, the way out, and the progress line ---- */

/* Prints "scadyg COMMAND: ..." in one line, whatever the text holds, and returns the exit code. */
int cli_usage(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_fail(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a failed call of the library, in general with call->error; cancelled work becomes 130 or 143. */
int cli_failed(const cli_call *call, const char *output);
int cli_fail_error(const cli_command *command, const scadyg_error *error, const char *output);

/* Says something that is no failure, on standard error. */
void cli_note(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes standard output. Turns an exit code of 0 into a failure if what was printed did not arrive. */
int cli_finish(const cli_command *command, int code);

/* For what cannot go on or be told of in another way. Outputs have no name before they are complete, so none is half written. */
_Noreturn void cli_out_of_memory(void);

/* A signal cancels the context, which must stay until cli_signals_remove. */
void cli_signals_install(const cli_command *command, scadyg_context *context);
void cli_signals_remove(void);
int cli_signal_seen(void); /* the first of SIGINT and SIGTERM that arrived, or 0 */

/* Progress of the context's work: a line on a terminal unless quiet. */
void cli_progress_begin(scadyg_context *context, const cli_common *common);
void cli_progress_erase(void);
int cli_progress_shown(void);

#endif
