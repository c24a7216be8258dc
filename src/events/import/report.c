/* Import: what a person is told of it. */
#include "events/import/import.h"

#include "base/text.h"
#include "events/number_text.h"
#include "events/time_text.h"

#include <stdio.h>

/* An id as text, cut to what a line can bear. */
static void id_text(const sg_id *id, char *out, size_t size)
{
    if (id->length)
        snprintf(out, size, "%.*s", (int)(id->length < size ? id->length : size - 1), id->value.text);
    else
        snprintf(out, size, "%lld", (long long)id->value.integer);
}

int sg_import_show(sg_importer *importer, const sg_text_block *block)
{
    const sg_layout *layout = &importer->layout;
    for (size_t i = 0; i < block->rows && importer->shown_events < SG_FIRST_EVENTS; i++) {
        char src[64], dst[64], time[64], number[32], rest[160] = "";
        id_text(&block->src[i], src, sizeof src);
        id_text(&block->dst[i], dst, sizeof dst);
        scadyg_time_text(layout->dates ? block->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE
                                       : SCADYG_TIME_NUMBER,
                         block->time[i], time);
        size_t used = 0;
        if (layout->weight >= 0) {
            sg_print_float(block->weight[i], number);
            used += (size_t)snprintf(rest + used, sizeof rest - used, "  weight %s", number);
        }
        if (layout->label >= 0) {
            sg_print_float(block->label[i], number);
            used += (size_t)snprintf(rest + used, sizeof rest - used, "  label %s", number);
        }
        for (uint32_t j = 0; j < layout->features && j < 4; j++) {
            sg_print_float(block->features[i * layout->features + j], number);
            used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%s", j ? ", " : "  features ", number);
        }
        if (layout->features > 4) snprintf(rest + used, sizeof rest - used, ", ...");
        if (sg_add_line(&importer->report->first_events, "%s  %s -> %s%s", time, src, dst, rest)) return -1;
        importer->shown_events++;
    }
    return 0;
}
