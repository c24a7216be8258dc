/* Which column of a label file is what. */
#include "events/labels_layout.h"

#include "events/import/layout_names.h"
#include "events/time_text.h"

#include <stdio.h>
#include <strings.h>

/* A row of data has at least a time, which is a number or a date; nan is a bad number, but no name. */
static int is_name(const sg_field *field)
{
    double value;
    int has_time;
    return sg_parse_double(field->text, field->length, &value) < 0 &&
           sg_parse_date(field->text, field->length, &value, &has_time) != 0;
}

static int is_one_of(const sg_field *field, const char *const *words)
{
    char name[24];
    if (field->length >= sizeof name) return 0;
    snprintf(name, sizeof name, "%.*s", (int)field->length, field->text);
    for (; *words; words++)
        if (strcasecmp(name, *words) == 0) return 1;
    return 0;
}

/* What a name means here, as a role of an event's column: the node is its source, the class its destination. */
static sg_role role_of(const sg_field *field)
{
    static const char *const nodes[] = {"node", "node_id", "nodeid", "id", NULL};
    static const char *const classes[] = {"class", "class_id", "label", "category", "token", "topic", NULL};
    int known;
    if (!sg_utf8_valid(field->text, field->length)) return SG_ROLE_IGNORE; /* bytes that name nothing, such as 0 */
    if (is_one_of(field, nodes)) return SG_ROLE_SRC;
    if (is_one_of(field, classes)) return SG_ROLE_DST;
    return sg_name_role(field->text, field->length, &known);
}

static int by_name(sg_label_layout *layout, const sg_field *fields, int count, const char *place,
                   scadyg_error *error)
{
    layout->time = layout->node = layout->class_of = layout->weight = -1;
    for (int i = 0; i < count; i++) {
        sg_role role = role_of(&fields[i]);
        int *column = role == SG_ROLE_TIME     ? &layout->time
                      : role == SG_ROLE_SRC    ? &layout->node
                      : role == SG_ROLE_DST    ? &layout->class_of
                      : role == SG_ROLE_WEIGHT ? &layout->weight
                                               : NULL;
        if (!column) continue;
        if (*column >= 0)
            return sg_fail(error, SCADYG_E_LAYOUT,
                           "%s: two columns could be the %s: name them time, node, class, weight", place,
                           role == SG_ROLE_TIME  ? "time"
                           : role == SG_ROLE_SRC ? "node"
                           : role == SG_ROLE_DST ? "class"
                                                 : "weight");
        *column = i;
    }
    const char *missing = layout->time < 0       ? "time"
                          : layout->node < 0     ? "node"
                          : layout->class_of < 0 ? "class"
                                                 : NULL;
    if (!missing) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: no column of the header is the %s: name them time, node, class, weight", place, missing);
}

int sg_label_layout_find(sg_label_layout *layout, const sg_field *fields, int count, const char *place,
                         int *is_header, scadyg_error *error)
{
    layout->columns = count;
    *is_header = 1;
    for (int i = 0; i < count; i++) *is_header &= is_name(&fields[i]);
    if (*is_header) return by_name(layout, fields, count, place, error);
    if (count != 3 && count != 4)
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: the row has %d field%s; time, node, class and weight are needed, or a header that names "
            "them",
            place, count, count == 1 ? "" : "s");
    layout->time = 0;
    layout->node = 1;
    layout->class_of = 2;
    layout->weight = count == 4 ? 3 : -1;
    return SCADYG_OK;
}
