/* Roles: events whose sources and destinations are of one kind made separate, and the other way round. */
#include "events/roles.h"

#include "base/crc32c.h"
#include "base/csv.h"
#include "base/letters.h"
#include "base/memory.h"
#include "events/node_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

/* ---- In words ---- */

/* "users and items are separate: user 7 is not item 7" */
static int describe_things(const char *src, const char *dst, char *buffer, size_t size)
{
    char who[SG_NAME_LONGEST] = "source", what[SG_NAME_LONGEST] = "destination";
    if (!src || !dst || !sg_name_word(src, who) || !sg_name_word(dst, what)) {
        strcpy(who, "source");
        strcpy(what, "destination");
    }
    return snprintf(buffer, size, "%ss and %ss are separate: %s 7 is not %s 7", who, what, who, what);
}

/* The bytes of a name that are shown. */
static int cut_name(const char *name)
{
    return sg_text_cut(name, strlen(name), 60);
}

static void describe_ids(int imported, uint64_t both, const char *otherwise, char *rest, size_t size)
{
    char count[32] = "no";
    if (both) sg_count_text(both, count);
    snprintf(rest, size, " (%s%s id%s on both sides%s%s)", imported ? "so it was imported; " : "", count,
             both > 1 ? "s occur" : " occurs", otherwise ? "; " : "", otherwise ? otherwise : "");
}

void sg_roles_describe(int separate, sg_roles_reason reason, const char *src, const char *dst, uint64_t both,
                       char *buffer, size_t size)
{
    const char *otherwise = separate ? "--one-kind says otherwise" : "--bipartite says otherwise";
    const int used =
        separate ? describe_things(reason == SG_ROLES_ABOVE ? NULL : src, dst, buffer, size)
                 : snprintf(buffer, size, "sources and destinations are of one kind: source 7 is destination 7");
    if (used < 0 || (size_t)used >= size) return;
    char *rest = buffer + used;
    size -= (size_t)used;
    if (reason == SG_ROLES_TOLD)
        snprintf(rest, size, " (%s)", separate ? "--bipartite" : "--one-kind");
    else if (reason == SG_ROLES_NAMES)
        snprintf(rest, size, " (the columns are called %.*s and %.*s; %s)", cut_name(src), src, cut_name(dst), dst,
                 otherwise);
    else if (reason == SG_ROLES_ABOVE)
        snprintf(rest, size, " (the first line says '%% %s'; %s)", src, otherwise);
    else if (reason == SG_ROLES_INPUT)
        snprintf(rest, size, " (as in %.*s)", cut_name(src), src);
    else
        describe_ids(reason == SG_ROLES_FILE && (separate || !both), both,
                     reason == SG_ROLES_IDS ? otherwise : NULL, rest, size);
}

/* ---- What there is ---- */

/* The columns that change, and what becomes of them. */
typedef struct renumbering {
    scadyg_events *events;
    sg_columns columns;
    sg_id_columns ids;
    /* Newly made; NULL: as they were. */
    uint32_t *src, *dst; /* [events] */
    uint32_t *old;       /* [nodes]: which node each was */
    uint8_t *sides;      /* [nodes] */
    uint64_t nodes;
    int64_t *integers; /* [nodes], or: */
    uint64_t *offsets; /* [nodes + 1] */
    char *text;
    float *features;  /* [nodes][node_features] */
    uint32_t *number; /* what nodes become, while it is being done */
} renumbering;

static void close_renumbering(renumbering *r)
{
    SG_FREE(r->src, r->dst, r->old, r->sides, r->integers, r->offsets, r->text, r->features, r->number);
}

static int open_renumbering(renumbering *r, scadyg_context *context, scadyg_events *events, scadyg_error *error)
{
    *r = (renumbering){.events = events, .nodes = events->shape.nodes};
    int status = sg_events_columns(context, events, 0, 1, &r->columns, error);
    return status ? status : sg_id_columns_open(events, &r->ids, error);
}

enum { WAS_SOURCE = 1, WAS_DESTINATION = 2, WAS_BOTH = 3 };

/* On which sides each node of one kind occurs [nodes]; how many on both. */
static int find_sides(const renumbering *r, uint8_t **sides, uint64_t *both, scadyg_error *error)
{
    *sides = sg_alloc_zero((size_t)r->ids.count, 1);
    if (!*sides) return sg_fail_memory(error, "the sides of the nodes");
    for (uint64_t e = 0; e < r->columns.count; e++) {
        (*sides)[r->columns.src[e]] |= WAS_SOURCE;
        (*sides)[r->columns.dst[e]] |= WAS_DESTINATION;
    }
    *both = 0;
    for (uint64_t node = 0; node < r->ids.count; node++) *both += (*sides)[node] == WAS_BOTH;
    return SCADYG_OK;
}

