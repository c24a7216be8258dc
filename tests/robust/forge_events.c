/* Forged events files. */
#include "robust/forge.h"

#include "cmocka_all.h"

#include "events/sample.h"

#include "base/crc32c.h"
#include "events/format.h"
#include "robust/scratch.h"
#include "train_options.h"

#include <math.h>

enum { EVENTS = 300, NODES = 40, MAKES = 4, MODELS = 3 };

/* A file in parts: what is in the header, and the bytes of each column. */
typedef struct parts {
    sg_events_header header;
    struct column {
        uint32_t column;
        size_t size;
        unsigned char *bytes;
    } columns[SG_SECTION_LIMIT];
    size_t count;
} parts;

static parts good[MAKES];
static scadyg_model *models[MAKES][MODELS];
static char *folder;

/* ---- Good files: ids as integers or text, one side or two, bare or with everything ---- */

static void write_good(int make, const char *path)
{
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    static float numbers[EVENTS * 4];
    static int64_t integers[NODES];
    static char texts[NODES][16];
    static const char *names[NODES];
    static uint8_t sides[NODES];
    const int two = make & 1, full = make >> 1;
    sg_rng rng;
    sg_rng_seed(&rng, 5, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        integers[i] = (int64_t)i * 1000 - 7;
        snprintf(texts[i], sizeof texts[i], "n\xc3\xb6%u", i);
        names[i] = texts[i];
        sides[i] = i % 2;
    }
    for (uint32_t i = 0; i < EVENTS; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES / 2) * 2;
        dst[i] = (src[i] * 3 + (uint32_t)sg_rng_below(&rng, 4) * 2 + 1) % NODES | 1;
        time[i] = i ? time[i - 1] + (double)sg_rng_below(&rng, 5) : 1e9;
    }
    for (int i = 0; i < EVENTS * 4; i++) numbers[i] = (float)sg_rng_normal(&rng);
    const sample s = {
        .shape = {.events = EVENTS, .nodes = NODES, .edge_features = full ? 2 : 0, .node_features = full ? 3 : 0},
        .src = src,
        .dst = dst,
        .time = time,
        .weight = full ? numbers : NULL,
        .label = full ? numbers : NULL,
        .edge_features = full ? numbers : NULL,
        .node_features = full ? numbers : NULL,
        .integers = full ? NULL : integers,
        .names = full ? names : NULL,
        .sides = two ? sides : NULL};
    sample_write(path, &s);
}

static void take_apart(const char *path, parts *out)
{
    size_t size;
    unsigned char *bytes = scratch_read(path, &size);
    PROMISE(bytes);
    memcpy(&out->header, bytes, sizeof out->header);
    out->count = out->header.section_count;
    for (size_t i = 0; i < out->count; i++) {
        sg_section section;
        memcpy(&section, bytes + sizeof out->header + i * sizeof section, sizeof section);
        struct column *c = &out->columns[i];
        *c = (struct column){section.column, section.size, malloc(section.size)};
        PROMISE(c->bytes);
        memcpy(c->bytes, bytes + section.offset, section.size);
    }
    free(bytes);
}

static void train_models(int make, const char *path)
{
    static const char *const kinds[MODELS][2] = {
        {"scadyg", "epochs=1 hidden=4 steps=10 fallback=0"},
        {"scadyg-paper", "epochs=1 hidden=4 steps=10 node-features=random:4"},
        {"popularity", "steps=10"}};
    scadyg_events *events = sample_open(path);
    for (int i = 0; i < MODELS; i++) {
        scadyg_options *options = train_options(kinds[i][0], "link", kinds[i][1]);
        scadyg_error error;
        if (scadyg_train(NULL, events, options, NULL, 0, NULL, &models[make][i], &error)) {
            fprintf(stderr, "%s\n", error.message);
            abort();
        }
        scadyg_options_close(options);
    }
    scadyg_events_close(events);
}

static void prepare(const char *directory)
{
    static const char rows[] = "src,dst,time\n-7,993,1000000000\n1993,5,1000000500\n";
    folder = strdup(directory);
    scratch_write(scratch_path(directory, "rows.csv"), rows, strlen(rows));
    for (int make = 0; make < MAKES; make++) {
        const char *path = scratch_path(directory, "good.events");
        write_good(make, path);
        take_apart(path, &good[make]);
        train_models(make, path);
    }
}

