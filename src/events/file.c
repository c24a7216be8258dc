/* The .events file, read. */
#include "events/file.h"

#include "base/crc32c.h"
#include "base/finite.h"
#include "base/memory.h"
#include "events/node_id.h"
#include "events/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t sg_column_size(const scadyg_shape *shape, scadyg_column column)
{
    switch (column) {
    case SCADYG_COLUMN_SRC:
    case SCADYG_COLUMN_DST:
    case SCADYG_COLUMN_WEIGHT:
    case SCADYG_COLUMN_LABEL: return 4;
    case SCADYG_COLUMN_TIME:
    case SCADYG_COLUMN_ID_INTEGERS:
    case SCADYG_COLUMN_ID_OFFSETS: return 8;
    case SCADYG_COLUMN_EDGE_FEATURES: return 4 * (uint64_t)shape->edge_features;
    case SCADYG_COLUMN_NODE_FEATURES: return 4 * (uint64_t)shape->node_features;
    case SCADYG_COLUMN_ID_SIDES: return 1;
    case SCADYG_COLUMN_ID_TEXT: return 0;
    }
    return 0;
}

const char *sg_column_name(scadyg_column column)
{
    static const char *const names[] = {"header",  "source",       "destination",  "time", "weight",
                                        "label",   "edge feature", "node feature", "id",   "id offset",
                                        "id text", "id side",      "reading"};
    return (size_t)column < sizeof names / sizeof *names ? names[column] : "unknown";
}

/* How many elements a column must have. The id text is not asked for: its size is free. */
static uint64_t count_elements(const scadyg_shape *shape, scadyg_column column)
{
    switch (column) {
    case SCADYG_COLUMN_NODE_FEATURES:
    case SCADYG_COLUMN_ID_INTEGERS:
    case SCADYG_COLUMN_ID_SIDES: return shape->nodes;
    case SCADYG_COLUMN_ID_OFFSETS: return shape->nodes + 1;
    default: return shape->events;
    }
}

static int fail_damaged(const scadyg_events *events, const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", events->path, reason);
}

static int check_section(const scadyg_events *events, const sg_section *section, uint64_t table_end,
                         scadyg_error *error)
{
    uint64_t end;
    if (section->column == 0 || section->column > SG_SECTION_READING)
        return fail_damaged(events, "unknown section", error);
    if (events->sections[section->column].offset) return fail_damaged(events, "a section occurs twice", error);
    if (section->offset < table_end || section->offset % SG_SECTION_ALIGNMENT ||
        __builtin_add_overflow(section->offset, section->size, &end) || end > events->mapping.size)
        return fail_damaged(events, "a section lies outside the file", error);
    for (int other = SCADYG_COLUMN_SRC; other <= SG_SECTION_READING; other++) {
        const sg_section *it = &events->sections[other];
        if (it->offset && section->offset < it->offset + it->size && it->offset < end)
            return fail_damaged(events, "two sections overlap", error);
    }
    if (section->column == SCADYG_COLUMN_ID_TEXT || section->column == SG_SECTION_READING) return SCADYG_OK;
    uint64_t elements = count_elements(&events->shape, (scadyg_column)section->column), size;
    if (__builtin_mul_overflow(elements, sg_column_size(&events->shape, (scadyg_column)section->column), &size) ||
        size != section->size || size == 0)
        return fail_damaged(events, "a section has the wrong size", error);
    return SCADYG_OK;
}

static int check_presence(const scadyg_events *events, scadyg_error *error)
{
    const sg_section *sections = events->sections;
    const scadyg_shape *shape = &events->shape;
    int offsets = sections[SCADYG_COLUMN_ID_OFFSETS].offset != 0;
    if (!sections[SCADYG_COLUMN_SRC].offset || !sections[SCADYG_COLUMN_DST].offset ||
        !sections[SCADYG_COLUMN_TIME].offset || offsets == (sections[SCADYG_COLUMN_ID_INTEGERS].offset != 0) ||
        offsets != (sections[SCADYG_COLUMN_ID_TEXT].offset != 0) ||
        (shape->edge_features != 0) != (sections[SCADYG_COLUMN_EDGE_FEATURES].offset != 0) ||
        (shape->node_features != 0) != (sections[SCADYG_COLUMN_NODE_FEATURES].offset != 0) ||
        shape->two_id_spaces != (sections[SCADYG_COLUMN_ID_SIDES].offset != 0))
        return fail_damaged(events, "a section is missing", error);
    return SCADYG_OK;
}