int scadyg_events_roles(scadyg_context *context, scadyg_events *events, char *buffer, size_t size,
                        scadyg_error *error)
{
    renumbering r;
    uint8_t *sides = NULL;
    uint64_t both = 0;
    int status = open_renumbering(&r, context, events, error);
    if (!status && !r.ids.sides) status = find_sides(&r, &sides, &both, error);
    for (uint32_t node = 0; !status && r.ids.sides && node < r.ids.count; node++)
        both += !r.ids.sides[node] && sg_id_other(events, &r.ids, node) != node;
    free(sides);
    if (!status)
        sg_roles_describe(r.ids.sides != NULL, events->by_ids ? SG_ROLES_FOUND : SG_ROLES_FILE, NULL, NULL, both,
                          buffer, size);
    return status;
}

/* ---- Made separate ---- */

/* The number of an old node in a role, by the order of first appearance. */
static uint32_t split_node(renumbering *r, uint32_t node, uint8_t side)
{
    uint32_t *known = &r->number[2 * (uint64_t)node + side];
    if (*known == NO_NODE) {
        r->old[r->nodes] = node;
        r->sides[r->nodes] = side;
        *known = (uint32_t)r->nodes++;
    }
    return *known;
}

/* Some nodes are on both sides, and become two. */
static int split_nodes(renumbering *r, uint64_t both, scadyg_error *error)
{
    const uint64_t events = r->columns.count, most = r->ids.count + both;
    free(r->sides);
    r->sides = NULL;
    if (most >= UINT32_MAX) return sg_fail(error, SCADYG_E_USAGE, "more than 4,294,967,294 nodes");
    if (SG_ALLOC(SG_ARRAY(r->number, 2 * (size_t)r->ids.count), SG_ARRAY(r->old, (size_t)most),
                 SG_ARRAY(r->sides, (size_t)most), SG_ARRAY(r->src, (size_t)events),
                 SG_ARRAY(r->dst, (size_t)events)))
        return sg_fail_memory(error, "numbering the nodes");
    memset(r->number, 0xFF, 2 * (size_t)r->ids.count * sizeof *r->number); /* NO_NODE */
    r->nodes = 0;
    for (uint64_t e = 0; e < events; e++) {
        r->src[e] = split_node(r, r->columns.src[e], 0);
        r->dst[e] = split_node(r, r->columns.dst[e], 1);
    }
    return SCADYG_OK;
}

static int make_separate(renumbering *r, scadyg_error *error)
{
    uint64_t both = 0;
    int status = find_sides(r, &r->sides, &both, error);
    if (status) return status;
    if (both) return split_nodes(r, both, error);
    for (uint64_t node = 0; node < r->nodes; node++) r->sides[node] = r->sides[node] == WAS_DESTINATION;
    return SCADYG_OK;
}

/* ---- Made one kind ---- */

static int check_features(const renumbering *r, uint32_t one, uint32_t other, scadyg_error *error)
{
    const size_t width = r->events->shape.node_features;
    char digits[24];
    const char *id;
    if (!width || memcmp(r->columns.node_features + one * width, r->columns.node_features + other * width,
                         width * sizeof(float)) == 0)
        return SCADYG_OK;
    const size_t length = sg_id_text(&r->ids, one, digits, &id);
    return sg_fail(
        error, SCADYG_E_USAGE,
        "in %s the source '%.*s' and the destination '%.*s' have different features, so they cannot be one "
        "node: import the log with --one-kind, or train a model with --bipartite",
        r->events->path, (int)(length < 60 ? length : 60), id, (int)(length < 60 ? length : 60), id);
}

/* Two nodes with one id become the one that came first. */
static int make_one_kind(renumbering *r, scadyg_error *error)
{
    const uint64_t events = r->columns.count, nodes = r->ids.count;
    if (SG_ALLOC(SG_ARRAY(r->number, (size_t)nodes), SG_ARRAY(r->old, (size_t)nodes),
                 SG_ARRAY(r->src, (size_t)events), SG_ARRAY(r->dst, (size_t)events)))
        return sg_fail_memory(error, "numbering the nodes");
    int status = SCADYG_OK;
    r->nodes = 0;
    for (uint32_t node = 0; node < nodes && !status; node++) {
        const uint32_t other = sg_id_other(r->events, &r->ids, node);
        if (other < node) {
            r->number[node] = r->number[other];
            status = check_features(r, node, other, error);
        } else {
            r->old[r->nodes] = node;
            r->number[node] = (uint32_t)r->nodes++;
        }
    }
    for (uint64_t e = 0; e < events && !status; e++) {
        r->src[e] = r->number[r->columns.src[e]];
        r->dst[e] = r->number[r->columns.dst[e]];
    }
    return status;
}

