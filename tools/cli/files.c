/*
 * The files of a call: what it reads is never written over. Which options name files, and whether these are read or
 * written, is told by the tables; what follows from names (a checkpoint, a cache) is told by the commands.
 */
#include "cli/cli.h"
#include "cli/describe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct named_file {
    char *path;
    const char *option; /* that names it; NULL: none does */
    int use;            /* a scadyg_file_use */
} named_file;

struct cli_files {
    named_file *files;
    size_t count, room;
};

/* ---- Whether two names are one file ---- */

typedef struct place {
    int exists;
    dev_t device; /* of the file, or of the folder it would be in */
    ino_t inode;
    const char *name; /* in that folder */
} place;

/* Standard input may be a file too: `scadyg predict ... -i - -o x <x`. */
static int find_place(const named_file *file, place *out)
{
    struct stat facts;
    const int input = file->use == SCADYG_FILE_READ && strcmp(file->path, "-") == 0;
    out->name = cli_file_name(file->path);
    out->exists = (input ? fstat(STDIN_FILENO, &facts) : stat(file->path, &facts)) == 0;
    if (!out->exists) {
        char *folder = strndup(file->path, (size_t)(out->name - file->path));
        const int missing = !folder || stat(*folder ? folder : ".", &facts) != 0;
        free(folder);
        if (missing) return -1;
    }
    out->device = facts.st_dev;
    out->inode = facts.st_ino;
    return 0;
}

static int is_same_file(const named_file *one, const named_file *other)
{
    place a, b;
    if (find_place(one, &a) || find_place(other, &b)) return strcmp(one->path, other->path) == 0;
    return a.exists == b.exists && a.device == b.device && a.inode == b.inode &&
           (a.exists || strcmp(a.name, b.name) == 0);
}

/* ---- What is read, and what is written ---- */

static int refuse_pair(const cli_call *call, const named_file *one, const named_file *other)
{
    const named_file *written = one->use == SCADYG_FILE_WRITTEN ? one : other;
    if (one->use == other->use)
        return cli_usage(call->command, "--%s and --%s are the same file; give two names",
                         one->option ? one->option : "output", other->option ? other->option : "output");
    return cli_usage(call->command, "%s is the input; give --%s another name", written->path,
                     written->option ? written->option : "output");
}

static int add_file(const cli_call *call, const char *path, const char *option, int use)
{
    cli_files *files = call->files;
    if (!path || !*path || (use == SCADYG_FILE_WRITTEN && strcmp(path, "-") == 0)) return CLI_OK;
    for (size_t i = 0; i < files->count && use == SCADYG_FILE_READ; i++)
        if (files->files[i].use == use && strcmp(files->files[i].path, path) == 0) return CLI_OK; /* known */
    named_file file = {strdup(path), option, use};
    if (!file.path || sg_grow(&files->files, &files->room, files->count + 1, sizeof *files->files)) {
        free(file.path);
        return cli_fail(call->command, "not enough memory for file names");
    }
    files->files[files->count++] = file;
    for (size_t i = 0; i + 1 < files->count; i++) {
        const named_file *other = &files->files[i];
        /* Two inputs may be the same, and a command may say its output twice. */
        const int apart = use == SCADYG_FILE_WRITTEN || other->use == SCADYG_FILE_WRITTEN;
        const int again =
            option && other->option && strcmp(option, other->option) == 0 && strcmp(path, other->path) == 0;
        if (apart && !again && is_same_file(&file, other)) return refuse_pair(call, &file, other);
    }
    return CLI_OK;
}

int cli_reads(const cli_call *call, const char *path)
{
    return add_file(call, path, NULL, SCADYG_FILE_READ);
}

int cli_writes(const cli_call *call, const char *option, const char *path)
{
    return add_file(call, path, option, SCADYG_FILE_WRITTEN);
}

int cli_reads_options(const cli_call *call, const scadyg_options *options)
{
    const scadyg_option *option;
    int code = CLI_OK;
    for (size_t i = 0; options && !code && (option = scadyg_options_at(options, i)); i++) {
        if (!option->file) continue;
        char *path = cli_option_text(options, option->name);
        code = path ? add_file(call, path, option->name, option->file)
                    : cli_fail(call->command, "not enough memory for file names");
        free(path);
    }
    return code;
}

/* Operands are read; of the options the tables say it. */
int cli_files_open(cli_call *call)
{
    call->files = sg_alloc_zero(1, sizeof *call->files);
    if (!call->files) return cli_fail(call->command, "not enough memory for file names");
    int code = CLI_OK;
    for (size_t i = 0; i < call->operand_count && !code; i++) code = cli_reads(call, call->operands[i]);
    for (size_t i = 0; i < call->tables.count && !code; i++) {
        const cli_row *row = &call->tables.rows[i];
        const char *path = NULL;
        if (row->own && row->shown->file)
            memcpy(&path, (const char *)call->arguments + row->own->offset, sizeof path);
        code = add_file(call, path, row->shown->name, row->shown->file);
    }
    for (size_t i = 0; i < call->given_count && !code; i++)
        if (call->given[i].option->file)
            code = add_file(call, call->given[i].text, call->given[i].option->name, call->given[i].option->file);
    return code ? code : cli_reads_options(call, call->tables.set);
}

void cli_files_close(cli_call *call)
{
    cli_files *files = call->files;
    for (size_t i = 0; files && i < files->count; i++) free(files->files[i].path);
    if (files) free(files->files);
    free(files);
    call->files = NULL;
}
