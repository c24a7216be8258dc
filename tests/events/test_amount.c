/* Numbers as people write them. */
#include "cmocka_all.h"

#include "events/import/amount.h"

#include <string.h>

enum { POINT, COMMA, BOTH };

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int sign; /* which reads it; the other must not, or give another number */
        double value;
    } cases[] = {
        {"7", BOTH, 7},
        {"-7", BOTH, -7},
        {"+7", BOTH, 7},
        {"1e3", BOTH, 1000},
        {"12.5", POINT, 12.5},
        {"12,5", COMMA, 12.5},
        {"1,234.50", POINT, 1234.5},
        {"1.234,50", COMMA, 1234.5},
        {"1,234,567", POINT, 1234567},
        {"1.234.567", COMMA, 1234567},
        {"1'234.50", POINT, 1234.5},
        {"1 234,50", COMMA, 1234.5},
        {"1\xE2\x80\xAF"
         "234,50\xC2\xA0€",
         COMMA, 1234.5},
        {"R$ 12,50", COMMA, 12.5},
        {"R$12,50", COMMA, 12.5},
        {"12,50 zł", COMMA, 12.5},
        {"12,50 Kč", COMMA, 12.5},
        {"12,50 kr", COMMA, 12.5},
        {"12,50 ₽", COMMA, 12.5},
        {"\xE2\x88\x92"
         "12.50",
         POINT, -12.5},
        {"12.50 DR", POINT, -12.5},
        {"12.50CR", POINT, 12.5},
        {"$12.50", POINT, 12.5},
        {"-$12.50", POINT, -12.5},
        {"$-12.50", POINT, -12.5},
        {"$1,234.50", POINT, 1234.5},
        {"12,50 €", COMMA, 12.5},
        {"EUR 12,50", COMMA, 12.5},
        {"12.50 USD", POINT, 12.5},
        {"(12.50)", POINT, -12.5},
        {"($1,234.50)", POINT, -1234.5},
        {"(12,50 €)", COMMA, -12.5},
        {"12.50-", POINT, -12.5},
        {"1.234,50-", COMMA, -1234.5},
        {"£5", BOTH, 5},
        {"true", BOTH, 1},
        {"False", BOTH, 0},
        {"YES", BOTH, 1},
        {"no", BOTH, 0},
        {"T", BOTH, 1},
        {"n", BOTH, 0},
        {"45%", BOTH, 45},
        {"4.5 %", POINT, 4.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int comma = 0; comma < 2; comma++) {
            double value = -1e300;
            const int status = sg_parse_amount(cases[i].text, strlen(cases[i].text), comma, &value);
            const int same = status == 0 && value == cases[i].value;
            if (same != (cases[i].sign == BOTH || cases[i].sign == comma))
                fail_msg("%s with %s gives %d, %g", cases[i].text, comma ? "commas" : "points", status, value);
        }
}

static void none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",        "-",      "$",       "€ ",     "abc",   "1,23,456.0", "12,34,5",
                                        "0,123,4", "1..2",   "1,2,3,4", "USD12",  "12USD", "SEK-1",      "(-12.50)",
                                        "--5",     "(5",     "5)",      "()",     "-5-",   "(5-)",       "(a)",
                                        "1 2",     "1,,000", ",000.5x", "0x10 €", "truely"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        if (sg_parse_amount(texts[i], strlen(texts[i]), 0, &value) == 0) fail_msg("'%s' is %g", texts[i], value);
    }
    char longest[200];
    memset(longest, '1', sizeof longest);
    longest[1] = ',';
    double value;
    assert_int_equal(sg_parse_amount(longest, sizeof longest, 1, &value), -1);
    assert_int_equal(sg_parse_amount("nan", 3, 0, &value), 1);
}

static void money(void **state)
{
    (void)state;
    static const char *const is[] = {"$5", "-$5", "5 €", "5€", "EUR 5", "5.00 USD"};
    static const char *const is_not[] = {"5", "$x", "SKU5", "EUR", "5 EURO", "€", ""};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        if (!sg_is_money(is[i], strlen(is[i]))) fail_msg("%s is no money", is[i]);
    for (size_t i = 0; i < sizeof is_not / sizeof *is_not; i++)
        if (sg_is_money(is_not[i], strlen(is_not[i]))) fail_msg("%s is money", is_not[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(none), cmocka_unit_test(money)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
