/* Fields: lines cut at their separators, and which bytes are UTF-8. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "base/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts a line and writes the fields as [a][b]; a number below 0 as itself, with the place of the trouble. */
static const char *cut(const char *line, char separator)
{
    static char out[512];
    char copy[256];
    sg_field fields[8];
    size_t used = 0;
    strcpy(copy, line);
    int count = sg_fields_cut(copy, strlen(line), separator, fields, 8);
    out[0] = 0;
    if (count < 0) snprintf(out, sizeof out, "%d at %d", count, (int)(fields[0].text - copy));
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "[%.*s]", (int)fields[i].length, fields[i].text);
    return out;
}

static void cutting(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        char separator;
        const char *fields;
    } cases[] = {
        {"1 2 3", ' ', "[1][2][3]"},
        {"  1 \t 2\t3  ", ' ', "[1][2][3]"},
        {"", ' ', ""},
        {"   ", ' ', ""},
        {"", ',', "[]"},
        {",", ',', "[][]"},
        {"a,b,", ',', "[a][b][]"},
        {",a,,b", ',', "[][a][][b]"},
        {" a , b\t,\tc ", ',', "[a][b][c]"},
        {"a\tb c\t d ", '\t', "[a][b c][d]"},
        {"a\t\tb\t", '\t', "[a][][b][]"},
        {"a;b|c;d", ';', "[a][b|c][d]"},
        {"a;b|c;d", '|', "[a;b][c;d]"},
        {"\"a,b\",c", ',', "[a,b][c]"},
        {"\"say \"\"hi\"\"\",x", ',', "[say \"hi\"][x]"},
        {"\" a \" , \"\"", ',', "[ a ][]"},
        {"\"\"\"\"", ',', "[\"]"},
        {"\"a b\" \"c\" d", ' ', "[a b][c][d]"},
        {"\"a\"\tb", ' ', "[a][b]"},
        {"5\" pipe,x\"y", ',', "[5\" pipe][x\"y]"},
        {"\"open,x", ',', "-2 at 0"},
        {"a, \"open\"\"", ',', "-2 at 3"},
        {"a,\"b\"c,d", ',', "-3 at 5"},
        {"\"b\"c", ' ', "-3 at 3"},
        {"1,2,3,4,5,6,7,8", ',', "[1][2][3][4][5][6][7][8]"},
        {"1,2,3,4,5,6,7,8,", ',', "-1 at 16"},
        {"1 2 3 4 5 6 7 8 ", ' ', "[1][2][3][4][5][6][7][8]"},
        {"1 2 3 4 5 6 7 8 9", ' ', "-1 at 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(cut(cases[i].line, cases[i].separator), cases[i].fields);
}

/* Random fields, joined with or without quotes, come apart again. */
static void joined_and_cut(void **state)
{
    (void)state;
    static const char letters[] = "ab,;|\t \"#x";
    static const char separators[] = {',', ';', '|', '\t', ' '};
    sg_rng rng;
    sg_rng_seed(&rng, 1, 2);
    for (int round = 0; round < 20000; round++) {
        char separator = separators[sg_rng_below(&rng, 5)], fields[5][8], line[200];
        size_t length = 0;
        int count = 1 + (int)sg_rng_below(&rng, 5);
        for (int i = 0; i < count; i++) {
            size_t size = sg_rng_below(&rng, 7);
            for (size_t k = 0; k < size; k++) fields[i][k] = letters[sg_rng_below(&rng, sizeof letters - 1)];
            fields[i][size] = 0;
            if (i) line[length++] = separator;
            int quoted = size == 0 || strpbrk(fields[i], "\" \t") || strchr(fields[i], separator);
            if (quoted) line[length++] = '"';
            for (size_t k = 0; k < size; k++) {
                if (quoted && fields[i][k] == '"') line[length++] = '"';
                line[length++] = fields[i][k];
            }
            if (quoted) line[length++] = '"';
        }
        sg_field got[5];
        assert_int_equal(sg_fields_cut(line, length, separator, got, 5), count);
        for (int i = 0; i < count; i++) {
            assert_int_equal(got[i].length, strlen(fields[i]));
            assert_memory_equal(got[i].text, fields[i], got[i].length);
        }
    }
}

static void separators(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        char separator;
    } cases[] = {
        {"1 2 3", ' '},
        {"single", ' '},
        {"a,b;c", ','},
        {"a;b|c", ';'},
        {"a|b c", '|'},
        {"a\tb,c", '\t'},
        {"\"a,b\";c", ';'},
        {"\"a\"\"b,c\" d", ' '},
        {"5\" pipe\t6\" pipe\t7", '\t'},
        {"a b\tc d\te", '\t'},
        {"1 2\t1\t1082040961", ' '},
        {"1\t2\t\t4 5", '\t'},
        {"1\t2\t3", '\t'},
        {"1\t 2 3", ' '},
        {"1 \t2 \t3", '\t'},
        {"1 2\t3\t", '\t'},
        {"1\t2\t2014-01-01 09:30:00", '\t'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sg_fields_separator(cases[i].line, strlen(cases[i].line)) != cases[i].separator)
            fail_msg("'%s' is separated by '%c'", cases[i].line, cases[i].separator);
}

/* UTF-8 as the standard defines it: decode, then check the code point and whether it took the fewest bytes.
 */
static int valid_slowly(const unsigned char *p, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned bits = 0, lead = p[i];
        while (bits < 8 && lead & (0x80u >> bits)) bits++;
        if (bits == 1 || bits > 4) return 0;
        size_t size = bits ? bits : 1;
        uint32_t code = bits ? lead & (0x7Fu >> bits) : lead;
        if (i + size > length) return 0;
        for (size_t k = 1; k < size; k++) {
            if (p[i + k] >> 6 != 2) return 0;
            code = code << 6 | (p[i + k] & 63u);
        }
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
        if (code == 0 || code == '\n' || code == '\r') return 0;
        i += size;
    }
    return 1;
}

static void utf8(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 3);
    int valid = 0, total = 500000;
    for (int round = 0; round < total; round++) {
        /* Bytes near the borders are likelier than others. */
        static const unsigned char borders[] = {0,    '\n', '\r', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                                0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF, 'a'};
        unsigned char bytes[6];
        size_t length = sg_rng_below(&rng, 7);
        for (size_t i = 0; i < length; i++)
            bytes[i] = sg_rng_below(&rng, 3) ? borders[sg_rng_below(&rng, sizeof borders)]
                                             : (unsigned char)sg_rng_below(&rng, 256);
        /* An exact copy on the heap, so that reading past the end is seen. */
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, bytes, length);
        int expected = valid_slowly(bytes, length);
        valid += expected;
        assert_int_equal(sg_utf8_valid(copy, length), expected);
        free(copy);
    }
    assert_in_range(valid, total / 100, total / 2);
    assert_true(sg_utf8_valid("Côte d’Ivoire 🚀", strlen("Côte d’Ivoire 🚀")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutting),
        cmocka_unit_test(joined_and_cut),
        cmocka_unit_test(separators),
        cmocka_unit_test(utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
