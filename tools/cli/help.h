/* The help in its forms: on the screen, as man pages, as completion for bash. All go to standard output. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

/* ---- help.c ---- */

#define CLI_LOG_HEADING "how a text log is read, as of import"

void cli_help_overview(void);
void cli_help_command(const cli_tables *tables, int all); /* without `all`: only the options that matter most */

/* "-o, --output FILE" */
void cli_option_left(const scadyg_option *option, char *buffer, size_t size);

/* Whether an option of training is the same in all kinds of models. */
int cli_kinds_share(const cli_tables *tables, const scadyg_option *option);

/*
 * Kinds from `first` on that have the same options beyond those. Their names and task go into `title` ("edgebank, markov
 * (link):"); returns the first kind behind them. Their options are those of tables->kinds[first] that are not shared.
 */
size_t cli_kinds_alike(const cli_tables *tables, size_t first, char *title, size_t size);

/* ---- manual.c ---- */

void cli_manual_overview(void);                    /* scadyg(1) */
void cli_manual_command(const cli_tables *tables); /* scadyg-COMMAND(1) */
int cli_completion(void);                          /* an exit code */

#endif
