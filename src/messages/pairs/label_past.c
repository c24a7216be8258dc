/* The past of labels: moving averages of what nodes turned to. */
#include "messages/pairs/label_past.h"

#include "base/memory.h"
#include "base/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K = SG_LABEL_RATES, TOP = 10 };

/* ---- One memory ---- */

static void free_memory(sg_label_memory *m)
{
    SG_FREE(m->class_of, m->average);
}

static void clear_memory(sg_label_memory *m)
{
    m->count = 0;
    m->labels = 0;
    memset(m->sum, 0, sizeof m->sum);
}

static int make_room(sg_label_memory *m, size_t count)
{
    return SG_GROW(&m->room, count, SG_ARRAY(m->class_of, 1), SG_ARRAY(m->average, K));
}

/* How much of the averages stays and how much of the next label enters, for each rate. */
static void pass_time(sg_label_memory *m, const double *rate, double time, float *stays, float *enters)
{
    for (size_t k = 0; k < K; k++) {
        const double kept = m->labels ? m->sum[k] * exp(-rate[k] * (time - m->time)) : 0;
        m->sum[k] = kept + 1;
        stays[k] = (float)(kept / m->sum[k]);
        enters[k] = (float)(1 / m->sum[k]);
    }
    m->time = time;
    m->labels++;
}

/* The first entry whose class is not below this one. */
static size_t find_place(const sg_label_memory *m, uint32_t class_of)
{
    return sg_first_uint32(m->class_of, m->count, class_of);
}

static size_t count_new(const sg_label_memory *m, const uint32_t *class_of, size_t count)
{
    size_t fresh = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        while (at < m->count && m->class_of[at] < class_of[i]) at++;
        fresh += at == m->count || m->class_of[at] != class_of[i];
    }
    return fresh;
}

/* Merges a label into the averages, from the end, so that it needs no second place. */
static int take_label(sg_label_memory *m, const double *rate, double time, const uint32_t *class_of,
                      const float *weight, size_t count)
{
    float stays[K], enters[K];
    const size_t fresh = count_new(m, class_of, count);
    if (make_room(m, m->count + fresh)) return -1;
    pass_time(m, rate, time, stays, enters);
    size_t old = m->count, label = count, to = m->count + fresh;
    while (to > 0) {
        const int known = old > 0 && (label == 0 || m->class_of[old - 1] >= class_of[label - 1]);
        const int given = label > 0 && (old == 0 || class_of[label - 1] >= m->class_of[old - 1]);
        const uint32_t class = known ? m->class_of[old - 1] : class_of[label - 1];
        float *out = m->average + --to * K;
        for (size_t k = 0; k < K; k++) {
            const float before = known ? m->average[(old - 1) * K + k] * stays[k] : 0;
            out[k] = before + (given ? weight[label - 1] * enters[k] : 0);
        }
        m->class_of[to] = class;
        old -= (size_t)known;
        label -= (size_t)given;
    }
    m->count += fresh;
    return 0;
}

/* An entry of zeros, unless it is there. */
static int insert_class(sg_label_memory *m, uint32_t class_of)
{
    const size_t at = find_place(m, class_of), behind = m->count - at;
    if (at < m->count && m->class_of[at] == class_of) return 0;
    if (make_room(m, m->count + 1)) return -1;
    memmove(m->class_of + at + 1, m->class_of + at, behind * sizeof *m->class_of);
    memmove(m->average + (at + 1) * K, m->average + at * K, behind * K * sizeof *m->average);
    m->class_of[at] = class_of;
    memset(m->average + at * K, 0, K * sizeof *m->average);
    m->count++;
    return 0;
}

/* ---- All of them ---- */

static int map_classes(sg_label_past *past, const uint32_t *node_of_class)
{
    if (SG_ALLOC(SG_ARRAY(past->class_of_node, past->nodes), SG_ARRAY(past->node_of_class, past->classes)))
        return -1;
    for (size_t i = 0; i < past->nodes; i++) past->class_of_node[i] = SG_NO_CLASS;
    for (size_t c = 0; c < past->classes; c++) {
        past->node_of_class[c] = node_of_class[c];
        if (node_of_class[c] < past->nodes) past->class_of_node[node_of_class[c]] = (uint32_t)c;
    }
    return 0;
}

int sg_label_past_open(sg_label_past *past, size_t nodes, size_t classes, const double rate[SG_LABEL_RATES],
                       const uint32_t *node_of_class, scadyg_error *error)
{
    *past = (sg_label_past){.nodes = nodes, .classes = classes};
    memcpy(past->rate, rate, sizeof past->rate);
    past->of = sg_alloc_zero(nodes, sizeof *past->of);
    past->mean = sg_alloc(classes, sizeof *past->mean);
    if (!past->of || !past->mean || make_room(&past->all, classes) ||
        (node_of_class && map_classes(past, node_of_class))) {
        sg_label_past_close(past);
        return sg_fail_memory(error, "the past of the labels");
    }
    for (size_t c = 0; c < classes; c++) past->all.class_of[c] = (uint32_t)c;
    sg_label_past_clear(past);
    return SCADYG_OK;
}

void sg_label_past_close(sg_label_past *past)
{
    for (size_t i = 0; past->of && i < past->nodes; i++) free_memory(&past->of[i]);
    free_memory(&past->all);
    SG_FREE(past->of, past->mean, past->class_of_node, past->node_of_class);
    *past = (sg_label_past){0};
}

