/* Tables as text: a line cut into its fields at commas, semicolons, tabs, bars or blanks, with quotes. */
#include "base/csv.h"

#include <string.h>
#include <strings.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The first quote in [p, end), or NULL. Most quoted fields are shorter than a call is worth. */
static char *find_quote(char *p, char *end)
{
    char *soon = end - p < 32 ? end : p + 32;
    for (; p < soon; p++)
        if (*p == '"') return p;
    return p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
}

/* Where the quoted field is closed whose inside begins at p; NULL: nowhere. *doubled is set if it has doubled quotes. */
static char *find_close(char *p, char *end, int *doubled)
{
    for (;;) {
        char *quote = find_quote(p, end);
        if (!quote || quote + 1 == end || quote[1] != '"') return quote;
        *doubled = 1;
        p = quote + 2;
    }
}

/* Doubled quotes become single ones. Behind the field quotes are left, so that line breaks stay as many as they were. */
static void unescape_fields(const char *line, sg_field *fields, int first, int count)
{
    for (int k = first; k < count; k++) {
        sg_field *field = &fields[k];
        if (field->text == line || field->text[-1] != '"') continue;
        char *end = field->text + field->length, *from = find_quote(field->text, end), *to = from;
        if (!from) continue;
        while (from < end) {
            *to++ = *from;
            from += 1 + (*from == '"');
        }
        memset(to, '"', (size_t)(end - to));
        field->length = (uint32_t)(to - field->text);
    }
}

/* The first field says where the trouble is. */
static int note_trouble(sg_field *fields, char *at, int what)
{
    fields[0] = (sg_field){at, 0};
    return what;
}

/* Where the field at line[at], which is not quoted, ends: at the separator, or at the end of the line. */
static size_t find_separator(const char *line, size_t length, size_t at, char separator)
{
    if (separator == ' ') {
        while (at < length && !is_blank(line[at])) at++;
        return at;
    }
    const char *found = separator == SG_SEPARATOR_COLONS ? memmem(line + at, length - at, "::", 2)
                                                         : memchr(line + at, separator, length - at);
    return found ? (size_t)(found - line) : length;
}

static int is_separator(const char *line, size_t length, size_t at, char separator)
{
    if (separator == ' ') return is_blank(line[at]);
    if (separator == SG_SEPARATOR_COLONS) return at + 1 < length && line[at] == ':' && line[at + 1] == ':';
    return line[at] == separator;
}

static size_t skip_blanks(const char *line, size_t length, size_t at, char separator)
{
    while (at < length && (line[at] == ' ' || (line[at] == '\t' && separator != '\t'))) at++;
    return at;
}

/* Spreadsheets and web pages leave blanks that do not break a line (U+00A0). */
static int is_wide_blank(const char *p)
{
    return (unsigned char)p[0] == 0xC2 && (unsigned char)p[1] == 0xA0;
}

/* A field that is not quoted, without the blanks around it. */
static sg_field trim(char *line, size_t at, size_t end)
{
    for (;;) {
        if (end > at && is_blank(line[end - 1]))
            end--;
        else if (end > at + 1 && is_wide_blank(line + end - 2))
            end -= 2;
        else if (end > at + 1 && is_wide_blank(line + at))
            at += 2;
        else if (end > at && is_blank(line[at]))
            at++;
        else
            return (sg_field){line + at, (uint32_t)(end - at)};
    }
}

/* The quoted field at line[at]; returns where the separator behind it is, or a trouble below 0. */
static int64_t cut_quoted(char *line, size_t length, size_t at, char separator, sg_field *field, int *doubled)
{
    const char *close = find_close(line + at + 1, line + length, doubled);
    if (!close) return SG_FIELDS_OPEN_QUOTE;
    *field = (sg_field){line + at + 1, (uint32_t)(close - (line + at + 1))};
    size_t end = (size_t)(close - line) + 1;
    while (separator != ' ' && end < length && line[end] != separator && is_blank(line[end])) end++;
    if (end == length || is_separator(line, length, end, separator)) return (int64_t)end;
    field->text = line + end;
    return SG_FIELDS_AFTER_QUOTE;
}

static int cut_line(char *line, size_t length, char separator, int quotes, sg_field *fields, int most)
{
    int count = 0, doubled = 0, first_doubled = 0;
    size_t at = 0;
    const int blanks = separator == ' ';
    for (;;) {
        at = skip_blanks(line, length, at, separator);
        if (blanks && at == length) break;
        if (count == most) return note_trouble(fields, line + at, SG_FIELDS_TOO_MANY);
        sg_field *field = &fields[count++];
        size_t end;
        if (quotes && at < length && line[at] == '"') {
            const int64_t found = cut_quoted(line, length, at, separator, field, &doubled);
            if (found < 0)
                return note_trouble(fields, found == SG_FIELDS_OPEN_QUOTE ? line + at : field->text, (int)found);
            if (!doubled) first_doubled = count;
            end = (size_t)found;
        } else {
            end = find_separator(line, length, at, separator);
            *field = trim(line, at, end);
        }
        if (end >= length) break;
        at = end + (separator == SG_SEPARATOR_COLONS ? 2 : 1);
        if (blanks && at == length) break;
    }
    if (doubled) unescape_fields(line, fields, first_doubled, count);
    return count;
}

