/*
 * Import, events files among its inputs: joining logs, and appending to one.
 *
 * The first input, if it is an events file, is not taken apart into rows: its events, which are in the order of time, are
 * merged with the rows when all are known (write.c). Further ones become rows like those of text. Ids are matched by
 * their text. What comes out is what an import of all the text would have given, byte for byte.
 */
#include "events/import/import.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR 10 /* times the span of the times before */

/* ---- What the inputs have ---- */

static int fail_apart(const char *file, const char *has, const char *other, const char *other_has, const char *way,
                      scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_LAYOUT, "%s has %s, %s has %s%s%s", file, has, other, other_has,
                   *way ? ": " : "", way);
}

static void name_features(uint32_t count, const char *of, char out[64])
{
    if (count)
        snprintf(out, 64, "%u feature%s per %s", count, sg_plural(count), of);
    else
        snprintf(out, 64, "no %s features", strcmp(of, "event") == 0 ? "edge" : of);
}

static int compare_features(const char *file, uint32_t has, const char *other, uint32_t other_has, const char *of,
                            const char *way, scadyg_error *error)
{
    char one[64], two[64];
    if (has == other_has) return SCADYG_OK;
    name_features(has, of, one);
    name_features(other_has, of, two);
    return fail_apart(file, one, other, two, way, error);
}

#define CHOOSE "choose columns with --columns, or with --weight, --label and --features"

/* Whether a file of this form goes with the log. */
static int compare_forms(const sg_importer *importer, const sg_row_form *form, scadyg_error *error)
{
    const sg_row_form *log = &importer->form;
    const char *way = form->is_text || log->is_text ? CHOOSE : "they cannot be one log";
    static const char *const weights[] = {"no weights", "weights"}, *const labels[] = {"no labels", "labels"},
                             *const times[] = {"numbers for times", "dates for times"};
    if (form->has_weight != log->has_weight)
        return fail_apart(form->file, weights[form->has_weight], log->file, weights[log->has_weight], way, error);
    if (form->has_label != log->has_label)
        return fail_apart(form->file, labels[form->has_label], log->file, labels[log->has_label], way, error);
    if (form->dates != log->dates)
        return fail_apart(form->file, times[form->dates], log->file, times[log->dates],
                          "bring them to one way of writing", error);
    int status = compare_features(form->file, form->features, log->file, log->features, "event", way, error);
    if (!status && !form->is_text)
        status = compare_features(form->file, form->node_features, log->file, log->node_features, "node",
                                  "import both with --node-features", error);
    return status;
}

static sg_row_form get_stored_form(const sg_stored *stored)
{
    const scadyg_shape *shape = stored->shape;
    return (sg_row_form){.file = stored->events->path,
                         .has_weight = shape->has_weight,
                         .has_label = shape->has_label,
                         .dates = shape->time_kind == SCADYG_TIME_DATE || shape->time_kind == SCADYG_TIME_DATETIME,
                         .kinds = !shape->two_id_spaces    ? SG_KINDS_ONE
                                  : stored->events->by_ids ? SG_KINDS_UNSAID
                                                           : SG_KINDS_TWO,
                         .features = shape->edge_features,
                         .node_features = shape->node_features};
}

/* Of files that are separate by their ids alone, those of all files decide. */
static int agree_kinds(sg_importer *importer, const sg_row_form *form, scadyg_error *error)
{
    static const char *const kinds[] = {
        [SG_KINDS_ONE] = "one kind of nodes", [SG_KINDS_TWO] = "separate sources and destinations"};
    sg_row_form *log = &importer->form;
    if (log->kinds == SG_KINDS_UNSAID) log->kinds = form->kinds;
    if (form->kinds == log->kinds || form->kinds == SG_KINDS_UNSAID) return SCADYG_OK;
    return fail_apart(form->file, kinds[form->kinds], log->file, kinds[log->kinds],
                      "import both with --bipartite, or both with --one-kind", error);
}

static int agree_stored(sg_importer *importer, const sg_input_source *source, const sg_stored *stored,
                        scadyg_error *error)
{
    const sg_row_form form = get_stored_form(stored);
    if (importer->form.file) {
        int status = compare_forms(importer, &form, error);
        return status ? status : agree_kinds(importer, &form, error);
    }
    importer->form = form;
    importer->form.file = source->path; /* it stays */
    return SCADYG_OK;
}

