/*
 * The command line: what its files share.
 *
 * A command is a table entry: its words for the help, its options (the library's table plus its own), and the
 * function that runs it. Parsing, help, man pages and completion all read the same tables.
 */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdint.h>

#include "scadyg.h"

#define CLI_COUNT(array) (sizeof(array) / sizeof *(array))

enum { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2 };

/* Two kinds more than the library has, both a cli_list: one takes every word up to the next option, one takes a word
 * each time it is given. */
enum { CLI_OPTION_LIST = 100, CLI_OPTION_EACH = 101 };

typedef struct cli_list {
    const char **words;
    size_t count;
} cli_list;

/* The first member of every command's arguments. */
typedef struct cli_common {
    int help;
    int quiet;
    int verbose;
    int json;
    int64_t threads;
} cli_common;

/* What the help shows as the default of an option whose table entry cannot say it. */
typedef struct cli_default {
    const char *name;
    const char *shown;
} cli_default;

/* A list of words at the end of the help. */
typedef struct cli_entries {
    const char *option;  /* that takes them ("preset"), for the completion; "" if there is none */
    const char *heading; /* in the help */
    const char *title;   /* in the man page */
    const char *(*at)(size_t i, const char **summary); /* NULL after the last */
} cli_entries;

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name;
    const char *summary;          /* one line */
    const char *operands;         /* the synopsis after the name, without "[options]" */
    const char *description;      /* paragraphs, separated by an empty line */
    const char *const *examples;  /* pairs: a command line and what it does; then NULL */
    const scadyg_option *options; /* its own; offsets into the arguments */
    size_t option_count;
    const scadyg_option *(*library_options)(size_t *count); /* the library's table, or NULL */
    size_t library_offset;                               /* where the library's parameters are in the arguments */
    const scadyg_option *(*more_options)(size_t *count); /* a second table of the library, or NULL */
    size_t more_offset;
    const cli_default *defaults; /* ends with a NULL name; or NULL */
    const cli_entries *entries;  /* ends with a NULL `at`; or NULL */
    size_t size;                 /* of the arguments, which begin with cli_common */
    int (*run)(cli_call *call);  /* returns the exit code */
} cli_command;

/* An option of the library's table that was typed, and its argument (NULL for a flag). */
typedef struct cli_given {
    const scadyg_option *option;
    const char *text;
} cli_given;

/* One use of a command: what was typed, taken apart. */
struct cli_call {
    const cli_command *command;
    void *arguments;
    const char **operands;
    size_t operand_count;
    cli_given *given; /* in the order typed */
    size_t given_count;
};

/* ---- commands.c: the commands and their options, one table each ---- */

extern const cli_command cli_import, cli_export, cli_info, cli_generate, cli_messages, cli_help;
extern const cli_command cli_train, cli_tune, cli_eval, cli_study, cli_report, cli_predict, cli_rank, cli_embed,
    cli_affinity, cli_show;
extern const cli_command *const cli_commands[];
extern const size_t cli_command_count;

const cli_command *cli_command_find(const char *name); /* NULL if there is none */

/* A usage error that names the nearest command; `command` is the one that was given the word, or NULL. */
int cli_unknown_command(const cli_command *command, const char *word);

/* Where a table's values live. */
typedef enum cli_home { CLI_HOME_OWN, CLI_HOME_MORE, CLI_HOME_LIBRARY } cli_home;

/* The i-th option of a command: its own first, then the library's, then the common ones. NULL after the last. */
const scadyg_option *cli_option_at(const cli_command *command, size_t index, cli_home *home);

/* The default as the help shows it in brackets; NULL: nothing to show. */
const char *cli_option_default(const cli_command *command, const scadyg_option *option);

int cli_option_is_list(const scadyg_option *option);

/* Hidden options have no help text. */
int cli_option_hidden(const scadyg_option *option);
int cli_option_takes_file(const scadyg_option *option);

