/* Numbers and their text. */
#include "events/number_text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double POWER[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* ---- Reading ---- */

/* A number taken apart: (-1)^negative * mantissa * 10^exponent, exact if `exact`. */
typedef struct parts {
    uint64_t mantissa;
    int64_t exponent;
    int negative;
    int exact;
} parts;

/* Whether a field is this lower-case word in any case, whatever the locale thinks of letters. */
static int is_word(const char *p, size_t length, const char *word)
{
    if (length != strlen(word)) return 0;
    for (size_t i = 0; i < length; i++)
        if ((p[i] | 0x20) != word[i]) return 0;
    return 1;
}

static int is_not_finite(const char *p, size_t length)
{
    if (length > 0 && (*p == '-' || *p == '+')) {
        p++;
        length--;
    }
    return is_word(p, length, "nan") || is_word(p, length, "inf") || is_word(p, length, "infinity");
}

/* The digits of the exponent behind 'e'; a huge one is as good as 10^9. */
static int take_exponent(const char *p, const char *end, int64_t *exponent)
{
    int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return -1;
    int64_t value = 0;
    for (; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit > 9) return -1;
        if (value < 1000000000) value = value * 10 + digit;
    }
    *exponent += negative ? -value : value;
    return 0;
}

static int take_apart(const char *p, size_t length, parts *number)
{
    const char *end = p + length;
    *number = (parts){.exact = 1};
    if (p < end && (*p == '-' || *p == '+')) number->negative = *p++ == '-';
    int digits = 0, point = 0, significant = 0;
    for (; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit <= 9) {
            digits = 1;
            if (significant < 19) {
                number->mantissa = number->mantissa * 10 + digit;
                significant += number->mantissa != 0;
                number->exponent -= point;
            } else {
                number->exact &= digit == 0;
                number->exponent += !point;
            }
        } else if (*p == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    if (!digits) return -1;
    if (p < end) return (*p == 'e' || *p == 'E') ? take_exponent(p + 1, end, &number->exponent) : -1;
    return 0;
}

/* One rounding only: both operands are exact, so the result is the nearest double. Returns 0 if this cannot
 * be. */
static int read_exactly(const parts *number, double *value)
{
    const int64_t e = number->exponent;
    const uint64_t m = number->mantissa;
    if (!number->exact) return 0;
    if (m == 0 || (m <= (uint64_t)1 << 53 && e >= -22 && e <= 22)) {
        *value = m == 0 ? 0 : e < 0 ? (double)m / POWER[-e] : (double)m * POWER[e];
        return 1;
    }
#if LDBL_MANT_DIG == 64
    /* Rounding to 64 bits and then to 53 is right unless the first lands exactly between two doubles. */
    if (e >= -27 && e <= 27) {
        long double power = (long double)POWER[22];
        int64_t size = e < 0 ? -e : e;
        power = size <= 22 ? (long double)POWER[size] : power * (long double)POWER[size - 22];
        long double wide = e < 0 ? (long double)m / power : (long double)m * power;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        *value = (double)wide;
        return (bits & 0x7FF) != 0x400;
    }
#endif
    return 0;
}

/* Any length, any exponent: the C library, told to forget the user's locale. */
static int read_slowly(const char *p, size_t length, double *value)
{
    char small[128], *text = length < sizeof small ? small : malloc(length + 1);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    int status = -1;
    if (text && plain) {
        memcpy(text, p, length);
        text[length] = 0;
        *value = strtod_l(text, NULL, plain);
        status = isfinite(*value) ? 0 : 1;
    }
    if (plain) freelocale(plain);
    if (text != small) free(text);
    return status;
}

int sg_parse_double(const char *p, size_t length, double *value)
{
    parts number;
    if (take_apart(p, length, &number)) return is_not_finite(p, length) ? 1 : -1;
    double result;
    if (read_exactly(&number, &result)) {
        *value = number.negative ? -result : result;
        return 0;
    }
    int status = read_slowly(p, length, &result);
    if (!status) *value = result;
    return status;
}

/* ---- Writing ---- */

size_t sg_print_integer(int64_t value, char buffer[24])
{
    char reversed[24];
    size_t count = 0, length = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do reversed[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) buffer[length++] = '-';
    while (count) buffer[length++] = reversed[--count];
    return length;
}

static int reads_back(const char *text, size_t length, double value, int as_float)
{
    double read;
    if (sg_parse_double(text, length, &read)) return 0;
    return as_float ? (float)read == (float)value : read == value;
}

/* `count` correctly rounded digits of value > 0, by the C library; its decimal point may be any text. */
static int round_digits(double value, int count, char digits[24], int *exponent)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    const char *p = text;
    int length = 0;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') digits[length++] = *p;
    *exponent = atoi(p + 1) + 1;
    while (length > 1 && digits[length - 1] == '0') length--;
    digits[length] = 0;
    return length;
}