/* ---- The nodes in their new order ---- */

static int make_texts(renumbering *r, scadyg_error *error)
{
    uint64_t size = 0;
    r->offsets = sg_alloc((size_t)r->nodes + 1, sizeof *r->offsets);
    if (!r->offsets) return sg_fail_memory(error, "the ids");
    for (uint64_t node = 0; node < r->nodes; node++) {
        const uint32_t old = r->old[node];
        r->offsets[node] = size;
        size += r->ids.offsets[old + 1] - r->ids.offsets[old];
    }
    r->offsets[r->nodes] = size;
    r->text = sg_alloc((size_t)size + 1, 1);
    if (!r->text) return sg_fail_memory(error, "the ids");
    for (uint64_t node = 0; node < r->nodes; node++)
        memcpy(r->text + r->offsets[node], r->ids.text + r->ids.offsets[r->old[node]],
               (size_t)(r->offsets[node + 1] - r->offsets[node]));
    return SCADYG_OK;
}

static int make_nodes(renumbering *r, scadyg_error *error)
{
    const size_t width = r->events->shape.node_features;
    int status = SCADYG_OK;
    if (!r->old) return SCADYG_OK;
    if (width && !(r->features = sg_alloc((size_t)r->nodes * width, sizeof *r->features)))
        return sg_fail_memory(error, "node features");
    for (uint64_t node = 0; node < r->nodes && width; node++)
        memcpy(r->features + node * width, r->columns.node_features + r->old[node] * width,
               width * sizeof *r->features);
    if (!r->ids.integers) status = make_texts(r, error);
    if (r->ids.integers && !(r->integers = sg_alloc((size_t)r->nodes, sizeof *r->integers)))
        status = sg_fail_memory(error, "the ids");
    for (uint64_t node = 0; node < r->nodes && r->integers; node++)
        r->integers[node] = r->ids.integers[r->old[node]];
    return status;
}

/* ---- In the place of the file's own ---- */

static void hold(scadyg_events *events, scadyg_column column, void *data)
{
    if (!data) return;
    free(events->held[column]);
    events->held[column] = data;
}

static void install(renumbering *r, int separate)
{
    scadyg_events *events = r->events;
    hold(events, SCADYG_COLUMN_SRC, r->src);
    hold(events, SCADYG_COLUMN_DST, r->dst);
    hold(events, SCADYG_COLUMN_ID_INTEGERS, r->integers);
    hold(events, SCADYG_COLUMN_ID_OFFSETS, r->offsets);
    hold(events, SCADYG_COLUMN_ID_TEXT, r->text);
    hold(events, SCADYG_COLUMN_NODE_FEATURES, r->features);
    hold(events, SCADYG_COLUMN_ID_SIDES, r->sides);
    if (!separate) {
        free(events->held[SCADYG_COLUMN_ID_SIDES]);
        events->held[SCADYG_COLUMN_ID_SIDES] = NULL;
        events->sections[SCADYG_COLUMN_ID_SIDES].offset = 0;
    }
    events->shape.nodes = r->nodes;
    events->shape.two_id_spaces = separate;
    events->by_ids = 0;                          /* it was decided by who asked for it */
    const unsigned char mark = separate ? 2 : 1; /* other data than the file's */
    events->checksum = sg_crc32c(events->checksum, &mark, 1);
    sg_id_index_free(atomic_exchange(&events->id_index, NULL));
    free(atomic_exchange(&events->node_keys, NULL));
    r->src = r->dst = NULL;
    r->integers = NULL;
    r->offsets = NULL;
    r->text = NULL;
    r->features = NULL;
    r->sides = NULL;
}

int scadyg_events_set_roles(scadyg_context *context, scadyg_events *events, int separate, scadyg_error *error)
{
    renumbering r;
    separate = separate != 0;
    if (events->shape.two_id_spaces == separate) return SCADYG_OK;
    int status = open_renumbering(&r, context, events, error);
    if (!status) status = separate ? make_separate(&r, error) : make_one_kind(&r, error);
    if (!status) status = make_nodes(&r, error);
    status = sg_events_finish(status, events, error);
    if (!status) install(&r, separate);
    close_renumbering(&r);
    return status;
}