/* As if it were no cache: what data is made from is no part of it. */
static uint32_t compute_checksum(sg_events_header header, const void *table, size_t size)
{
    memset(header.origin, 0, sizeof header.origin);
    header.bad_rows = 0;
    header.crc = 0;
    header.crc = sg_crc32c(sg_crc32c(0, &header, sizeof header), table, size);
    return sg_crc32c(sg_crc32c(0, &header, sizeof header), table, size);
}

static int read_header(scadyg_events *events, scadyg_error *error)
{
    sg_events_header header;
    if (events->mapping.size < 8 || memcmp(events->mapping.data, SG_EVENTS_MAGIC, 8) != 0)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is not an events file; make one with 'scadyg import'",
                       events->path);
    if (events->mapping.size < sizeof header) return fail_damaged(events, "the header is cut off", error);
    memcpy(&header, events->mapping.data, sizeof header);
    if (header.version > SG_EVENTS_VERSION)
        return sg_fail(error, SCADYG_E_VERSION, "%s has format version %u; this program reads up to version %u",
                       events->path, header.version, SG_EVENTS_VERSION);
    if (header.version == 0) return fail_damaged(events, "format version 0", error);
    if (header.section_count > SG_SECTION_LIMIT) return fail_damaged(events, "too many sections", error);
    uint64_t table_end = sizeof header + header.section_count * sizeof(sg_section);
    if (table_end > events->mapping.size) return fail_damaged(events, "the section table is cut off", error);
    uint32_t crc = header.crc;
    header.crc = 0;
    uint32_t actual = sg_crc32c(0, &header, sizeof header);
    actual = sg_crc32c(actual, events->mapping.data + sizeof header, table_end - sizeof header);
    if (actual != crc) return fail_damaged(events, "the header's checksum is wrong", error);
    if (header.file_size != events->mapping.size)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: it has %zu byte%s where %llu were written",
                       events->path, events->mapping.size, sg_plural(events->mapping.size),
                       (unsigned long long)header.file_size);
    if (header.events == 0 || header.nodes == 0 || header.nodes >= UINT32_MAX ||
        header.time_kind > SCADYG_TIME_UNIX_MICRO || header.flags > (SG_FLAG_TWO_ID_SPACES | SG_FLAG_BY_IDS) ||
        header.flags == SG_FLAG_BY_IDS || !isfinite(header.last_time - header.first_time) ||
        header.last_time < header.first_time)
        return fail_damaged(events, "the header's figures make no sense", error);
    events->shape = (scadyg_shape){
        .events = header.events,
        .nodes = header.nodes,
        .edge_features = header.edge_features,
        .node_features = header.node_features,
        .two_id_spaces = (header.flags & SG_FLAG_TWO_ID_SPACES) != 0,
        .time_kind = (int)header.time_kind,
        .first_time = header.first_time,
        .last_time = header.last_time,
    };
    events->by_ids = (header.flags & SG_FLAG_BY_IDS) != 0;
    memcpy(events->origin, header.origin, sizeof events->origin);
    events->bad_rows = header.bad_rows;
    for (uint32_t i = 0; i < header.section_count; i++) {
        sg_section section;
        memcpy(&section, events->mapping.data + sizeof header + i * sizeof section, sizeof section);
        int status = check_section(events, &section, table_end, error);
        if (status) return status;
        events->sections[section.column] = section;
    }
    events->shape.has_weight = events->sections[SCADYG_COLUMN_WEIGHT].offset != 0;
    events->shape.has_label = events->sections[SCADYG_COLUMN_LABEL].offset != 0;
    events->shape.integer_ids = events->sections[SCADYG_COLUMN_ID_INTEGERS].offset != 0;
    events->checksum = compute_checksum(header, events->mapping.data + sizeof header, table_end - sizeof header);
    return check_presence(events, error);
}

