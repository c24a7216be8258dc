/* The charts that a study drew itself (charts/NAME.svg in its folder), for kinds that have more to show than scores. */
#include "report_study.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4 << 20 }; /* a picture that is larger is left out */

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
        char title[CLI_TEXT];
        snprintf(title, sizeof title, "%.*s", (int)(strlen(name) - 4), name);
        fputs("<figure class=\"picture\">\n", page);
        page_cell(page, "h3", NULL, title);
        fputs("<img alt=\"", page);
        svg_text(page, title);
        fputs("\" src=\"data:image/svg+xml;base64,", page);
        put_base64(page, data, size);
        fputs("\"></figure>\n", page);
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
                     "As the study drew them; docs/studies.md says what each shows.");
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