int sg_import_agree_text(sg_importer *importer, const sg_layout *layout, scadyg_error *error)
{
    sg_row_form form = {.file = importer->file,
                        .is_text = 1,
                        .has_weight = layout->weight >= 0,
                        .has_label = layout->label >= 0,
                        .dates = layout->dates,
                        .features = layout->features};
    if (!importer->form.file) {
        importer->form = form;
        importer->form.file = "the first text";
        return SCADYG_OK;
    }
    if (importer->form.is_text) return SCADYG_OK; /* compared as layouts */
    if (importer->edge.path) form.features = importer->form.features;
    return compare_forms(importer, &form, error);
}

int sg_import_agree_features(sg_importer *importer, const char *file, uint32_t features, scadyg_error *error)
{
    if (!importer->form.is_text)
        return compare_features(file, features, importer->form.file, importer->form.features, "event", "", error);
    importer->form.features = features;
    return SCADYG_OK;
}

static uint64_t get_resident(const sg_importer *importer)
{
    return importer->memory / SG_RESIDENT_SHARE;
}

/* Caches are made anew from their logs: what is added to one would be lost. */
static int check_appendable(const sg_stored *stored, scadyg_error *error)
{
    if (!stored->events->origin[0]) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE,
                   "%s is the cache of a log, and made anew from it: add rows to the log, or import it with -o and "
                   "append to that",
                   stored->events->path);
}

static int look_at(sg_importer *importer, const sg_input_source *source, int first, scadyg_error *error)
{
    sg_stored stored;
    int status = sg_stored_open(&stored, source, get_resident(importer), error);
    if (status) return status;
    status = agree_stored(importer, source, &stored, error);
    if (!status && first && importer->job->append) {
        importer->rules.has_newest = 1;
        importer->rules.newest = stored.shape->last_time;
        importer->base_kind = stored.shape->time_kind;
        importer->outcome->report.before = stored.shape->events;
        status = check_appendable(&stored, error);
    }
    importer->further_stored |= !first;
    int failed = 0;
    if (!importer->earlier_times)
        importer->earlier_times = sg_reading_value(stored.events->reading, "times", &failed);
    if (!status && failed) status = sg_fail_memory(error, "a format of times");
    sg_stored_close(&stored);
    return status;
}

int sg_import_look_at_stored(sg_importer *importer, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < importer->job->count && !status; i++) {
        const sg_input_source *source = &importer->job->sources[i];
        int stored = 0;
        status = sg_stored_is(source, &stored, error);
        /* What one appends to must be one: opening it says why it is not. */
        if (!status && (stored || (i == 0 && importer->job->append)))
            status = look_at(importer, source, i == 0, error);
    }
    return status ? status : sg_import_stored_roles(importer, error);
}

/* ---- Times ---- */

static int get_kind(const sg_time_span *span)
{
    return sg_time_kind_of(span->first, span->last, span->all_whole);
}

/*
 * Numbers say their unit by their size only. Plain ones that end where unix times could begin may go on as such: seconds
 * since some beginning do so after three years. But only if they go on.
 */
static int go_on(const sg_time_span *plain, const sg_time_span *unix_times)
{
    static const double limits[] = {
        [SCADYG_TIME_UNIX] = 1e10, [SCADYG_TIME_UNIX_MILLI] = 1e13, [SCADYG_TIME_UNIX_MICRO] = 1e16};
    return plain->last < limits[get_kind(unix_times)] &&
           unix_times->first - plain->last <= FAR * (plain->last - plain->first);
}

static int are_of_one_unit(const sg_time_span *a, const sg_time_span *b)
{
    const int kind_a = get_kind(a), kind_b = get_kind(b);
    if (kind_a == kind_b) return 1;
    if (kind_a != SCADYG_TIME_NUMBER && kind_b != SCADYG_TIME_NUMBER) return 0;
    if (kind_a == SCADYG_TIME_YEAR || kind_b == SCADYG_TIME_YEAR) return 1; /* 2000.5, or no years at all */
    return kind_a == SCADYG_TIME_NUMBER ? go_on(a, b) : go_on(b, a);
}

static void describe_span(const sg_time_span *span, char out[192])
{
    char first[64], last[64];
    scadyg_time_text(SCADYG_TIME_NUMBER, span->first, first);
    scadyg_time_text(SCADYG_TIME_NUMBER, span->last, last);
    snprintf(out, 192, "%s from %s to %s", scadyg_time_kind_name(get_kind(span)), first, last);
}

int sg_import_join_times(sg_importer *importer, scadyg_error *error)
{
    sg_time_span *all = &importer->span;
    const sg_time_span *own = &importer->file_span;
    if (own->count && all->count && !importer->form.dates && !are_of_one_unit(all, own)) {
        char before[192], now[192];
        describe_span(all, before);
        describe_span(own, now);
        return sg_fail(error, SCADYG_E_LAYOUT, "the times of %s are %s, those of %s %s: bring them to one unit",
                       importer->file, now, importer->job->append ? importer->form.file : "the input before it",
                       before);
    }
    if (!own->count) return SCADYG_OK;
    sg_span_add(all, own->first);
    sg_span_add(all, own->last);
    all->all_whole &= own->all_whole;
    return SCADYG_OK;
}

