/* All that is needed to make the same model again. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "shape.h"

static void put_row(FILE *page, const char *name, const char *value)
{
    fputs("<tr>", page);
    page_cell(page, "th", NULL, name);
    page_cell(page, "td", NULL, value);
    fputs("</tr>\n", page);
}

static void put_files(const report *r)
{
    const scadyg_model_info *info = r->info;
    char text[512], shape[256];
    FILE *page = r->page;
    fputs("<div class=\"wide\"><table>\n", page);
    cli_shape_text(&info->shape, shape, sizeof shape);
    snprintf(text, sizeof text, "%.200s: %s", info->data ? info->data : "?", shape);
    put_row(page, "trained on", text);
    snprintf(text, sizeof text, "%08x", (unsigned)info->checksum);
    put_row(page, "its checksum", text);
    snprintf(text, sizeof text, "%08x%s", (unsigned)scadyg_events_checksum(r->events),
             scadyg_events_checksum(r->events) == info->checksum ? ", the same events"
                                                                 : ", other events than it was trained on");
    put_row(page, "this report's events", text);
    snprintf(text, sizeof text, "%08x", (unsigned)info->file_checksum);
    put_row(page, "the model file's checksum", text);
    cli_count(info->parameters, text);
    put_row(page, "learned numbers", text);
    if (info->pair_bytes) {
        char bytes[CLI_TEXT];
        snprintf(text, sizeof text, "walk sketches of %zu numbers, at most %s for pairs", info->walk_width,
                 cli_bytes(info->pair_bytes, bytes));
        put_row(page, "by --memory", text);
    }
    snprintf(text, sizeof text, "scadyg %s", scadyg_version());
    put_row(page, "made with", text);
    fputs("</table></div>\n", page);
}

/* Threads and memory say nothing about the model. */
static int is_of_model(const scadyg_option *option)
{
    return strcmp(option->name, "threads") != 0 && strcmp(option->name, "memory") != 0;
}

/* A word for a shell. */
static void put_word(FILE *page, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/=+@%";
    if (*word && word[strspn(word, plain)] == 0) {
        svg_text(page, word);
        return;
    }
    putc('\'', page);
    for (; *word; word++) {
        const char letter[2] = {*word, 0};
        svg_text(page, *word == '\'' ? "'\\''" : letter);
    }
    putc('\'', page);
}

static void put_command(const report *r)
{
    size_t count = 0;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_train_options usual = {0};
    scadyg_options_default(table, count, &usual);
    fputs("<pre>scadyg train ", r->page);
    put_word(r->page, r->info->data ? r->info->data : "X.events");
    for (size_t i = 0; i < count; i++) {
        char value[1024], standard[1024];
        scadyg_option_text(&table[i], r->info->options, value, sizeof value);
        scadyg_option_text(&table[i], &usual, standard, sizeof standard);
        if (!is_of_model(&table[i]) || strcmp(value, standard) == 0) continue;
        fprintf(r->page, " <span class=\"whole\">--%s</span>", table[i].name);
        if (table[i].kind == SCADYG_OPTION_FLAG) continue;
        putc(' ', r->page);
        put_word(r->page, value);
    }
    fputs(" <span class=\"whole\">-o ", r->page);
    const char *slash = strrchr(r->model_path, '/');
    put_word(r->page, slash ? slash + 1 : r->model_path);
    fputs("</span></pre>\n", r->page);
}

static void put_options(const report *r)
{
    size_t count = 0;
    const scadyg_option *table = scadyg_train_option_table(&count);
    fputs("<div class=\"columns\">\n", r->page);
    for (size_t i = 0; i < count; i++) {
        char value[1024];
        if (!is_of_model(&table[i])) continue;
        scadyg_option_text(&table[i], r->info->options, value, sizeof value);
        fprintf(r->page, "<div><span>--%s</span>", table[i].name);
        page_cell(r->page, "span", NULL, *value ? value : "(none)");
        fputs("</div>\n", r->page);
    }
    fputs("</div>\n", r->page);
}

int report_repeat(report *r)
{
    page_section(
        r->page, "repeat", "How to repeat it",
        "The same events, options and version give the same bytes of the model file, on any number of threads. "
        "This makes it again; what is not said has its default.");
    put_command(r);
    put_files(r);
    page_words(r->page, "All options:");
    put_options(r);
    page_section_end(r->page);
    return CLI_OK;
}
