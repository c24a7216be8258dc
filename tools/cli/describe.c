/* Numbers, ids and events files: in words for people, and as JSON. */
#include "cli/describe.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/letters.h"
#include "base/memory.h"

/* ---- Numbers and words ---- */

const char *cli_count_in(uint64_t value, char buffer[CLI_TEXT])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = 0;
    return buffer;
}

static const char *scale_number(double value, double step, const char *const *units, size_t count,
                                char buffer[CLI_TEXT])
{
    size_t unit = 0;
    while (unit + 1 < count && value >= 0.9995 * step) {
        value /= step;
        unit++;
    }
    int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(buffer, CLI_TEXT, "%.*f%s", digits, value, units[unit]);
    return buffer;
}

const char *cli_rate_in(double per_second, char buffer[CLI_TEXT])
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    return scale_number(per_second, 1000, units, CLI_COUNT(units), buffer);
}

const char *cli_bytes_in(uint64_t bytes, char buffer[CLI_TEXT])
{
    static const char *const units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB"};
    return scale_number((double)bytes, 1024, units, CLI_COUNT(units), buffer);
}

const char *cli_duration_in(double seconds, char buffer[CLI_TEXT])
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
    for (size_t i = 0; i < CLI_COUNT(units); i++) {
        /* Two years are told in years, but one and a half in days. */
        if (seconds < 1.9995 * units[i].size) continue;
        const double count = seconds / units[i].size;
        snprintf(buffer, CLI_TEXT, count < 1e9 ? "%.1f %s" : "%.3g %s", count, units[i].name);
        return buffer;
    }
    snprintf(buffer, CLI_TEXT, "%.3g %s", seconds, seconds == 1 ? "second" : "seconds");
    return buffer;
}

const char *cli_share_in(uint64_t part, uint64_t whole, char buffer[CLI_TEXT])
{
    snprintf(buffer, CLI_TEXT, "%.1f %%", whole ? 100.0 * (double)part / (double)whole : 0.0);
    return buffer;
}

const char *cli_mean_in(double mean, double std, char buffer[CLI_TEXT])
{
    if (isfinite(mean) && isfinite(std))
        snprintf(buffer, CLI_TEXT, "%.4f %s %.4f", mean, cli_utf8() ? "\xC2\xB1" : "+-", std);
    else
        snprintf(buffer, CLI_TEXT, isfinite(mean) ? "%.4f" : "-", mean);
    return buffer;
}

const char *cli_time_in(const scadyg_shape *shape, double at, char buffer[CLI_TEXT])
{
    scadyg_time_human(shape->time_kind, at, buffer);
    return buffer;
}

const char *cli_text_in(char buffer[CLI_LONG_TEXT], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, CLI_LONG_TEXT, format, arguments);
    va_end(arguments);
    return buffer;
}

size_t cli_display_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xC0) != 0x80) width++;
    return width;
}

size_t cli_terminal_width(int descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
    return size.ws_col;
}

int cli_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < CLI_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value) continue;
        const char *coding = strchr(value, '.');
        return coding && (strncasecmp(coding, ".utf-8", 6) == 0 || strncasecmp(coding, ".utf8", 5) == 0);
    }
    return 0;
}

void cli_print_padded(const char *raw, size_t width, int right)
{
    const char *text = cli_safe(raw);
    size_t used = cli_display_width(text);
    int padding = used < width ? (int)(width - used) : 0;
    if (right)
        printf("%*s%s", padding, "", text);
    else
        printf("%s%*s", text, padding, "");
}

/* ---- Ids ---- */

char *cli_node_id(scadyg_events *events, uint32_t node, scadyg_error *error)
{
    char first[256]; /* long enough for most */
    size_t length = 0;
    if (scadyg_node_name(events, node, first, sizeof first, &length, error)) return NULL;
    char *id = malloc(length + 1);
    if (!id) {
        sg_fail_memory(error, "a node's id");
        return NULL;
    }
    if (length < sizeof first) {
        memcpy(id, first, length + 1);
    } else if (scadyg_node_name(events, node, id, length + 1, NULL, error)) {
        free(id);
        return NULL;
    }
    return id;
}

/* Writes out what steers a terminal or is no text, as far as there is room. */
static void make_safe(const char *raw, char *text, size_t size)
{
    size_t used = 0;
    while (*raw) {
        uint32_t letter;
        const size_t shown = sg_letter_shown(raw), bytes = sg_letter(raw, &letter);
        if (used + (shown ? shown : 4 * (bytes ? bytes : 1)) >= size) break;
        if (shown) memcpy(text + used, raw, shown);
        used += shown;
        for (size_t i = 0; !shown && i < (bytes ? bytes : 1); i++)
            used += (size_t)sprintf(text + used, "\\x%02X", (unsigned char)raw[i]);
        raw += bytes ? bytes : 1;
    }
    text[used] = 0;
}

const char *cli_safe_in(const char *raw, char text[CLI_LONG_TEXT])
{
    make_safe(raw, text, CLI_LONG_TEXT);
    return text;
}

char *cli_safe_text(const char *raw)
{
    const size_t size = 4 * strlen(raw) + 1;
    char *text = malloc(size);
    if (!text) cli_out_of_memory();
    make_safe(raw, text, size);
    return text;
}

char *cli_node_text(scadyg_events *events, uint32_t node, scadyg_error *error)
{
    char *id = cli_node_id(events, node, error);
    if (!id) return NULL;
    char *text = cli_safe_text(id);
    free(id);
    return text;
}

/* ---- Events files ---- */

uint32_t cli_edge_features(const scadyg_shape *shape)
{
    return shape->edge_features + (shape->has_weight ? 1 : 0);
}

