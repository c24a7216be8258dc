/* Numbers as people write them. */
#include "events/import/amount.h"

#include "events/number_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LONGEST 64

static const char *const signs[] = {"%",   "$",   "€",   "£",   "¥",   "₹",   "EUR", "USD",
                                    "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "SEK",
                                    "NOK", "DKK", "PLN", "R$",  "zł",  "Kč",  "kr",  "₽"};

#define SIGNS (sizeof signs / sizeof *signs)
_Static_assert(SIGNS == SG_CURRENCIES, "a number for each");

/* A sign that may be the same currency as letters: the place of these. */
static const unsigned char same[SIGNS] = {0,  7,  6,  8,  10, 12, 6,  7,  8,  9,  10, 11,
                                          12, 13, 14, 15, 16, 17, 18, 19, 18, 21, 22, 23};

/* Blanks, among them the two that do not break a line. */
static size_t match_blank(const char *text, size_t length)
{
    if (length >= 1 && (*text == ' ' || *text == '\t')) return 1;
    if (length >= 2 && memcmp(text, "\xC2\xA0", 2) == 0) return 2;
    return length >= 3 && memcmp(text, "\xE2\x80\xAF", 3) == 0 ? 3 : 0;
}

static void skip_blanks(const char **text, size_t *length)
{
    for (size_t blank; (blank = match_blank(*text, *length)) > 0; *length -= blank) *text += blank;
}

/* Takes a currency from the beginning; 1 + its place, 0: there is none. Letters need a blank, for an id may begin with them. */
static int drop_first_sign(const char **text, size_t *length)
{
    for (size_t k = 0; k < SIGNS; k++) {
        const size_t size = strlen(signs[k]);
        if (*length <= size || memcmp(*text, signs[k], size) != 0) continue;
        if (isalpha((unsigned char)signs[k][0]) && signs[k][1] != '$' && !match_blank(*text + size, *length - size))
            continue;
        *text += size;
        *length -= size;
        skip_blanks(text, length);
        return 1 + same[k];
    }
    return 0;
}

static int drop_last_sign(const char *text, size_t *length)
{
    for (size_t k = 0; k < SIGNS; k++) {
        const size_t size = strlen(signs[k]);
        if (*length <= size || memcmp(text + *length - size, signs[k], size) != 0) continue;
        size_t rest = *length - size, blanks = 0;
        for (size_t wide = 1; wide <= 3 && wide < rest; wide++)
            if (match_blank(text + rest - wide, wide) == wide) blanks = wide;
        if (isalpha((unsigned char)signs[k][0]) && !blanks) continue;
        *length = rest - blanks;
        return 1 + same[k];
    }
    return 0;
}

/* Bookkeepers write (12.50) or 12.50- for -12.50. */
static int drop_book_minus(const char **text, size_t *length)
{
    const int brackets = *length > 2 && **text == '(' && (*text)[*length - 1] == ')';
    if (!brackets && !(*length > 1 && isdigit((unsigned char)**text) && (*text)[*length - 1] == '-')) return 0;
    *text += brackets;
    *length -= brackets ? 2 : 1;
    skip_blanks(text, length);
    return 1;
}

/* A minus, the one of typographers (U+2212) too: its length. */
static size_t match_minus(const char *text, size_t length)
{
    if (length >= 1 && *text == '-') return 1;
    return length >= 3 && memcmp(text, "\xE2\x88\x92", 3) == 0 ? 3 : 0;
}

/* Banks write CR behind what comes in, DR behind what goes out. 1: it goes out. */
static int drop_debit(const char *text, size_t *length)
{
    if (*length < 3) return 0;
    const char *end = text + *length - 2;
    const int debit = memcmp(end, "DR", 2) == 0;
    const char before = end[-1] == ' ' && *length > 3 ? end[-2] : end[-1];
    if ((!debit && memcmp(end, "CR", 2) != 0) || !isdigit((unsigned char)before)) return 0;
    *length -= end[-1] == ' ' ? 3 : 2;
    return debit;
}

/* A currency before or behind the number, with the minus on either side of it. */
static int drop_money(const char **text, size_t *length, int *negative)
{
    if (drop_book_minus(text, length)) {
        *negative = 1;
        const int found = drop_first_sign(text, length);
        return found ? found : drop_last_sign(*text, length);
    }
    const size_t minus = match_minus(*text, *length), sign = *length > 0 && **text == '+' ? 1 : minus;
    *negative = minus > 0;
    *text += sign;
    *length -= sign;
    if (!sign) *negative = drop_debit(*text, length);
    int found = drop_first_sign(text, length);
    if (!found) found = drop_last_sign(*text, length);
    const size_t behind = found && !*negative ? match_minus(*text, *length) : 0;
    *negative |= behind > 0;
    *text += behind;
    *length -= behind;
    return found;
}

int sg_is_money(const char *text, size_t length)
{
    int negative;
    const int found = length < LONGEST ? drop_money(&text, &length, &negative) : 0;
    return length > 0 && isdigit((unsigned char)*text) ? found : 0;
}

const char *sg_currency(int money)
{
    return signs[money - 1];
}

/* What stands between thousands here: its length, 0 if it is nothing such. */
static size_t match_group(const char *text, size_t length, char group)
{
    if (*text == group || *text == '\'') return 1;
    return match_blank(text, length);
}

/* Digits in groups of three, then decimals: rewritten as sg_parse_double has it. Returns its length, 0: it is none such. */
static size_t rewrite(const char *text, size_t length, char point, char *out)
{
    const char group = point == ',' ? '.' : ',';
    size_t used = 0, digits = 0, groups = 0, i = 0;
    while (i < length && text[i] != point && text[i] != 'e' && text[i] != 'E') {
        const size_t between = match_group(text + i, length - i, group);
        if (between) {
            if (digits == 0 || digits > 3 || (groups && digits != 3) || (groups == 0 && text[0] == '0')) return 0;
            groups++;
            digits = 0;
            i += between;
        } else if (isdigit((unsigned char)text[i])) {
            out[used++] = text[i++];
            digits++;
        } else
            return 0;
    }
    if (groups && digits != 3) return 0;
    for (; i < length; i++) out[used++] = text[i] == point ? '.' : text[i];
    return used;
}

static int read_flag(const char *text, size_t length, double *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "f", "t", "n", "y"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == length && strncasecmp(text, words[k], length) == 0) {
            *value = (double)(k % 2);
            return 0;
        }
    return -1;
}

int sg_parse_amount(const char *text, size_t length, int decimal_comma, double *value)
{
    char plain[LONGEST + 1];
    int negative;
    if (!decimal_comma) {
        const int status = sg_parse_double(text, length, value);
        if (status >= 0) return status;
    }
    if (length >= LONGEST) return -1;
    if (read_flag(text, length, value) == 0) return 0;
    drop_money(&text, &length, &negative);
    plain[0] = '-';
    const size_t used = rewrite(text, length, decimal_comma ? ',' : '.', plain + 1);
    return used ? sg_parse_double(plain + !negative, used + (size_t)negative, value) : -1;
}
