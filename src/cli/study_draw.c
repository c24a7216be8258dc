/* The pictures of a study: gnuplot run on each script. */
#include "study.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs gnuplot in a folder. Returns its exit code; -1 if there is no gnuplot. */
static int gnuplot(const char *folder, const char *script)
{
    char program[] = "gnuplot";
    char *file = strdup(script), *words[] = {program, file, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0, wrong = !file || posix_spawn_file_actions_init(&actions);
    if (wrong) {
        free(file);
        return 127;
    }
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "messages", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    wrong = posix_spawnp(&child, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(file);
    if (wrong) return wrong == ENOENT ? -1 : 127;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 127;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* A picture takes its place when it is complete. */
static int move(const study *s, const char *name, const char *ending)
{
    char *from = study_path(s, "charts/new/%s.%s", name, ending), *to = study_path(s, "charts/%s.%s", name, ending);
    struct stat made;
    int code = from && to ? CLI_OK : CLI_FAILURE;
    if (!code && (stat(from, &made) || made.st_size == 0 || rename(from, to)))
        code = cli_fail(s->call->command, "gnuplot made no picture %s", to);
    free(from);
    free(to);
    return code;
}

static int draw(const study *s, const char *folder, const char *name, int *missing)
{
    char script[192];
    snprintf(script, sizeof script, "../%.150s.gp", name);
    const int result = gnuplot(folder, script);
    *missing = result < 0;
    if (*missing) return CLI_OK;
    if (result)
        return cli_fail(s->call->command, "gnuplot failed with code %d; 'gnuplot %s.gp' in %s/charts says why",
                        result, name, s->folder);
    int code = move(s, name, "svg");
    return code ? code : move(s, name, "png");
}

int study_draw(const study *s)
{
    char *folder = study_path(s, "charts/new"), *messages = study_path(s, "charts/new/messages");
    int code = folder && messages ? CLI_OK : CLI_FAILURE, missing = 0;
    if (!code && mkdir(folder, 0777) && errno != EEXIST)
        code = cli_fail(s->call->command, "cannot make the folder %s: %s", folder, strerror(errno));
    for (size_t i = 0; i < json_array_size(s->charts) && !code && !missing; i++) {
        if (cli_signal_seen()) code = 128 + cli_signal_seen();
        if (!code) code = draw(s, folder, json_string_value(json_array_get(s->charts, i)), &missing);
    }
    if (missing)
        cli_note(s->call->command,
                 "no pictures: gnuplot is not there; install it (Debian: gnuplot-nox) and give the same command "
                 "again, or run it on the scripts in %s/charts",
                 s->folder);
    if (messages) unlink(messages);
    if (folder) rmdir(folder);
    free(folder);
    free(messages);
    return code;
}