/* Verified at once: it is small, and what it says is for opening other files. */
static int take_reading(scadyg_events *events, scadyg_error *error)
{
    const sg_section *section = &events->sections[SG_SECTION_READING];
    const char *text = (const char *)events->mapping.data + section->offset;
    if (!section->offset) return SCADYG_OK;
    if (!section->size || section->size > SG_READING_LONGEST || memchr(text, 0, section->size) ||
        sg_crc32c(0, text, section->size) != section->crc)
        return fail_damaged(events, "how its text was read cannot be told", error);
    events->reading = strndup(text, section->size);
    if (!events->reading) return sg_fail_memory(error, "an events file");
    scadyg_error reason = {0};
    const int status = sg_reading_check(events->reading, &reason);
    if (status == SCADYG_E_MEMORY) return sg_fail(error, status, "%s", reason.message);
    return status ? fail_damaged(events, "how its text was read makes no sense", error) : SCADYG_OK;
}

enum { WORKS = 16 };
#define SHARE ((uint64_t)1 << 30)

struct sg_pages {
    _Atomic uint64_t touched;         /* bytes that were read since pages were given back, at most about */
    _Atomic uint64_t reported[WORKS]; /* of a few kinds of work at once: the share done, in parts of SHARE */
};

/* Of a path, or of bytes in memory if there are any. */
static int open_events(const char *path, const sg_mapping *bytes, scadyg_events **out, scadyg_error *error)
{
    scadyg_events *events = sg_alloc_zero(1, sizeof *events);
    if (!events) return sg_fail_memory(error, "an events file");
    events->path = strdup(path);
    int status = events->path ? SCADYG_OK : sg_fail_memory(error, "a file name");
    if (bytes) {
        events->mapping = *bytes;
        events->borrowed = 1;
    } else if (!status) {
        events->pages = sg_alloc_zero(1, sizeof *events->pages);
        status = events->pages ? sg_map(&events->mapping, path, error) : sg_fail_memory(error, "an events file");
    }
    if (!status) status = read_header(events, error);
    if (!status) status = take_reading(events, error);
    if (status) {
        scadyg_events_close(events);
        return status;
    }
    *out = events;
    return SCADYG_OK;
}

int scadyg_events_open(const char *path, scadyg_events **events, scadyg_error *error)
{
    return open_events(path, NULL, events, error);
}

int sg_events_open_memory(const char *name, const void *data, size_t size, scadyg_events **events,
                          scadyg_error *error)
{
    return open_events(name, &(sg_mapping){.data = data, .size = size, .fd = -1}, events, error);
}

void scadyg_events_close(scadyg_events *events)
{
    if (!events) return;
    sg_id_index_free(atomic_load(&events->id_index));
    free(atomic_load(&events->node_keys));
    for (int column = 0; column <= SG_SECTION_LIMIT; column++) free(events->held[column]);
    if (!events->borrowed) sg_unmap(&events->mapping);
    SG_FREE(events->path, events->reading, events->pages, events);
}

const char *scadyg_events_reading(const scadyg_events *events)
{
    return events->reading ? events->reading : "";
}

const scadyg_shape *scadyg_events_shape(const scadyg_events *events)
{
    return &events->shape;
}

uint32_t scadyg_events_checksum(const scadyg_events *events)
{
    return events->checksum;
}

/* ---- Pages ---- */

void sg_events_hold(const scadyg_context *context, scadyg_events *events)
{
    const uint64_t bound = sg_context_memory(context, 4) / 4;
    if (!events->pages || events->mapping.fd < 0) return;
    if (!context && atomic_load(&events->resident)) return; /* bound already, by who knows more */
    atomic_store(&events->resident, events->mapping.size > bound ? bound : 0);
    if (events->mapping.size > bound) sg_mapping_drop(&events->mapping);
    atomic_store(&events->pages->touched, 0);
}

