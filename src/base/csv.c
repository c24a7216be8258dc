/* Tables as text: a line cut into its fields at commas, semicolons, tabs, bars or blanks, with quotes. */
#include "base/csv.h"

#include <string.h>
#include <strings.h>

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The quoted field that begins at line[at]; returns where it ends (behind the quote), or length + 1 if it does not. */
static size_t unquote_field(char *line, size_t length, size_t at, sg_field *field)
{
    char *out = line + at + 1;
    field->text = out;
    for (size_t i = at + 1; i < length; i++) {
        if (line[i] != '"') {
            *out++ = line[i];
        } else if (i + 1 < length && line[i + 1] == '"') {
            *out++ = line[i++];
        } else {
            field->length = (uint32_t)(out - field->text);
            return i + 1;
        }
    }
    return length + 1;
}

/* The first field says where the trouble is. */
static int note_trouble(sg_field *fields, char *at, int what)
{
    fields[0] = (sg_field){at, 0};
    return what;
}

int sg_fields_cut(char *line, size_t length, char separator, sg_field *fields, int most)
{
    int count = 0;
    size_t at = 0;
    const int blanks = separator == ' ';
    for (;;) {
        while (at < length && (line[at] == ' ' || (line[at] == '\t' && separator != '\t'))) at++;
        if (blanks && at == length) return count;
        if (count == most) return note_trouble(fields, line + at, SG_FIELDS_TOO_MANY);
        sg_field *field = &fields[count];
        size_t end;
        if (at < length && line[at] == '"') {
            end = unquote_field(line, length, at, field);
            if (end > length) return note_trouble(fields, line + at, SG_FIELDS_OPEN_QUOTE);
            const char close = separator == SG_SEPARATOR_COLONS ? ':' : separator;
            while (!blanks && end < length && line[end] != close && is_blank(line[end])) end++;
            if (end < length && line[end] != close && !(blanks && is_blank(line[end])))
                return note_trouble(fields, line + end, SG_FIELDS_AFTER_QUOTE);
        } else {
            end = at;
            if (blanks)
                while (end < length && !is_blank(line[end])) end++;
            else if (separator == SG_SEPARATOR_COLONS) {
                const char *found = memmem(line + at, length - at, "::", 2);
                end = found ? (size_t)(found - line) : length;
            } else {
                const char *found = memchr(line + at, separator, length - at);
                end = found ? (size_t)(found - line) : length;
            }
            size_t last = end;
            while (last > at && is_blank(line[last - 1])) last--;
            field->text = line + at;
            field->length = (uint32_t)(last - at);
        }
        count++;
        if (end >= length) return count;
        at = end + (separator == SG_SEPARATOR_COLONS ? 2 : 1);
        if (blanks && at == length) return count;
    }
}

/* Whether a line of numbers has tabs between some of them and blanks between others. */
static int has_mixed_blanks(const char *line, size_t length)
{
    int pieces = 0, tabs = 0, between_tabs = 0;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\t' && between_tabs == 0) return 0; /* an empty field */
        if (line[i] == '\t') {
            tabs++;
            between_tabs = 0;
        } else if (line[i] != ' ') {
            if (!memchr("+-.0123456789eE", line[i], 15)) return 0;
            int begins = i == 0 || is_blank(line[i - 1]);
            pieces += begins;
            between_tabs += begins;
        }
    }
    return between_tabs > 0 && pieces > tabs + 1;
}

char sg_fields_separator(const char *line, size_t length)
{
    static const char candidates[] = {'\t', ',', ';', '|'};
    int quoted = 0, begins = 1, seen[4] = {0};
    for (size_t i = 0; i < length; i++) {
        /* A quote opens only where a field begins: an inch mark inside one hides nothing. */
        if (line[i] == '"' && (quoted || begins)) {
            quoted = !quoted;
            begins = 1; /* a doubled quote closes and opens again */
            continue;
        }
        if (quoted) continue;
        int separator = 0;
        for (int k = 0; k < 4; k++)
            if (line[i] == candidates[k]) separator = seen[k] = 1;
        begins = separator || is_blank(line[i]);
    }
    if (seen[0] && !seen[1] && !seen[2] && !seen[3] && has_mixed_blanks(line, length)) return ' ';
    for (int k = 0; k < 4; k++)
        if (seen[k]) return candidates[k];
    /* MovieLens. An address such as fe80::1 has no "::" between numbers alone, and blanks around it. */
    if (memmem(line, length, "::", 2) && !memchr(line, ' ', length)) return SG_SEPARATOR_COLONS;
    return ' ';
}

int sg_line_is_ruler(const char *line, size_t length)
{
    size_t dashes = 0;
    for (size_t i = 0; i < length; i++) {
        if (!memchr("-=+|,;: \t", line[i], 9)) return 0;
        dashes += line[i] == '-' || line[i] == '=';
    }
    return dashes >= 3;
}

int sg_line_is_footer(const char *line, size_t length)
{
    size_t at = 0, digits = 0;
    while (at < length && (line[at] == '(' || line[at] == ' ')) at++;
    while (at + digits < length && line[at + digits] >= '0' && line[at + digits] <= '9') digits++;
    at += digits;
    return digits > 0 && length - at >= 4 && strncasecmp(line + at, " row", 4) == 0 && !memchr(line, ',', length) &&
           !memchr(line, '\t', length) && !memchr(line, '|', length);
}

int sg_is_null(const char *text, size_t length)
{
    static const char *const words[] = {"null", "na", "n/a", "nan", "none", "\\n", "nil", "<na>"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == length && strncasecmp(words[k], text, length) == 0)
            return strcmp(words[k], "\\n") != 0 || text[1] == 'N';
    return length == 0;
}

int sg_utf8_valid(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    while (p < end) {
        unsigned char c = *p;
        if (c < 0x80) {
            if (c == 0 || c == '\n' || c == '\r') return 0;
            p++;
            continue;
        }
        int more = c >= 0xC2 && c <= 0xDF ? 1 : (c & 0xF0) == 0xE0 ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;
        if (!more || end - p <= more) return 0;
        /* The second byte's range excludes overlong forms, surrogates and code points beyond U+10FFFF. */
        unsigned char low = c == 0xE0   ? 0xA0
                            : c == 0xF0 ? 0x90
                                        : 0x80,
                      high = c == 0xED   ? 0x9F
                             : c == 0xF4 ? 0x8F
                                         : 0xBF;
        if (p[1] < low || p[1] > high) return 0;
        for (int k = 2; k <= more; k++)
            if ((p[k] & 0xC0) != 0x80) return 0;
        p += more + 1;
    }
    return 1;
}
