/* Fields: a line of text cut at its separators. */
#include "events/fields.h"

#include <string.h>

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The quoted field that begins at line[at]; returns where it ends (behind the quote), or length + 1 if it does not. */
static size_t unquote(char *line, size_t length, size_t at, sg_field *field)
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

int sg_fields_cut(char *line, size_t length, char separator, sg_field *fields, int most)
{
    int count = 0;
    size_t at = 0;
    const int blanks = separator == ' ';
    for (;;) {
        while (at < length && (line[at] == ' ' || (line[at] == '\t' && separator != '\t'))) at++;
        if (blanks && at == length) return count;
        if (count == most) return SG_FIELDS_TOO_MANY;
        sg_field *field = &fields[count];
        size_t end;
        if (at < length && line[at] == '"') {
            end = unquote(line, length, at, field);
            if (end > length) return SG_FIELDS_OPEN_QUOTE;
            /* Nothing but blanks may stand between the quote and the separator; what does is dropped. */
            while (end < length && line[end] != separator && !(blanks && is_blank(line[end]))) end++;
        } else {
            end = at;
            if (blanks)
                while (end < length && !is_blank(line[end])) end++;
            else {
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
        at = end + 1;
        if (blanks && at == length) return count;
    }
}

char sg_fields_separator(const char *line, size_t length)
{
    static const char candidates[] = {'\t', ',', ';', '|'};
    int quoted = 0, seen[4] = {0};
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '"') quoted = !quoted;
        if (quoted) continue;
        for (int k = 0; k < 4; k++) seen[k] |= line[i] == candidates[k];
    }
    for (int k = 0; k < 4; k++)
        if (seen[k]) return candidates[k];
    return ' ';
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
        unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80, high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
        if (p[1] < low || p[1] > high) return 0;
        for (int k = 2; k <= more; k++)
            if ((p[k] & 0xC0) != 0x80) return 0;
        p += more + 1;
    }
    return 1;
}