void sg_events_pass(const scadyg_events *events, uint64_t bytes)
{
    const uint64_t bound = atomic_load(&events->resident);
    if (!bound || !events->pages || atomic_fetch_add(&events->pages->touched, bytes) + bytes <= bound) return;
    sg_mapping_drop(&events->mapping);
    atomic_store(&events->pages->touched, bytes); /* they may be read just now */
}

/* Work that is reported goes through the log from its begin, or its part of it. */
static void pass_report(const scadyg_events *events, const char *what, uint64_t done, uint64_t total)
{
    if (!atomic_load(&events->resident) || !total) return;
    const uint64_t share = (uint64_t)((double)(done < total ? done : total) / (double)total * (double)SHARE);
    const uint64_t before = atomic_exchange(&events->pages->reported[(unsigned char)*what % WORKS], share);
    const uint64_t more = share >= before ? share - before : share;
    sg_events_pass(events, (uint64_t)((double)more / (double)SHARE * (double)events->mapping.size));
}

uint64_t sg_columns_event_bytes(const sg_columns *columns)
{
    const uint64_t features = columns->edge_features && columns->events ? columns->events->shape.edge_features : 0;
    return sizeof *columns->src + sizeof *columns->dst + sizeof *columns->time +
           (columns->weight ? sizeof *columns->weight : 0) + features * sizeof *columns->edge_features;
}

/* ---- Whether it is still as it was ---- */

int scadyg_events_check(const scadyg_events *events, scadyg_error *error)
{
    return sg_mapping_check(&events->mapping, events->path, error);
}

int sg_events_report(scadyg_context *context, const scadyg_events *events, const char *what, uint64_t done,
                     uint64_t total, scadyg_error *error)
{
    int status = sg_report(context, what, done, total, error);
    if (events && events->pages) pass_report(events, what, done, total);
    return sg_events_finish(status, events, error);
}

int sg_events_finish(int status, const scadyg_events *events, scadyg_error *error)
{
    if (!events || status == SCADYG_E_CANCELLED) return status;
    int changed = scadyg_events_check(events, error);
    return changed ? changed : status;
}

/* ---- Verifying: whether the content is what its column promises, so that no reader has to check again ---- */

static int are_nodes_in_range(const scadyg_events *events, const uint32_t *node, uint64_t count)
{
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++) largest = node[i] > largest ? node[i] : largest;
    return largest < events->shape.nodes;
}

/* Of times [begin, end). */
static int are_times_in_order(const scadyg_events *events, const double *time, uint64_t begin, uint64_t end)
{
    const uint64_t count = events->shape.events;
    int good = (begin > 0 || time[0] == events->shape.first_time) &&
               (end < count || time[count - 1] == events->shape.last_time);
    /* Finite ends and an ascending order leave no room for NaN or infinity: every comparison with NaN fails. */
    for (uint64_t i = begin ? begin : 1; i < end; i++) good &= time[i - 1] <= time[i];
    return good;
}

/* Of offsets [begin, end). */
static int are_offsets_in_order(const scadyg_events *events, const uint64_t *offset, uint64_t begin, uint64_t end)
{
    const uint64_t nodes = events->shape.nodes;
    int good = (begin > 0 || offset[0] == 0) &&
               (end <= nodes || offset[nodes] == events->sections[SCADYG_COLUMN_ID_TEXT].size);
    for (uint64_t i = begin ? begin : 1; i < end; i++) good &= offset[i - 1] <= offset[i];
    return good;
}

/* Each node is a source or a destination, never both. */
static int are_sides_kept(const scadyg_events *events, const uint8_t *side, const uint32_t *src,
                          const uint32_t *dst)
{
    unsigned largest = 0, wrong = 0;
    for (uint64_t i = 0; i < events->shape.nodes; i++) largest = side[i] > largest ? side[i] : largest;
    for (uint64_t i = 0; i < events->shape.events; i++) wrong |= side[src[i]] != 0 || side[dst[i]] != 1;
    return largest <= 1 && !wrong;
}

