/* Numbers and words for people. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *cli_count(uint64_t value, char buffer[CLI_TEXT])
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

static const char *scaled(double value, double step, const char *const *units, size_t count, char buffer[CLI_TEXT])
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

const char *cli_rate(double per_second, char buffer[CLI_TEXT])
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    return scaled(per_second, 1000, units, CLI_COUNT(units), buffer);
}

const char *cli_bytes(uint64_t bytes, char buffer[CLI_TEXT])
{
    static const char *const units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB"};
    return scaled((double)bytes, 1024, units, CLI_COUNT(units), buffer);
}

const char *cli_duration(double seconds, char buffer[CLI_TEXT])
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
    for (size_t i = 0; i < CLI_COUNT(units); i++) {
        /* Two years are told in years, but one and a half in days. */
        if (seconds < 1.9995 * units[i].size) continue;
        snprintf(buffer, CLI_TEXT, "%.1f %s", seconds / units[i].size, units[i].name);
        return buffer;
    }
    snprintf(buffer, CLI_TEXT, "%.3g %s", seconds, seconds == 1 ? "second" : "seconds");
    return buffer;
}

const char *cli_share(uint64_t part, uint64_t whole, char buffer[CLI_TEXT])
{
    snprintf(buffer, CLI_TEXT, "%.1f %%", whole ? 100.0 * (double)part / (double)whole : 0.0);
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

void cli_print_padded(const char *text, size_t width, int right)
{
    size_t used = cli_display_width(text);
    int padding = used < width ? (int)(width - used) : 0;
    if (right)
        printf("%*s%s", padding, "", text);
    else
        printf("%s%*s", text, padding, "");
}

static char *no_memory(scadyg_error *error)
{
    *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for a node's id"};
    return NULL;
}

char *cli_node_id(scadyg_events *events, uint32_t node, scadyg_error *error)
{
    char first[256]; /* long enough for most */
    size_t length = 0;
    if (scadyg_node_name(events, node, first, sizeof first, &length, error)) return NULL;
    char *id = malloc(length + 1);
    if (!id) return no_memory(error);
    if (length < sizeof first) {
        memcpy(id, first, length + 1);
    } else if (scadyg_node_name(events, node, id, length + 1, NULL, error)) {
        free(id);
        return NULL;
    }
    return id;
}

/* How many bytes here steer a terminal (a C0 or C1 control) instead of showing something. */
static size_t steering_bytes(const unsigned char *c)
{
    if (*c < ' ' || *c == 127) return 1;
    return *c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0 ? 2 : 0;
}

char *cli_safe_text(const char *raw)
{
    char *text = malloc(4 * strlen(raw) + 1), *out = text;
    const unsigned char *c = (const unsigned char *)raw;
    while (text && *c) {
        size_t steering = steering_bytes(c);
        if (steering == 0) *out++ = (char)*c++;
        for (; steering > 0; steering--) out += sprintf(out, "\\x%02X", *c++);
    }
    if (text) *out = 0;
    return text;
}

char *cli_node_text(scadyg_events *events, uint32_t node, scadyg_error *error)
{
    char *id = cli_node_id(events, node, error);
    if (!id) return NULL;
    char *text = cli_safe_text(id);
    free(id);
    return text ? text : no_memory(error);
}