/* ---- Nodes ---- */

/* The nodes of a file being numbered, and which of the numbers it has given to one already. */
struct numbering {
    uint32_t *numbers; /* [nodes], NULL: each has its own, as in the file */
    uint64_t *taken;   /* bit for each number */
};

static int fail_twice(const sg_stored *stored, uint32_t node, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: node %u has the id of another", stored->events->path,
                   node);
}

static int number_node(sg_importer *importer, sg_stored *stored, struct numbering *to, uint32_t node,
                       scadyg_error *error)
{
    sg_id id;
    uint32_t number;
    int status = sg_stored_id(stored, &importer->ids.key, node, &id, error);
    if (!status) status = sg_ids_node(&importer->ids, &id, sg_stored_side(stored, node), &number, error);
    if (status) return status;
    if (!to->numbers) return number == node ? SCADYG_OK : fail_twice(stored, node, error);
    if (to->taken[number / 64] >> number % 64 & 1) return fail_twice(stored, node, error);
    to->taken[number / 64] |= (uint64_t)1 << number % 64;
    to->numbers[node] = number;
    return SCADYG_OK;
}

static int number_nodes(sg_importer *importer, sg_stored *stored, struct numbering *to, scadyg_error *error)
{
    const uint64_t nodes = stored->shape->nodes;
    uint64_t budget;
    int status = SCADYG_OK;
    for (uint64_t node = 0; node < nodes && !status; node++) {
        if (node % stored->stretch == 0) {
            sg_stored_at(stored, 0, stored->stretch);
            status = sg_import_row_budget(importer, &budget, error);
        }
        if (!status) status = number_node(importer, stored, to, (uint32_t)node, error);
    }
    return status;
}

static uint64_t count_held(const sg_importer *importer, const sg_stored *stored)
{
    return 4 * stored->shape->nodes + (importer->ids.count + stored->shape->nodes) / 8 + 8;
}

static int open_numbering(const sg_importer *importer, const sg_stored *stored, struct numbering *to,
                          scadyg_error *error)
{
    const size_t most = importer->ids.count + (size_t)stored->shape->nodes;
    to->numbers = sg_alloc((size_t)stored->shape->nodes, sizeof *to->numbers);
    to->taken = sg_alloc_zero(most / 64 + 1, sizeof *to->taken);
    return to->numbers && to->taken ? SCADYG_OK : sg_fail_memory(error, "the nodes of an events file");
}

/* ---- Node features: a home is which of the further files has them, from 1, and the node there; 0 is the base ---- */

static const float *get_features(const sg_stored *stored, uint32_t node)
{
    return stored->node_features + (size_t)node * stored->shape->node_features;
}

static int has_features(const sg_stored *stored, uint32_t node)
{
    const float *row = get_features(stored, node);
    uint32_t zeros = 0;
    while (zeros < stored->shape->node_features && row[zeros] == 0) zeros++;
    return zeros < stored->shape->node_features;
}

/* Where the features of a node are, or NULL. */
static const float *find_features(sg_importer *importer, uint32_t node)
{
    const uint64_t home = node < importer->home_count ? importer->homes[node] : 0;
    sg_stored *stored = home ? &importer->further[(home >> 32) - 1] : &importer->base;
    const uint32_t there = home ? (uint32_t)home : node;
    if (!stored->events || !stored->node_features || there >= stored->shape->nodes) return NULL;
    sg_stored_at(stored, 0, 1);
    return get_features(stored, there);
}

void sg_import_stored_features(sg_importer *importer, uint32_t node, float *row, int *found)
{
    const size_t size = importer->form.node_features * sizeof *row;
    const float *have = find_features(importer, node);
    *found = have != NULL;
    if (have)
        memcpy(row, have, size);
    else
        memset(row, 0, size);
}

static int grow_homes(sg_importer *importer, scadyg_error *error)
{
    size_t count = importer->home_count;
    if (sg_grow(&importer->homes, &count, importer->ids.count, sizeof *importer->homes))
        return sg_fail_memory(error, "the nodes of an events file");
    memset(importer->homes + importer->home_count, 0, (count - importer->home_count) * sizeof *importer->homes);
    importer->held += (count - importer->home_count) * sizeof *importer->homes;
    importer->home_count = count;
    return SCADYG_OK;
}