/* Of the bytes [begin, end) of a column, which are whole elements. */
static int is_content_sound(const scadyg_events *events, scadyg_column column, const unsigned char *data,
                            uint64_t begin, uint64_t end)
{
    const void *all = data, *from = data + begin;
    switch (column) {
    case SCADYG_COLUMN_SRC:
    case SCADYG_COLUMN_DST: return are_nodes_in_range(events, from, (end - begin) / sizeof(uint32_t));
    case SCADYG_COLUMN_TIME: return are_times_in_order(events, all, begin / sizeof(double), end / sizeof(double));
    case SCADYG_COLUMN_WEIGHT:
    case SCADYG_COLUMN_LABEL:
    case SCADYG_COLUMN_EDGE_FEATURES:
    case SCADYG_COLUMN_NODE_FEATURES: return sg_all_finite(from, (size_t)(end - begin) / sizeof(float));
    case SCADYG_COLUMN_ID_OFFSETS:
        return are_offsets_in_order(events, all, begin / sizeof(uint64_t), end / sizeof(uint64_t));
    default: return 1;
    }
}

/* The checksum of a column, and whether its content is sound; in pieces where not all of it may be in memory. */
static uint32_t sum_column(scadyg_context *context, const scadyg_events *events, scadyg_column column,
                           const unsigned char *data, int *sound)
{
    const uint64_t size = events->sections[column].size, width = sg_column_size(&events->shape, column);
    const uint64_t resident = atomic_load(&events->resident);
    const uint64_t unit = width ? width : 1, bound = resident / unit * unit;
    const uint64_t piece = !resident ? size : bound ? bound : unit;
    uint32_t crc = 0;
    *sound = 1;
    for (uint64_t at = 0; at < size; at += piece) {
        const uint64_t end = size - at < piece ? size : at + piece;
        const uint32_t own = sg_crc32c_parallel(context, data + at, (size_t)(end - at));
        crc = at ? sg_crc32c_combine(crc, own, end - at) : own;
        *sound = *sound && is_content_sound(events, column, data, at, end);
        if (resident) sg_mapping_drop(&events->mapping);
    }
    return crc;
}

uint32_t sg_events_sum(scadyg_context *context, const scadyg_events *events, const void *data, uint64_t size)
{
    const uint64_t resident = atomic_load(&events->resident), piece = resident >= 4 ? resident / 4 : size;
    uint32_t crc = 0;
    for (uint64_t at = 0; at < size; at += piece) {
        const uint64_t length = size - at < piece ? size - at : piece;
        sg_events_pass(events, length);
        const uint32_t own = sg_crc32c_parallel(context, (const unsigned char *)data + at, (size_t)length);
        crc = at ? sg_crc32c_combine(crc, own, length) : own;
    }
    return crc;
}

static int fail_content(const scadyg_events *events, scadyg_column column, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: its %s section has values out of range", events->path,
                   sg_column_name(column));
}

/* What a column promises together with others, which are verified on the way. */
static int check_together(scadyg_context *context, scadyg_events *events, scadyg_column column, const void *data,
                          scadyg_error *error)
{
    sg_id_columns ids = {.count = events->shape.nodes};
    const void *offsets = NULL, *sides = NULL, *src = NULL, *dst = NULL;
    int status = SCADYG_OK;
    if (column == SCADYG_COLUMN_ID_SIDES) {
        status = sg_events_column(context, events, SCADYG_COLUMN_SRC, &src, error);
        if (!status) status = sg_events_column(context, events, SCADYG_COLUMN_DST, &dst, error);
        if (!status && !are_sides_kept(events, data, src, dst)) status = fail_content(events, column, error);
        return status;
    }
    if (column != SCADYG_COLUMN_ID_INTEGERS && column != SCADYG_COLUMN_ID_TEXT) return SCADYG_OK;
    if (column == SCADYG_COLUMN_ID_TEXT)
        status = sg_events_column(context, events, SCADYG_COLUMN_ID_OFFSETS, &offsets, error);
    if (!status) status = sg_events_column(context, events, SCADYG_COLUMN_ID_SIDES, &sides, error);
    ids.sides = sides;
    ids.offsets = offsets;
    if (offsets)
        ids.text = data;
    else
        ids.integers = data;
    return status ? status : sg_ids_check(events, &ids, error);
}