/* ---- Contents ---- */

static struct column *find(parts *p, uint32_t column)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->columns[i].column == column) return &p->columns[i];
    return NULL;
}

/* Text that is none, or none that anybody expects. */
static void forge_text(sg_rng *rng, struct column *c)
{
    static const char *const pieces[] = {"\xFF",    "\xC3", "\xED\xA0\x80", "\xF8\x88\x80\x80\x80",
                                         "\x1B[2J", "\n",   "`x`",          "\xE2\x80\xAE",
                                         "\"",      "<b>",  "%n",           "../../x"};
    const char *piece = pieces[sg_rng_below(rng, sizeof pieces / sizeof *pieces)];
    const size_t length = sg_rng_below(rng, 8) ? strlen(piece) : 1, at = sg_rng_below(rng, c->size - length);
    memcpy(c->bytes + at, length == 1 && sg_rng_below(rng, 2) ? "" : piece, length);
}

/* One element becomes another of the column, or all of them one. */
static void repeat_element(sg_rng *rng, struct column *c, size_t width)
{
    const size_t count = c->size / width, from = sg_rng_below(rng, count);
    for (size_t i = 0; i < count; i++)
        if (sg_rng_below(rng, 8) == 0 || from % 3 == 0)
            memmove(c->bytes + i * width, c->bytes + from * width, width);
}

static void forge_content(sg_rng *rng, parts *p, char *what, size_t size)
{
    struct column *c = &p->columns[sg_rng_below(rng, p->count)];
    const size_t wide = c->column == SCADYG_COLUMN_TIME || c->column == SCADYG_COLUMN_ID_INTEGERS ||
                                c->column == SCADYG_COLUMN_ID_OFFSETS
                            ? 8
                        : c->column == SCADYG_COLUMN_ID_TEXT || c->column == SCADYG_COLUMN_ID_SIDES ? 1
                                                                                                    : 4;
    char more[128] = "";
    if (c->column == SCADYG_COLUMN_ID_TEXT && sg_rng_below(rng, 2))
        forge_text(rng, c);
    else if (sg_rng_below(rng, 4) == 0)
        repeat_element(rng, c, wide);
    else
        forge_number(rng, c->bytes, c->size, wide, more, sizeof more);
    /* The header says what the first and the last time are: that must be right too, or nothing else is looked at. */
    if (c->column == SCADYG_COLUMN_TIME) {
        memcpy(&p->header.first_time, c->bytes, 8);
        memcpy(&p->header.last_time, c->bytes + c->size - 8, 8);
    }
    snprintf(what, size, "column %u: %s", c->column, more);
}

/* ---- Shape ---- */

static void resize(struct column *c, size_t size)
{
    unsigned char *bytes = calloc(1, size + 1);
    PROMISE(bytes);
    if (c->size) memcpy(bytes, c->bytes, size < c->size ? size : c->size);
    free(c->bytes);
    c->bytes = bytes;
    c->size = size;
}

static void forge_columns(sg_rng *rng, parts *p, char *what, size_t size)
{
    struct column *one = &p->columns[sg_rng_below(rng, p->count)],
                  *other = &p->columns[sg_rng_below(rng, p->count)];
    const uint32_t kept = one->column;
    const int how = (int)sg_rng_below(rng, 4);
    if (how == 0) one->column = other->column, other->column = kept;
    if (how == 1) resize(one, sg_rng_below(rng, 2 * one->size + 64));
    if (how == 2) one->column = (uint32_t)sg_rng_below(rng, 14);
    if (how == 3 && p->count < SG_SECTION_LIMIT) {
        p->columns[p->count] = (struct column){(uint32_t)sg_rng_below(rng, 14), 0, NULL};
        resize(&p->columns[p->count++], one->size);
    }
    snprintf(what, size, "columns %u and %u, way %d", kept, other->column, how);
}