void sg_label_past_clear(sg_label_past *past)
{
    for (size_t i = 0; i < past->nodes; i++) clear_memory(&past->of[i]);
    clear_memory(&past->all);
    past->all.count = past->classes;
    memset(past->all.average, 0, past->classes * K * sizeof *past->all.average);
}

/* Whom u turned to is turned to u: kept with zeros, so that it is among what is asked about them. */
static int add_reverse(sg_label_past *past, uint32_t node, const uint32_t *class_of, size_t count)
{
    const uint32_t own = past->class_of_node ? past->class_of_node[node] : SG_NO_CLASS;
    for (size_t i = 0; own != SG_NO_CLASS && i < count; i++) {
        const uint32_t other = past->node_of_class[class_of[i]];
        if (other < past->nodes && insert_class(&past->of[other], own)) return -1;
    }
    return 0;
}

int sg_label_past_add(sg_label_past *past, const sg_labels *labels, size_t group, scadyg_error *error)
{
    const size_t begin = labels->first_row[group], end = labels->first_row[group + 1];
    const float share = 1 / (float)(end - begin);
    memset(past->mean, 0, past->classes * sizeof *past->mean);
    for (size_t row = begin; row < end; row++) {
        const size_t first = labels->first[row], count = labels->first[row + 1] - first;
        const uint32_t *class_of = labels->class_of + first;
        if (take_label(&past->of[labels->node[row]], past->rate, labels->time[group], class_of,
                       labels->weight + first, count) ||
            add_reverse(past, labels->node[row], class_of, count))
            return sg_fail_memory(error, "the past of the labels");
        for (size_t i = 0; i < count; i++) past->mean[class_of[i]] += labels->weight[first + i] * share;
    }
    if (begin < end &&
        take_label(&past->all, past->rate, labels->time[group], past->all.class_of, past->mean, past->classes))
        return sg_fail_memory(error, "the past of the labels");
    return SCADYG_OK;
}

const float *sg_label_past_find(const sg_label_past *past, uint32_t node, uint32_t class_of)
{
    const sg_label_memory *m = &past->of[node];
    const size_t at = find_place(m, class_of);
    return at < m->count && m->class_of[at] == class_of ? m->average + at * K : NULL;
}

/* ---- Figures of labels ---- */

void sg_label_rates(double gap, double span, double rate[SG_LABEL_RATES])
{
    const double first = gap / 2, last = fmax(span / 2, 4 * gap);
    rate[0] = INFINITY;
    for (int k = 1; k < K; k++) rate[k] = log(2) / (first * pow(last / first, (k - 1) / (double)(K - 2)));
}

static int compare_sizes(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int sg_label_gap(const sg_labels *labels, size_t groups, double *gap, scadyg_error *error)
{
    *gap = 1;
    if (groups < 2) return SCADYG_OK;
    double *gaps = sg_alloc(groups - 1, sizeof *gaps);
    if (!gaps) return sg_fail_memory(error, "the label times");
    for (size_t i = 0; i + 1 < groups; i++) gaps[i] = labels->time[i + 1] - labels->time[i];
    qsort(gaps, groups - 1, sizeof *gaps, compare_sizes);
    if (isfinite(gaps[(groups - 1) / 2])) *gap = gaps[(groups - 1) / 2];
    free(gaps);
    return SCADYG_OK;
}

/* The tenth largest weight of a row, or 0 if it has fewer. */
static float find_tenth(const sg_labels *labels, size_t row)
{
    float top[TOP] = {0};
    for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++) {
        size_t at = TOP;
        for (; at > 0 && labels->weight[i] > top[at - 1]; at--)
            if (at < TOP) top[at] = top[at - 1];
        if (at < TOP) top[at] = labels->weight[i];
    }
    return top[TOP - 1];
}

/* The changes of the largest shares of a row since an earlier one, to change[]; returns how many. */
static size_t list_changes(const sg_labels *labels, size_t row, size_t before, double *change)
{
    const float least = find_tenth(labels, row);
    size_t count = 0, old = labels->first[before];
    for (size_t i = labels->first[row]; i < labels->first[row + 1] && count < TOP; i++) {
        while (old < labels->first[before + 1] && labels->class_of[old] < labels->class_of[i]) old++;
        if (old == labels->first[before + 1]) break;
        if (labels->weight[i] >= least && labels->class_of[old] == labels->class_of[i])
            change[count++] = fabs(log((double)labels->weight[i] / (double)labels->weight[old]));
    }
    return count;
}

int sg_label_noise(const sg_labels *labels, size_t groups, size_t nodes, double *noise, scadyg_error *error)
{
    const size_t rows = labels->first_row[groups];
    size_t *latest = sg_alloc(nodes, sizeof *latest), count = 0;
    double *change = rows <= SIZE_MAX / TOP ? sg_alloc(rows * TOP, sizeof *change) : NULL;
    const int failed = !latest || !change;
    for (size_t i = 0; !failed && i < nodes; i++) latest[i] = SIZE_MAX;
    for (size_t row = 0; !failed && row < rows; row++) {
        size_t *before = &latest[labels->node[row]];
        if (*before != SIZE_MAX) count += list_changes(labels, row, *before, change + count);
        *before = row;
    }
    *noise = 1;
    if (!failed && count) {
        qsort(change, count, sizeof *change, compare_sizes);
        *noise = fmin(1, fmax(change[count / 2], SG_LABEL_NOISE_LEAST));
    }
    SG_FREE(latest, change);
    return failed ? sg_fail_memory(error, "the label times") : SCADYG_OK;
}
