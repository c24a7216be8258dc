/* The learning curves. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

static void least_and_most(const double *values, size_t count, double *least, double *most)
{
    *least = *most = NAN;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        *least = fmin(*least, values[i]);
        *most = fmax(*most, values[i]);
    }
}

static void draw_curve(const report *r, const char *id, const char *title, const char *axis, const double *values,
                       const double *epochs, int64_t marked)
{
    const size_t count = (size_t)r->info->epochs;
    double least, most;
    least_and_most(values, count, &least, &most);
    svg_chart chart = {.out = r->page,
                       .name = title,
                       .x = count > 1 ? svg_axis_bare("epoch", 1, (double)count) : svg_axis_bare("epoch", 0, 2),
                       .y = svg_axis_of(axis, least, most)};
    const size_t every = 1 + (count - 1) / (SVG_TICKS - 1);
    for (size_t i = 1; i <= count; i += every) {
        char text[CLI_TEXT];
        snprintf(text, sizeof text, "%zu", i);
        svg_tick_add(&chart.x, (double)i, text);
    }
    page_figure(r->page, id, title);
    svg_begin(&chart);
    svg_line(&chart, epochs, values, count, REPORT_MODEL, count <= 60);
    if (marked > 0 && isfinite(values[marked - 1]))
        svg_dot(&chart, (double)marked, values[marked - 1], 5, REPORT_RULE, "the epoch that was kept");
    svg_end(&chart);
}

static void draw_both(const report *r, const double *epochs)
{
    const scadyg_model_info *info = r->info;
    fputs("<div class=\"figures\">\n", r->page);
    draw_curve(r, "validation", "Validation score by epoch", info->score, info->validations, epochs,
               info->best_epoch);
    const svg_key keys[] = {{"validation score", REPORT_MODEL}, {"the epoch that was kept", REPORT_RULE}};
    if (info->best_epoch)
        page_figure_end(
            r->page, keys, 2,
            "%s on the validation part, which lies between the training part and the test part, after each "
            "pass over the training part. Of %lld epochs number %lld was the best and is the model.",
            info->score, (long long)info->epochs, (long long)info->best_epoch);
    else
        page_figure_end(
            r->page, keys, 1,
            "%s on the validation part after each pass over the training part. No epoch was better than the "
            "start, so the model is as it began.",
            info->score);
    draw_curve(r, "loss", "Loss by epoch", "mean loss", info->losses, epochs, 0);
    page_figure_end(
        r->page, NULL, 0,
        "What training makes small: how far the model's answers on the training part are from what happened. "
        "Where it still falls while the validation score does not rise, the model learns by heart.");
    fputs("</div>\n", r->page);
}

int report_learning(report *r)
{
    const scadyg_model_info *info = r->info;
    if (info->options->model != SCADYG_MODEL_SCADYG) return CLI_OK; /* a rule learns nothing */
    page_section(r->page, "learning", "How it learned", NULL);
    double *epochs = info->losses ? malloc((size_t)info->epochs * sizeof *epochs) : NULL;
    for (int64_t i = 0; epochs && i < info->epochs; i++) epochs[i] = (double)(i + 1);
    if (epochs)
        draw_both(r, epochs);
    else if (info->losses)
        return cli_fail(r->call->command, "not enough memory for the learning curve");
    else
        page_words(r->page, "This model file has no learning curve: it was written by an earlier version.");
    free(epochs);
    page_section_end(r->page);
    return CLI_OK;
}