const char *cli_shape_text_in(const scadyg_shape *shape, char buffer[CLI_LONG_TEXT])
{
    const uint32_t edge = cli_edge_features(shape), node = shape->node_features;
    snprintf(buffer, CLI_LONG_TEXT, "%s event%s, %s node%s%s%s", cli_count(shape->events), sg_plural(shape->events),
             cli_count(shape->nodes), sg_plural(shape->nodes),
             edge ? cli_text(", %u edge feature%s", edge, sg_plural(edge)) : "",
             node ? cli_text(", %u node feature%s", node, sg_plural(node)) : "");
    return buffer;
}

int cli_events_columns(scadyg_events *events, const uint32_t **src, const uint32_t **dst, const double **time,
                       scadyg_error *error)
{
    const void *sources = NULL, *destinations = NULL, *times = NULL;
    int status = scadyg_events_column(events, SCADYG_COLUMN_SRC, &sources, error);
    if (!status) status = scadyg_events_column(events, SCADYG_COLUMN_DST, &destinations, error);
    if (!status) status = scadyg_events_column(events, SCADYG_COLUMN_TIME, &times, error);
    *src = sources, *dst = destinations, *time = times;
    return status;
}

uint64_t cli_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

const char *cli_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int cli_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

const char *cli_node_role(scadyg_events *events, uint32_t node, scadyg_error *error)
{
    static const char *const words[] = {"", "source", "destination"};
    int role;
    return scadyg_node_role(events, node, &role, error) ? NULL : words[role];
}

static int find_of_role(scadyg_events *events, int role, uint32_t *nodes, size_t *count, scadyg_error *error)
{
    const uint64_t all = scadyg_events_shape(events)->nodes;
    int status = SCADYG_OK, of = 0;
    for (uint32_t node = 0; node < all && !status; node++) {
        status = scadyg_node_role(events, node, &of, error);
        if (!status && of == role) nodes[(*count)++] = node;
    }
    return status;
}

int cli_nodes_choose(scadyg_events *events, int role, const cli_list *ids, uint32_t **nodes, size_t *count,
                     scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(events);
    int status = SCADYG_OK;
    *nodes = NULL;
    *count = (size_t)shape->nodes;
    if (role != SCADYG_ANY_ROLE && !shape->two_id_spaces)
        return sg_fail(error, SCADYG_E_USAGE,
                       "--role: here sources and destinations are of one kind, and a node has no role");
    if (role == SCADYG_ANY_ROLE && !ids->count) return SCADYG_OK;
    *nodes = sg_alloc(ids->count ? ids->count : *count, sizeof **nodes);
    *count = 0;
    if (!*nodes) return sg_fail_memory(error, "the list of nodes");
    if (!ids->count) status = find_of_role(events, role, *nodes, count, error);
    for (; *count < ids->count && !status; (*count)++)
        status = scadyg_node_find(events, role, ids->words[*count], &(*nodes)[*count], error);
    return status;
}

/* ---- JSON ---- */

json_t *cli_json_number(double value)
{
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) < 9e15) return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *cli_json_matrix(const float *values, size_t rows, size_t columns)
{
    json_t *matrix = json_array();
    int failed = 0;
    for (size_t r = 0; r < rows; r++) {
        json_t *row = json_array();
        for (size_t c = 0; c < columns; c++)
            failed |= json_array_append_new(row, cli_json_number((double)values[r * columns + c]));
        failed |= json_array_append_new(matrix, row);
    }
    return cli_json_whole(matrix, failed);
}

json_t *cli_json_text(const char *text)
{
    json_t *string = text ? json_string(text) : NULL;
    return string ? string : json_null();
}

const char *cli_json_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double cli_json_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

void *cli_json_alloc(size_t size)
{
    void *block = malloc(size);
    if (!block) cli_out_of_memory();
    return block;
}

int cli_json_add(json_t *object, json_t *more)
{
    const int failed = !more || json_object_update(object, more);
    json_decref(more);
    return failed ? -1 : 0;
}

json_t *cli_json_whole(json_t *value, int failed)
{
    if (!failed) return value;
    json_decref(value);
    return NULL;
}

json_t *cli_shape_json(const scadyg_shape *shape)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:b, s:s, s:o, s:o, s:s, s:s}", "nodes",
                     (json_int_t)shape->nodes, "events", (json_int_t)shape->events, "edge_features",
                     (json_int_t)cli_edge_features(shape), "node_features", (json_int_t)shape->node_features,
                     "weight", shape->has_weight, "label", shape->has_label, "two_id_spaces", shape->two_id_spaces,
                     "integer_ids", shape->integer_ids, "time_kind", scadyg_time_kind_name(shape->time_kind),
                     "first_time", cli_json_number(shape->first_time), "last_time",
                     cli_json_number(shape->last_time), "first_time_text", cli_time(shape, shape->first_time),
                     "last_time_text", cli_time(shape, shape->last_time));
}

json_t *cli_json_lines(const char *text)
{
    json_t *lines = json_array();
    int failed = !lines;
    while (text && *text && !failed) {
        const size_t length = strcspn(text, "\n");
        failed = json_array_append_new(lines, json_stringn(text, length));
        text += length + (text[length] == '\n');
    }
    return cli_json_whole(lines, failed);
}

int cli_json_print(const cli_command *command, json_t *object)
{
    if (!object) return cli_fail(command, "not enough memory for the JSON output");
    const int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    putchar('\n');
    /* A failed write is told by cli_finish, which knows the reason. */
    return failed && !ferror(stdout) ? cli_fail(command, "not enough memory for the JSON output") : CLI_OK;
}