/* A later file has the say; where it has only zeros, as nodes without features have, it says nothing. */
static int take_node_features(sg_importer *importer, sg_stored *stored, const struct numbering *from,
                              scadyg_error *error)
{
    const uint64_t place = (uint64_t)(importer->further_count + 1) << 32;
    const size_t size = stored->shape->node_features * sizeof(float);
    int status = grow_homes(importer, error);
    if (!status && sg_grow(&importer->further, &importer->further_capacity, importer->further_count + 1,
                           sizeof *importer->further))
        status = sg_fail_memory(error, "the nodes of an events file");
    for (uint32_t node = 0; node < stored->shape->nodes && !status; node++) {
        sg_stored_at(stored, 0, 1);
        if (!has_features(stored, node)) continue;
        const float *before = find_features(importer, from->numbers[node]);
        importer->changed_nodes += before && memcmp(before, get_features(stored, node), size) != 0;
        importer->homes[from->numbers[node]] = place | node;
    }
    if (status) return status;
    sg_stored_rest(stored);
    importer->further[importer->further_count++] = *stored;
    *stored = (sg_stored){0};
    return SCADYG_OK;
}

/* ---- Events ---- */

/* Which number the next node that appears must have. */
static void follow_order(uint32_t node, uint64_t *next, int *in_order)
{
    if (node > *next) *in_order = 0;
    *next += node == *next;
}

static void vote_event(sg_importer *importer, const sg_stored *stored, uint64_t i, uint32_t src, uint32_t dst)
{
    const size_t weight = stored->weight != NULL, width = stored->shape->edge_features;
    sg_checks_vote(&importer->checks, src, dst, weight ? &stored->weight[i] : NULL, 0, weight);
    if (width && importer->checks.columns > weight)
        sg_checks_vote(&importer->checks, src, dst, stored->features + i * width, weight, width);
    if (!importer->sums) return;
    if (stored->weight) sg_import_sum(importer, 0, stored->weight[i]);
    if (stored->label) sg_import_sum(importer, 1, stored->label[i]);
    for (size_t k = 0; k < width; k++) sg_import_sum(importer, 2 + k, stored->features[i * width + k]);
}

static int add_row(sg_importer *importer, const sg_stored *stored, uint64_t i, uint32_t src, uint32_t dst,
                   uint64_t budget, scadyg_error *error)
{
    const sg_row_places *places = &importer->places;
    const sg_row head = {stored->time[i], src, dst};
    const size_t width = stored->shape->edge_features;
    const uint64_t none = SG_NO_MATRIX_ROW;
    void *record;
    int status = sg_row_store_add(importer->rows, head.time, budget, &record, error);
    if (status) return status;
    unsigned char *bytes = record;
    if (sg_row_store_count(importer->rows) == 1) importer->first_row = head.time;
    memcpy(bytes, &head, sizeof head);
    if (places->weight) memcpy(bytes + places->weight, &stored->weight[i], 4);
    if (places->label) memcpy(bytes + places->label, &stored->label[i], 4);
    if (places->index) memcpy(bytes + places->index, &none, 8);
    if (places->features) memcpy(bytes + places->features, stored->features + i * width, 4 * width);
    return SCADYG_OK;
}

static int check_sides(const sg_importer *importer, const sg_stored *stored, uint32_t src, uint32_t dst,
                       scadyg_error *error)
{
    const uint8_t *kinds = importer->ids.kinds;
    if (importer->ids.spaces == 1 || (!(kinds[src] & SG_ID_DESTINATION) && kinds[dst] & SG_ID_DESTINATION))
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: its id side section has values out of range",
                   stored->events->path);
}

/* Before a stretch: what it takes, how far it is, and whether the file is as it was. */
static int begin_stretch(sg_importer *importer, sg_stored *stored, uint64_t at, uint64_t *budget,
                         scadyg_error *error)
{
    const uint64_t events = stored->shape->events;
    sg_stored_at(stored, stored->stretch, 0);
    int status = sg_import_row_budget(importer, budget, error);
    if (!status)
        status = sg_events_report(
            importer->context, stored->events, "reading",
            importer->bytes_before + (uint64_t)((double)stored->events->mapping.size * (double)at / (double)events),
            importer->bytes_total, error);
    return status;
}

