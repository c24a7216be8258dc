/* The one line on standard error that says what went wrong, and the exit code that goes with it. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* File names and ids may hold anything; a message is one line all the same. */
static void say(const cli_command *command, const char *text)
{
    char line[2048];
    size_t used = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c && used < sizeof line - 1; c++)
        line[used++] = *c < ' ' || *c == 127 ? '?' : (char)*c;
    line[used] = 0;
    cli_progress_erase();
    fflush(stdout);
    if (command)
        fprintf(stderr, "scadyg %s: %s\n", command->name, line);
    else
        fprintf(stderr, "scadyg: %s\n", line);
}

static void say_formatted(const cli_command *command, const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    say(command, text);
}

int cli_usage(const cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_formatted(command, format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_fail(const cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_formatted(command, format, arguments);
    va_end(arguments);
    return CLI_FAILURE;
}

void cli_note(const cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_formatted(command, format, arguments);
    va_end(arguments);
}

int cli_fail_error(const cli_command *command, const scadyg_error *error, const char *output)
{
    if (error->status == SCADYG_E_CANCELLED && cli_signal_seen()) {
        say(command, output ? "stopped, nothing written" : "stopped");
        return 128 + cli_signal_seen();
    }
    say(command, error->message[0] ? error->message : scadyg_status_name(error->status));
    return error->status == SCADYG_E_USAGE ? CLI_USAGE : CLI_FAILURE;
}

int cli_finish(const cli_command *command, int code)
{
    cli_progress_erase();
    errno = 0;
    int failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != CLI_OK) return code;
    return cli_fail(command, "cannot write standard output: %s", errno ? strerror(errno) : "write error");
}

static int same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int cli_check_output(const cli_call *call, const char *output, const char *const *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (same_file(output, inputs[i]))
            return cli_usage(call->command, "%s is the input; give --output another name", output);
    return CLI_OK;
}