/* ---- parse.c ---- */

/* Takes words apart. Returns CLI_OK, or CLI_USAGE or CLI_FAILURE after saying why. Free with cli_call_free.
 */
int cli_parse(cli_call *call, const cli_command *command, char **words, size_t count);
void cli_call_free(cli_call *call);

/* The single operand, or a usage error that says what it should be ("events file"). */
int cli_one_operand(const cli_call *call, const char *what, const char **operand);

/* The same for several; `what` has a word for each. */
int cli_operands(const cli_call *call, const char *const *what, size_t count, const char **operands);

/* Whether an option of the library's table was typed. */
int cli_was_given(const cli_call *call, const char *name);

/* Sets the typed options of the library's table once more: they win over whatever was set since. */
int cli_set_given(const cli_call *call);

/* ---- nearest.c ---- */

/* The candidate most like `word`, or NULL if none is like it. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- say.c: the one line on standard error, and the way out ---- */

/* Prints "scadyg COMMAND: ..." in one line, whatever the text holds, and returns the exit code. */
int cli_usage(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_fail(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a failed call of the library; cancelled work becomes 130 or 143. */
int cli_fail_error(const cli_command *command, const scadyg_error *error, const char *output);

/* Says something that is no failure, on standard error. */
void cli_note(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes standard output. Turns an exit code of 0 into a failure if what was printed did not arrive. */
int cli_finish(const cli_command *command, int code);

/* Refuses to write over one of the inputs, or an events file to standard output. CLI_OK if all is well. */
int cli_check_output(const cli_call *call, const char *output, const char *const *inputs, size_t count);

/* ---- signals.c ---- */

void cli_signals_install(const cli_command *command);
int cli_signal_seen(void); /* the first of SIGINT and SIGTERM that arrived, or 0 */

/* ---- progress.c ---- */

/* Progress for the library: a line on a terminal unless quiet; stops the work after a signal. */
const scadyg_progress *cli_progress(const cli_common *common);
void cli_progress_erase(void);
int cli_progress_shown(void);
double cli_seconds(void); /* a clock that only goes forward */

/* ---- text.c: numbers and words for people ---- */

#define CLI_TEXT 64

const char *cli_count(uint64_t value, char buffer[CLI_TEXT]);                /* 1,234,567 */
const char *cli_rate(double per_second, char buffer[CLI_TEXT]);              /* 12.3 M */
const char *cli_bytes(uint64_t bytes, char buffer[CLI_TEXT]);                /* 12.3 MiB */
const char *cli_duration(double seconds, char buffer[CLI_TEXT]);             /* 29.8 days */
const char *cli_share(uint64_t part, uint64_t whole, char buffer[CLI_TEXT]); /* 12.3 % */
size_t cli_display_width(const char *text);                                  /* columns on a terminal, roughly */
size_t cli_terminal_width(int descriptor);                                   /* 80 if it is no terminal */
int cli_utf8(void);                                                          /* the locale wants UTF-8 */
void cli_print_padded(const char *text, size_t width, int right);

/* Any text for a terminal: control characters written out. Newly allocated; NULL without memory. */
char *cli_safe_text(const char *raw);

/* A node's id for a terminal: control characters written out. Newly allocated; NULL without memory. */
char *cli_node_text(scadyg_events *events, uint32_t node, scadyg_error *error);

/* A node's id as it is. */
char *cli_node_id(scadyg_events *events, uint32_t node, scadyg_error *error);

/* -o of a command with such arguments: the field that takes it, what it takes, its help. */
#define CLI_OPTION_OUTPUT(arguments, field, what, text)                                                            \
    {                                                                                                              \
        .name = "output", .letter = 'o', .kind = SCADYG_OPTION_TEXT, .offset = offsetof(arguments, field),         \
        .argument = what, .least = 1, .most = 0, .help = text                                                      \
    }

#endif
