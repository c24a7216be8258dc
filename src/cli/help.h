/* The help in its forms: on the screen, as man pages, as completion for bash. All go to standard output. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli.h"

void cli_help_overview(void);
void cli_help_command(const cli_command *command);

void cli_manual_overview(void);                      /* scadyg(1) */
void cli_manual_command(const cli_command *command); /* scadyg-COMMAND(1) */

void cli_completion(void);

/* "-o, --output FILE" */
void cli_option_left(const scadyg_option *option, char *buffer, size_t size);

#endif