/* Those of the base stay where they are; others become rows. */
static int take_events(sg_importer *importer, sg_stored *stored, const struct numbering *from, scadyg_error *error)
{
    uint64_t next = 0, budget = 0;
    const int to_rows = from->numbers != NULL;
    int status = SCADYG_OK;
    stored->in_order = 1;
    for (uint64_t i = 0; i < stored->shape->events && !status; i++) {
        if (i % stored->stretch == 0) status = begin_stretch(importer, stored, i, &budget, error);
        if (status) return status;
        uint32_t src = stored->src[i], dst = stored->dst[i];
        follow_order(src, &next, &stored->in_order);
        follow_order(dst, &next, &stored->in_order);
        if (to_rows) src = from->numbers[src], dst = from->numbers[dst];
        status = check_sides(importer, stored, src, dst, error);
        if (importer->kinds == SG_KINDS_UNSAID) sg_ids_mark(&importer->ids, src, dst);
        sg_span_add(&importer->file_span, stored->time[i]);
        importer->file_span.all_whole &= stored->time[i] == floor(stored->time[i]);
        vote_event(importer, stored, i, src, dst);
        if (to_rows && !status) status = add_row(importer, stored, i, src, dst, budget, error);
    }
    stored->in_order &= next == stored->shape->nodes;
    importer->any_strange_order |= !stored->in_order;
    importer->any_clock |= stored->shape->time_kind == SCADYG_TIME_DATETIME;
    return status;
}

/* ---- One file ---- */

static int note_late_events(sg_importer *importer, const sg_stored *stored, scadyg_error *error)
{
    if (!importer->rules.has_newest) return SCADYG_OK;
    const uint64_t late = sg_events_before(stored->time, stored->shape->events, importer->rules.newest);
    return late ? sg_import_note_late(importer, late, 1, stored->time[0], error) : SCADYG_OK;
}

/* Of what is to come: it says what a row holds if no row came before. */
static int begin_further(sg_importer *importer, scadyg_error *error)
{
    const sg_row_form *form = &importer->form;
    if (!importer->rows)
        importer->places =
            sg_row_places_make(form->has_weight, form->has_label, importer->edge.path != NULL, form->features);
    int status = SCADYG_OK;
    if (importer->job->plan)
        importer->plan = *importer->job->plan;
    else
        status = sg_import_plan_stored(&importer->plan, importer->memory, &importer->places, importer->file, error);
    if (!status) status = sg_import_begin(importer, error);
    return status;
}

static int take_base(sg_importer *importer, const sg_stored *stored, scadyg_error *error)
{
    struct numbering none = {0};
    importer->base = *stored;
    int status = number_nodes(importer, &importer->base, &none, error);
    if (!status) status = take_events(importer, &importer->base, &none, error);
    sg_stored_rest(&importer->base);
    return status;
}

static int take_further(sg_importer *importer, sg_stored *stored, scadyg_error *error)
{
    struct numbering numbering = {0};
    const uint64_t held = count_held(importer, stored);
    int status = note_late_events(importer, stored, error);
    if (status || (importer->outcome->report.late && importer->options->late == SG_LATE_REFUSE)) return status;
    importer->held += held;
    status = sg_import_begin_rows(importer, error);
    if (!status) status = open_numbering(importer, stored, &numbering, error);
    if (!status) status = number_nodes(importer, stored, &numbering, error);
    if (!status) status = take_events(importer, stored, &numbering, error);
    if (!status && stored->node_features) status = take_node_features(importer, stored, &numbering, error);
    SG_FREE(numbering.numbers, numbering.taken);
    importer->held -= held;
    return status;
}

static int take_stored(sg_importer *importer, sg_stored *stored, int is_base, scadyg_error *error)
{
    const int shown = !is_base || !importer->job->append;
    int status = agree_stored(importer, &importer->job->sources[0], stored, error);
    if (!status) status = sg_import_describe_stored(importer, stored, error);
    if (!status) status = sg_stored_columns(importer->context, stored, error);
    if (!status && shown) status = sg_import_show_stored(importer, stored, error);
    if (status) return status;
    if (shown) importer->outcome->report.rows += stored->shape->events;
    if (importer->job->look) return is_base ? SCADYG_OK : note_late_events(importer, stored, error);
    status = begin_further(importer, error);
    if (status) return status;
    if (!is_base) return take_further(importer, stored, error);
    status = take_base(importer, stored, error);
    *stored = (sg_stored){0}; /* it is the importer's now */
    return status;
}

int sg_import_stored(sg_importer *importer, const sg_input_source *source, scadyg_error *error)
{
    sg_stored stored;
    int status = sg_stored_open(&stored, source, get_resident(importer), error);
    if (status) return status;
    const uint64_t size = stored.events->mapping.size;
    importer->file = source->path;
    importer->input = NULL;
    status = take_stored(importer, &stored, source == importer->job->sources, error);
    if (!status) status = sg_import_join_times(importer, error);
    importer->bytes_before += size;
    sg_stored_close(&stored);
    return status;
}