/* A file that was changed is not called damaged. */
static int verify_column(scadyg_context *context, scadyg_events *events, scadyg_column column, int with_others,
                         const void *data, scadyg_error *error)
{
    scadyg_error reason = {0};
    int status = scadyg_events_check(events, error), sound;
    if (status) return status;
    const int whole = sum_column(context, events, column, data, &sound) == events->sections[column].crc;
    const int together =
        whole && sound && with_others ? check_together(context, events, column, data, &reason) : SCADYG_OK;
    status = scadyg_events_check(events, error);
    if (status) return status;
    if (!whole)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: the checksum of its %s section is wrong",
                       events->path, sg_column_name(column));
    if (!sound) return fail_content(events, column, error);
    return together ? sg_fail(error, together, "%s", reason.message) : SCADYG_OK;
}

/* Where a column begins; NULL: there is none. */
static const void *get_column(const scadyg_events *events, scadyg_column column)
{
    const sg_section *section = &events->sections[column];
    if (events->held[column]) return events->held[column];
    return section->offset ? events->mapping.data + section->offset : NULL;
}

int sg_events_column_alone(scadyg_context *context, scadyg_events *events, scadyg_column column, const void **data,
                           scadyg_error *error)
{
    *data = get_column(events, column);
    return *data && !events->held[column] ? verify_column(context, events, column, 0, *data, error) : SCADYG_OK;
}

int sg_events_column(scadyg_context *context, scadyg_events *events, scadyg_column column, const void **data,
                     scadyg_error *error)
{
    if (column < SCADYG_COLUMN_SRC || column > SCADYG_COLUMN_ID_SIDES)
        return sg_fail(error, SCADYG_E_USAGE, "there is no column %d", (int)column);
    const void *begin = get_column(events, column);
    const int known = events->held[column] || atomic_load(&events->verified) & (1u << column);
    if (begin && !known) {
        int status = verify_column(context, events, column, 1, begin, error);
        if (status) return status;
        atomic_fetch_or(&events->verified, 1u << column);
    }
    *data = begin;
    return SCADYG_OK;
}

int scadyg_events_column(scadyg_events *events, scadyg_column column, const void **data, scadyg_error *error)
{
    return sg_events_column(NULL, events, column, data, error);
}

int scadyg_events_verify(scadyg_context *context, scadyg_events *events, scadyg_error *error)
{
    sg_events_hold(context, events);
    for (int column = SCADYG_COLUMN_SRC; column <= SCADYG_COLUMN_ID_SIDES; column++) {
        const void *data;
        int status =
            sg_events_report(context, events, "verifying", (uint64_t)column, SCADYG_COLUMN_ID_SIDES, error);
        if (!status) status = sg_events_column(context, events, (scadyg_column)column, &data, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

int sg_events_columns(scadyg_context *context, scadyg_events *events, int with_label, int with_node_features,
                      sg_columns *columns, scadyg_error *error)
{
    const struct {
        scadyg_column column;
        int wanted;
        size_t field;
    } wanted[] = {
        {SCADYG_COLUMN_SRC, 1, offsetof(sg_columns, src)},
        {SCADYG_COLUMN_DST, 1, offsetof(sg_columns, dst)},
        {SCADYG_COLUMN_TIME, 1, offsetof(sg_columns, time)},
        {SCADYG_COLUMN_WEIGHT, 1, offsetof(sg_columns, weight)},
        {SCADYG_COLUMN_LABEL, with_label, offsetof(sg_columns, label)},
        {SCADYG_COLUMN_EDGE_FEATURES, 1, offsetof(sg_columns, edge_features)},
        {SCADYG_COLUMN_NODE_FEATURES, with_node_features, offsetof(sg_columns, node_features)},
    };
    *columns = (sg_columns){.count = events->shape.events, .events = events};
    sg_events_hold(context, events);
    int status = scadyg_events_check(events, error);
    if (status) return status;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const void *data = NULL;
        if (!wanted[i].wanted) continue;
        status = sg_events_column(context, events, wanted[i].column, &data, error);
        if (status) return status;
        memcpy((char *)columns + wanted[i].field, &data, sizeof data);
    }
    return SCADYG_OK;
}