/* Fewer or more nodes or features than before, with columns of the right lengths. */
static void forge_counts(sg_rng *rng, parts *p, char *what, size_t size)
{
    struct column *ids = find(p, SCADYG_COLUMN_ID_INTEGERS), *edges = find(p, SCADYG_COLUMN_EDGE_FEATURES),
                  *sides = find(p, SCADYG_COLUMN_ID_SIDES);
    if (ids && sg_rng_below(rng, 2)) {
        static const uint64_t counts[] = {1, 39, 41, 5000, 100000};
        p->header.nodes = counts[sg_rng_below(rng, 5)];
        const size_t was = ids->size / 8;
        resize(ids, p->header.nodes * 8);
        for (size_t i = was; i < p->header.nodes; i++) {
            const int64_t id = sg_rng_below(rng, 50) ? (int64_t)i << 40 : 0;
            memcpy(ids->bytes + 8 * i, &id, 8);
        }
        if (sides) resize(sides, p->header.nodes);
    } else if (edges) {
        p->header.edge_features = (uint32_t)(1 + sg_rng_below(rng, 500));
        resize(edges, (size_t)EVENTS * p->header.edge_features * 4);
    }
    snprintf(what, size, "%llu nodes, %u edge features", (unsigned long long)p->header.nodes,
             p->header.edge_features);
}

static void forge_header(sg_rng *rng, parts *p, char *what, size_t size)
{
    char more[128] = "";
    unsigned char *from = (unsigned char *)&p->header + offsetof(sg_events_header, events);
    forge_number(rng, from, offsetof(sg_events_header, reserved) - offsetof(sg_events_header, events),
                 sg_rng_below(rng, 2) ? 4 : 8, more, sizeof more);
    snprintf(what, size, "header: %s", more);
}

/* ---- Put together again, with right checksums; now and then the table of sections is forged too ---- */

static void put_together(sg_rng *rng, parts *p, const char *path)
{
    sg_section table[SG_SECTION_LIMIT] = {0};
    size_t end = sizeof p->header + p->count * sizeof *table;
    for (size_t i = 0; i < p->count; i++) {
        const struct column *c = &p->columns[i];
        end = (end + SG_SECTION_ALIGNMENT - 1) / SG_SECTION_ALIGNMENT * SG_SECTION_ALIGNMENT;
        table[i] = (sg_section){c->column, sg_crc32c(0, c->bytes, c->size), end, c->size, 0};
        end += c->size;
    }
    unsigned char *bytes = calloc(1, end);
    PROMISE(bytes);
    for (size_t i = 0; i < p->count; i++) memcpy(bytes + table[i].offset, p->columns[i].bytes, p->columns[i].size);
    p->header.section_count = (uint32_t)p->count;
    p->header.file_size = end;
    if (sg_rng_below(rng, 12) == 0) {
        char what[64];
        sg_section *one = &table[sg_rng_below(rng, p->count)];
        forge_number(rng, (unsigned char *)one, sizeof *one, 8, what, sizeof what);
        if (one->offset < end && one->size <= end - one->offset)
            one->crc = sg_crc32c(0, bytes + one->offset, one->size);
    }
    p->header.crc = 0;
    p->header.crc = sg_crc32c(sg_crc32c(0, &p->header, sizeof p->header), table, p->count * sizeof *table);
    memcpy(bytes, &p->header, sizeof p->header);
    memcpy(bytes + sizeof p->header, table, p->count * sizeof *table);
    scratch_write(path, bytes, end);
    free(bytes);
}

static void forge(sg_rng *rng, const char *path, char *what, size_t size)
{
    static void (*const ways[])(sg_rng *, parts *, char *, size_t) = {
        forge_content, forge_content, forge_content, forge_content, forge_columns, forge_counts, forge_header};
    parts copy = good[sg_rng_below(rng, MAKES)];
    for (size_t i = 0; i < copy.count; i++) {
        const unsigned char *from = copy.columns[i].bytes;
        copy.columns[i].bytes = malloc(copy.columns[i].size);
        PROMISE(copy.columns[i].bytes);
        memcpy(copy.columns[i].bytes, from, copy.columns[i].size);
    }
    for (uint64_t changes = 1 + sg_rng_below(rng, 3); changes && strlen(what) + 2 < size; changes--) {
        const size_t used = strlen(what);
        ways[sg_rng_below(rng, sizeof ways / sizeof *ways)](rng, &copy, what + used, size - used - 2);
        strcat(what, "; ");
    }
    put_together(rng, &copy, path);
    for (size_t i = 0; i < copy.count; i++) free(copy.columns[i].bytes);
}

/* ---- Used ---- */