static int find_fewest_digits(double value, int as_float, char digits[24], int *exponent)
{
    /* Any decimal of so few digits comes back from a normal number, so no shorter one need be tried. */
    int least = as_float ? FLT_DIG : DBL_DIG, most = as_float ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    if (value < (as_float ? (double)FLT_MIN : DBL_MIN)) least = 1;
    int length = 0;
    for (int count = least; count <= most; count++) {
        length = round_digits(value, count, digits, exponent);
        char text[48];
        int size = snprintf(text, sizeof text, "%se%d", digits, *exponent - length);
        if (reads_back(text, (size_t)size, value, as_float)) break;
    }
    return length;
}

int sg_shortest_digits(double value, char digits[24], int *exponent)
{
    return find_fewest_digits(value, 0, digits, exponent);
}

/* Digits as a plain decimal where that is short, else with an exponent. */
static size_t lay_out_digits(const char *digits, int count, int exponent, char *p)
{
    char *begin = p;
    /* Beyond 16 digits the fewest may not be all: 72057594037927950 reads back but is not the number. */
    if (exponent > -5 && exponent <= 16) {
        if (exponent <= 0) {
            *p++ = '0';
            *p++ = '.';
            for (int i = exponent; i < 0; i++) *p++ = '0';
        }
        for (int i = 0; i < count || i < exponent; i++) {
            if (i == exponent && i > 0) *p++ = '.';
            *p++ = i < count ? digits[i] : '0';
        }
    } else {
        *p++ = digits[0];
        if (count > 1) *p++ = '.';
        for (int i = 1; i < count; i++) *p++ = digits[i];
        *p++ = 'e';
        p += sg_print_integer(exponent - 1, p);
    }
    return (size_t)(p - begin);
}

/*
 * Most numbers people log have few decimals: whole / 10^k is exact arithmetic with one rounding, so equality
 * proves that the text reads back. Returns 0 if there is no such k.
 */
static size_t print_few_decimals(double value, int as_float, char *p)
{
    const double limit = as_float ? 1e9 : 1e15;
    if (value < 1e-5) return 0;
    for (int k = 0; k <= (as_float ? 12 : 15); k++) {
        double scaled = value * POWER[k];
        if (scaled >= limit) return 0;
        double whole = rint(scaled);
        if (as_float ? (float)(whole / POWER[k]) != (float)value : whole / POWER[k] != value) continue;
        size_t length = sg_print_integer((int64_t)whole, p);
        if (k == 0) return length;
        size_t integer = length > (size_t)k ? length - (size_t)k : 0, zeros = integer ? 0 : (size_t)k - length;
        size_t lead = integer ? integer : 1;
        memmove(p + lead + 1 + zeros, p + integer, length - integer);
        if (!integer) p[0] = '0';
        p[lead] = '.';
        memset(p + lead + 1, '0', zeros);
        return lead + 1 + (size_t)k;
    }
    return 0;
}

static size_t print_number(double value, int as_float, char buffer[32])
{
    char *p = buffer;
    if (isnan(value)) return (size_t)(stpcpy(buffer, "nan") - buffer);
    if (signbit(value)) *p++ = '-';
    double size = fabs(value);
    size_t length;
    if (isinf(value))
        length = (size_t)(stpcpy(p, "inf") - p);
    else if (size < 0x1p53 && size == (double)(int64_t)size)
        length = sg_print_integer((int64_t)size, p);
    else
        length = print_few_decimals(size, as_float, p);
    if (!length) {
        char digits[24];
        int exponent, count = find_fewest_digits(size, as_float, digits, &exponent);
        length = lay_out_digits(digits, count, exponent, p);
    }
    p[length] = 0;
    return (size_t)(p - buffer) + length;
}

size_t sg_print_double(double value, char buffer[32])
{
    return print_number(value, 0, buffer);
}

size_t sg_print_float(float value, char buffer[32])
{
    return print_number((double)value, 1, buffer);
}