int sg_fields_cut(char *line, size_t length, char separator, sg_field *fields, int most)
{
    return cut_line(line, length, separator, 1, fields, most);
}

int sg_fields_cut_plain(char *line, size_t length, char separator, sg_field *fields, int most)
{
    return cut_line(line, length, separator, 0, fields, most);
}

/* ---- Rows of several lines ---- */

/*
 * Whether a quote is open at the end of a line, at whose beginning one is if `open`. *quote becomes the place of one that this
 * line opens. Cuts fields as sg_fields_cut does; what goes on behind a closed quote goes on to the separator.
 */
static int is_line_open(const char *line, size_t length, char separator, int open, size_t *quote)
{
    size_t at = 0;
    int doubled;
    for (;;) {
        if (!open) {
            at = skip_blanks(line, length, at, separator);
            if (at >= length) return 0;
        }
        if (open || line[at] == '"') {
            char *text = (char *)(uintptr_t)line; /* which nobody changes */
            const char *close = find_close(text + at + !open, text + length, &doubled);
            if (!close && !open) *quote = at;
            if (!close) return 1;
            open = 0;
            at = (size_t)(close - line) + 1;
        }
        at = find_separator(line, length, at, separator) + (separator == SG_SEPARATOR_COLONS ? 2 : 1);
    }
}

/* 64 bytes as bits: which of them are `what`. */
static uint64_t find_bytes(const char *text, char what)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8(what);
    for (int k = 0; k < 4; k++) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * k));
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)) << 16 * k;
    }
#else
    for (int k = 0; k < 64; k++) bits |= (uint64_t)(text[k] == what) << k;
#endif
    return bits;
}

/* Each bit becomes whether the bits up to it, with it, are odd in number. */
static uint64_t find_odd(uint64_t bits)
{
    for (int k = 1; k < 64; k *= 2) bits ^= bits << k;
    return bits;
}

/*
 * Where all quotes that open stand where a field begins, a byte is inside a quoted field if the quotes before it are odd in
 * number. So 64 bytes at a time are looked at as bits, until a quote opens elsewhere, or a line ends inside quotes.
 */
size_t sg_rows_plain(const char *text, size_t size, char separator)
{
    uint64_t open = 0,
             begins = 1; /* of the byte before: all bits are set inside quotes; a field begins behind it */
    size_t end = 0;
    char last[64];
    for (size_t at = 0; at < size; at += 64) {
        const char *bytes = text + at;
        if (size - at < 64) {
            memset(last, 0, sizeof last);
            bytes = memcpy(last, bytes, size - at);
        }
        const uint64_t lines = find_bytes(bytes, '\n'), quotes = find_bytes(bytes, '"');
        uint64_t starts = lines;
        if (separator != SG_SEPARATOR_COLONS) starts |= find_bytes(bytes, separator);
        if (separator == ' ') starts |= find_bytes(bytes, '\t');
        const uint64_t inside = find_odd(quotes) ^ open, opening = quotes & inside;
        const uint64_t odd = (opening & ~((starts | quotes) << 1 | begins)) | (lines & inside);
        const uint64_t before = odd ? (odd & -odd) - 1 : UINT64_MAX, ends = lines & before;
        if (ends) end = at + 64 - (size_t)__builtin_clzll(ends);
        if (odd) break;
        open = (uint64_t)0 - (inside >> 63);
        begins = (starts | quotes) >> 63;
    }
    return end;
}

static size_t break_row(sg_row_scan *scan)
{
    scan->broken = 1;
    scan->lines = scan->before + 1;
    return scan->behind;
}

size_t sg_row_find(sg_row_scan *scan, const char *text, size_t size, int ended, char separator, size_t longest)
{
    while (scan->at < size) {
        const char *line = text + scan->at, *newline = memchr(line, '\n', size - scan->at);
        if (!newline && !ended) return 0;
        const size_t length = newline ? (size_t)(newline - line) : size - scan->at;
        if (scan->open && scan->at + length > longest) return break_row(scan);
        size_t quote = SIZE_MAX;
        scan->open = is_line_open(line, length, separator, scan->open, &quote);
        if (quote != SIZE_MAX) {
            scan->quote = scan->at + quote;
            scan->behind = scan->at + length + (newline != NULL);
            scan->before = scan->lines;
        }
        scan->at += length + (newline != NULL);
        scan->lines++;
        if (!scan->open) return scan->at;
    }
    return ended && scan->open ? break_row(scan) : 0;
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
