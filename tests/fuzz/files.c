/* Files for fuzz targets. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];

static void remove_directory(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0) fprintf(stderr, "cannot remove %s\n", directory);
}

static void make_directory(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, sizeof directory, "%s/scadyg-fuzz-XXXXXX", base);
    PROMISE(mkdtemp(directory));
    atexit(remove_directory);
}

const char *fuzz_path(const char *name)
{
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    if (!directory[0]) make_directory();
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
    const char *path = fuzz_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    PROMISE(fd >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, (const char *)data + done, size - done);
        PROMISE(written > 0);
        done += (size_t)written;
    }
    close(fd);
    return path;
}

void fuzz_hush(void)
{
    static int done;
    if (!done++) PROMISE(freopen("/dev/null", "w", stdout));
}

static int is_among(const char *word, size_t length, const char *const *words)
{
    while (*words && (strlen(*words) != length || strncmp(*words, word, length) != 0)) words++;
    return *words != NULL;
}

/* An attribute of ours; those of drawings have numbers only. Returns where it ends. */
static const char *check_attribute(const char *at)
{
    static const char *const words[] = {"class",   "id",  "aria-label", "lang", "charset", "name",
                                        "content", "rel", "href",       "role", NULL};
    static const char *const drawn[] = {"d",  "x", "y",       "width",     "height",         "cx",
                                        "cy", "r", "viewBox", "transform", "stroke-opacity", NULL};
    const size_t length = strcspn(at, "=> \n");
    PROMISE(at[length] == '=' && at[length + 1] == '"');
    const char *value = at + length + 2, *end = strchr(value, '"');
    PROMISE(end && (is_among(at, length, words) || is_among(at, length, drawn)));
    for (const char *c = value; is_among(at, length, drawn) && c < end; c++)
        PROMISE(strncmp(c, "nan", 3) != 0 && strncmp(c, "inf", 3) != 0);
    return end + 1;
}

void fuzz_check_page(const char *page)
{
    static const char *const elements[] = {
        "!DOCTYPE", "html", "head",    "meta",   "link",       "title", "style",  "body", "header", "h1",  "h2",
        "h3",       "p",    "section", "figure", "figcaption", "div",   "span",   "i",    "b",      "pre", "table",
        "tr",       "th",   "td",      "svg",    "text",       "path",  "circle", "rect", "g",      NULL};
    for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
        at += 1 + (at[1] == '/');
        const size_t length = strcspn(at, " />\n");
        PROMISE(is_among(at, length, elements));
        for (at += length; *at != '>';) {
            PROMISE(*at);
            if (*at == ' ' || *at == '/' || *at == '\n')
                at++;
            else
                at = strncmp(at, "html>", 5) == 0 ? at + 4 : check_attribute(at);
        }
    }
    for (const char *c = page; *c; c++) PROMISE((unsigned char)*c >= 32 || *c == '\n');
}

int fuzz_has(const char *path, const void *data, size_t size)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    PROMISE(fd >= 0 && fstat(fd, &facts) == 0);
    unsigned char *bytes = malloc(size + 1);
    PROMISE(bytes);
    const int same = (size_t)facts.st_size == size && read(fd, bytes, size + 1) == (ssize_t)size &&
                     memcmp(bytes, data, size) == 0;
    free(bytes);
    close(fd);
    return same;
}