static void use_names(scadyg_events *events)
{
    const uint64_t nodes = scadyg_events_shape(events)->nodes;
    scadyg_error error;
    for (uint64_t node = 0; node < nodes; node += 1 + nodes / 50) {
        char name[64];
        size_t length = 0;
        uint32_t found;
        int role;
        if (forge_told(scadyg_node_name(events, (uint32_t)node, name, sizeof name, &length, &error), &error))
            return;
        PROMISE(length > 0);
        if (length >= sizeof name) continue;
        PROMISE(scadyg_node_role(events, (uint32_t)node, &role, &error) == SCADYG_OK);
        PROMISE(forge_told(scadyg_node_find(events, role, name, &found, &error), &error) == SCADYG_OK &&
                found == node);
    }
}

static void use_model(scadyg_events *events, const scadyg_model *model)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    scadyg_predictor *predictor;
    scadyg_error error;
    if (forge_told(scadyg_predictor_open(forge_context(), model, events, &predictor, &error), &error)) return;
    const uint32_t last = (uint32_t)shape->nodes - 1, src[] = {0, last, 0}, dst[] = {last, 0, 0};
    const double time[] = {shape->last_time, shape->first_time, shape->first_time / 2 + shape->last_time / 2};
    double scores[8];
    uint32_t best[8];
    size_t count = 0;
    float *rows = calloc(3 * (scadyg_model_look(model)->width + 1), sizeof *rows);
    PROMISE(rows);
    (void)forge_told(scadyg_predict(predictor, src, dst, time, 3, scores, &error), &error);
    if (!forge_told(scadyg_rank(predictor, 0, shape->last_time, 0, 8, best, scores, NULL, &count, &error), &error))
        for (size_t i = 0; i < count; i++) PROMISE(best[i] < shape->nodes);
    if (scadyg_model_look(model)->learns)
        (void)forge_told(scadyg_embed(predictor, shape->last_time, src, 3, rows, &error), &error);
    free(rows);
    scadyg_predictor_close(predictor);
}

static void evaluate(scadyg_events *events, const scadyg_model *model)
{
    static const char *const protocols[] = {"protocol=paper queries=20", "protocol=dyglib queries=20",
                                            "protocol=tgb-link queries=20"};
    for (int i = 0; i < 3; i++) {
        scadyg_options *options = set_options("evaluate", protocols[i]);
        scadyg_result *result = NULL;
        scadyg_error error;
        if (!forge_told(scadyg_evaluate(forge_context(), model, events, options, &result, &error), &error))
            scadyg_result_free(result);
        scadyg_options_close(options);
    }
}

/* Appended to, and joined with others in either order. What comes out is sound, whatever went in. */
static void join(const char *path)
{
    char text[4096], other[4096], output[4096];
    snprintf(text, sizeof text, "%s/rows.csv", folder);
    snprintf(other, sizeof other, "%s/good.events", folder);
    snprintf(output, sizeof output, "%s/joined.events", folder);
    const char *const orders[][2] = {{path, text}, {text, path}, {path, other}, {other, path}};
    for (size_t i = 0; i < 4; i++) {
        scadyg_error error;
        scadyg_events *events;
        if (forge_told(scadyg_import(forge_context(), orders[i], 2, output, NULL, NULL, &error), &error)) continue;
        PROMISE(!scadyg_events_open(output, &events, &error));
        PROMISE(!scadyg_events_verify(forge_context(), events, &error));
        scadyg_events_close(events);
    }
}

/* Answered: it was sound in the end, and not only looked at. */
static int use(const char *path)
{
    scadyg_events *events;
    scadyg_error error;
    if (forge_told(scadyg_events_open(path, &events, &error), &error)) return 0;
    scadyg_info *info = NULL;
    if (!forge_told(scadyg_info_compute(forge_context(), events, &info, &error), &error)) scadyg_info_free(info);
    use_names(events);
    for (int make = 0; make < MAKES; make++)
        for (int i = 0; i < MODELS; i++) use_model(events, models[make][i]);
    evaluate(events, models[0][0]);
    (void)forge_told(scadyg_export(forge_context(), events, scratch_path(folder, "x.csv"), &error), &error);
    join(path);
    const int status = forge_told(scadyg_events_verify(forge_context(), events, &error), &error);
    scadyg_events_close(events);
    return !status;
}

const forger forge_events = {"events", prepare, forge, use};
