/* The charts that a study drew itself (charts/NAME.svg in its folder), for kinds that have more to show than scores. */
#include "report_study.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4 << 20 }; /* a picture that is larger is left out */

/* How a chart's name begins, its title, and what it shows. */
static const struct {
    const char *name, *title, *words;
} known[] = {
    {"prepare_seconds", "Preparation, seconds",
     "What comes before the first epoch, against the number of events; both scales are logarithmic."},
    {"train_seconds", "A training epoch, seconds",
     "One pass over the training part, against the number of events; both scales are logarithmic. A line that "
     "rises by "
     "a decade in a decade grows as the events do."},
    {"evaluation_seconds", "An evaluation, seconds",
     "Judging the validation part after an epoch, against the number of events; of a large one a sample is "
     "judged."},
    {"peak_memory_mib", "Peak memory, MiB",
     "The most that a run held, with the pages of the events file that it read, against the number of events."},
    {"parameters", "Learned numbers", "How many numbers a model learns, against the number of events."},
    {"decay-", "What is left of a contact in the weights of a node",
     "One contact, the longer ago the further right, as a share of one that has just happened: a line for each "
     "node, as "
     "its own weights mix the rates. Lines that lie on each other: the model treats these nodes alike."},
    {"drift-", "How the weights of a node move",
     "How far the matrix of each node is from what it was after the first twentieth of the time, as a share of "
     "that. A "
     "line that rises belongs to a node whose past is read in another way as it grows."},
    {"memory-", "How far a partner is ahead of strangers",
     "What the whole model makes of a contact: the score of those a node has met above that of some it has not, in "
     "logits, by the time since they last met. 0 is forgotten, 2 is 7 times the odds."},
    {"weights-4x4-", "The top left of the matrix of each node",
     "The first 4 x 4 numbers of the matrix that mixes a node's messages: a row for each node, time from left to "
     "right. "
     "Nodes whose pictures look alike are treated alike."},
    {"weights-", "The matrix of each node",
     "All numbers of the matrix that mixes a node's messages: a row for each node, time from left to right."},
};

static int is_svg(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".svg") == 0;
}

static void put_base64(FILE *page, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned b1 = i + 1 < size ? data[i + 1] : 0, b2 = i + 2 < size ? data[i + 2] : 0;
        const unsigned bits = (unsigned)data[i] << 16 | b1 << 8 | b2;
        putc(digits[bits >> 18], page);
        putc(digits[bits >> 12 & 63], page);
        putc(i + 1 < size ? digits[bits >> 6 & 63] : '=', page);
        putc(i + 2 < size ? digits[bits & 63] : '=', page);
    }
}

/* As an image: whatever is in the file, it can do nothing to the page. */
static void put_chart(FILE *page, const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/charts/%s", folder, name) < 0) return; /* no memory: the page will fail too */
    FILE *file = fopen(path, "rb");
    unsigned char *data = file ? malloc(MOST_BYTES + 1) : NULL;
    const size_t size = data ? fread(data, 1, MOST_BYTES + 1, file) : 0;
    if (size && size <= MOST_BYTES) {
        char title[2 * CLI_TEXT];
        const int length = (int)strlen(name) - 4;
        size_t k = 0;
        while (k < CLI_COUNT(known) && strncmp(name, known[k].name, strlen(known[k].name)) != 0) k++;
        const size_t begun = k < CLI_COUNT(known) ? strlen(known[k].name) : 0;
        snprintf(title, sizeof title, "%s%s%.*s", begun ? known[k].title : "",
                 begun && (size_t)length > begun ? ": " : "", length - (int)begun, name + begun);
        fputs("<figure class=\"picture\">\n", page);
        page_cell(page, "h3", NULL, title);
        fputs("<img alt=\"", page);
        svg_text(page, title);
        fputs("\" src=\"data:image/svg+xml;base64,", page);
        put_base64(page, data, size);
        fputs("\">\n", page);
        if (begun) page_cell(page, "figcaption", NULL, known[k].words);
        fputs("</figure>\n", page);
    }
    free(data);
    if (file) fclose(file);
    free(path);
}

void report_study_charts(FILE *page, const json_t *results, const char *folder)
{
    struct dirent **names = NULL;
    char *path = NULL;
    if (!json_object_get(results, "slopes") && !json_object_get(results, "weights")) return;
    if (asprintf(&path, "%s/charts", folder) < 0) return;
    const int count = scandir(path, &names, is_svg, alphasort);
    free(path);
    if (count > 0) {
        page_section(page, "charts", "Charts of the study",
                     "As the study drew them; docs/studies.md says how each is made.");
        fputs("<div class=\"figures\">\n", page);
    }
    for (int i = 0; i < count; i++) {
        put_chart(page, folder, names[i]->d_name);
        free(names[i]);
    }
    if (count > 0) {
        fputs("</div>\n", page);
        page_section_end(page);
    }
    free(names);
}
