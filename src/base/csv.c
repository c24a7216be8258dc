/* Tables as text: a line cut into its fields at commas, semicolons, tabs, bars or blanks, with quotes. */
#include "base/csv.h"

#include <string.h>

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
            while (!blanks && end < length && line[end] != separator && is_blank(line[end])) end++;
            if (end < length && line[end] != separator && !(blanks && is_blank(line[end])))
                return note_trouble(fields, line + end, SG_FIELDS_AFTER_QUOTE);
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

/* ---- The names that people give to the columns of logs ---- */

#define NAME_LONGEST 64

static const struct {
    sg_role role;
    const char *names; /* each between blanks */
} known_names[] = {
    {SG_ROLE_SRC, " src source source_id src_id from from_id from_node fromnodeid u user user_id userid sender "
                  "sender_id source_subreddit nation exporter caller caller_id node1 node_1 head payer follower "
                  "user_address author author_id who from_address customer customer_id reviewer reviewerid "
                  "reviewer_id buyer actor initiator src_ip source_ip id_a person1 "},
    {SG_ROLE_DST, " dst dest destination destination_id dst_id to to_id to_node tonodeid target target_id v i item "
                  "item_id itemid receiver receiver_id recipient recipient_id target_subreddit trading_nation "
                  "co_voting_nation importer callee callee_id node2 node_2 tail payee followee genre subreddit "
                  "token_address whom to_address product product_id productid movie movie_id movieid page page_id "
                  "merchant merchant_id seller dst_ip dest_ip destination_ip id_b person2 partner "},
    {SG_ROLE_TIME, " time timestamp ts t date datetime date_time year unixtime unix_time unixts unix_timestamp "
                   "created_at created created_utc when epoch event_time time_stamp "},
    {SG_ROLE_WEIGHT, " weight w amount edge_weight trade "},
    {SG_ROLE_LABEL, " label state_label y link_sentiment y_true is_fraud fraud "},
    {SG_ROLE_FEATURE, " rating score features feature feat comma_separated_list_of_features properties "},
    {SG_ROLE_INDEX, " idx "},
    {SG_ROLE_IGNORE, " post_id edge_id event_id row index "},
};

/* Lower case, with underscores for blanks and dashes. */
static size_t make_plain_name(const char *name, size_t length, char out[NAME_LONGEST])
{
    if (length >= NAME_LONGEST) return 0;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        out[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c == ' ' || c == '-' ? '_' : c);
    }
    out[length] = 0;
    return length;
}

/* "f0", "feat_12", "x3": a feature by its number. */
static int is_numbered_feature(const char *name)
{
    static const char *const stems[] = {"feature", "feat", "f", "x"};
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
        size_t stem = strlen(stems[k]);
        if (strncmp(name, stems[k], stem) != 0) continue;
        const char *rest = name + stem;
        if (*rest == '_') rest++;
        if (*rest && strspn(rest, "0123456789") == strlen(rest)) return 1;
    }
    return 0;
}

static int is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *found = names; (found = strstr(found, name)); found++)
        if (found > names && found[-1] == ' ' && found[length] == ' ') return 1;
    return 0;
}

sg_role sg_name_role(const char *name, size_t length, int *known)
{
    char plain[NAME_LONGEST];
    *known = 1;
    if (length == 0) return SG_ROLE_IGNORE; /* pandas' index column */
    if (make_plain_name(name, length, plain)) {
        for (size_t k = 0; k < sizeof known_names / sizeof *known_names; k++)
            if (is_among(known_names[k].names, plain)) return known_names[k].role;
        if (is_numbered_feature(plain)) return SG_ROLE_FEATURE;
    }
    *known = 0;
    return SG_ROLE_IGNORE;
}

int sg_names_two_kinds(const char *src, const char *dst)
{
    char a[NAME_LONGEST], b[NAME_LONGEST];
    if (!src || !dst || !make_plain_name(src, strlen(src), a) || !make_plain_name(dst, strlen(dst), b)) return 0;
    return is_among(" user user_id userid customer customer_id reviewer reviewerid reviewer_id ", a) &&
           is_among(" item item_id itemid product product_id productid movie movie_id movieid page page_id ", b);
}
