/* What may be shown to a person of text that came from anywhere. */
#include "cmocka_all.h"

#include "base/letters.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Every letter there is, written by hand, is read back; of them these steer. */
static void every_letter_is_read(void **state)
{
    (void)state;
    size_t steering = 0;
    for (uint32_t letter = 1; letter <= 0x10FFFF; letter++) {
        char text[5] = {0};
        uint32_t read = 0;
        const size_t size = letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
        static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
        for (size_t i = 0; i < size; i++)
            text[i] = (char)(size == 1 ? letter
                             : i == 0  ? first[size] | letter >> 6 * (size - 1)
                                       : 0x80 | (letter >> 6 * (size - 1 - i) & 0x3F));
        const int half = letter >= 0xD800 && letter < 0xE000;
        assert_int_equal(sg_letter(text, &read), half ? 0 : size);
        if (!half) assert_int_equal(read, letter);
        steering += (size_t)(!half && sg_letter_steers(letter));
        assert_int_equal(sg_letter_shown(text), half || sg_letter_steers(letter) ? 0 : size);
        text[size - 1] = 0; /* cut */
        if (size > 1) assert_int_equal(sg_letter(text, &read), 0);
    }
    assert_int_equal(steering,
                     31 + 33 + 7 + 4 + 3); /* C0; DEL and C1; U+2028 to 202E; U+2066 to 2069; three marks */
}

static void what_is_no_letter(void **state)
{
    (void)state;
    static const char *const none[] = {"\x80",
                                       "\xBF",
                                       "\xC0\x80",
                                       "\xC1\xBF",
                                       "\xE0\x80\x80",
                                       "\xED\xA0\x80",
                                       "\xF0\x80\x80\x80",
                                       "\xF4\x90\x80\x80",
                                       "\xF8\x88\x80\x80\x80",
                                       "\xFF",
                                       "\xC3",
                                       "\xE2\x82"};
    uint32_t letter;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(sg_letter(none[i], &letter), 0);
        assert_int_equal(sg_letter_shown(none[i]), 0);
    }
}

static void a_text_is_calmed(void **state)
{
    (void)state;
    char text[] = "a\x1B[2J\xC2\x9B\xE2\x80\xAE\xC3\xA9\x9B\xFFz\n\x7F\xF0\x9F\x98\x80\xE2\x82";
    sg_text_calm(text);
    assert_string_equal(text, "a?[2J??\xC3\xA9??z??\xF0\x9F\x98\x80??");
    char nothing[] = "";
    sg_text_calm(nothing);
    assert_string_equal(nothing, "");
}

static void messages_are_one_calm_line(void **state)
{
    (void)state;
    scadyg_error error = {0};
    char *lines = NULL;
    (void)sg_fail(&error, SCADYG_E_INPUT, "no '%s'", "x\x1B]0;t\x07\r\n\xC2\x85\xE2\x80\xAEy");
    assert_string_equal(error.message, "no 'x?]0;t?????y'");
    assert_int_equal(sg_add_line(&error, &lines, "one %s", "\x1B[1m\xFF"), SCADYG_OK);
    assert_int_equal(sg_add_line(&error, &lines, "two %s", "\xC3\xA9"), SCADYG_OK);
    assert_string_equal(lines, "one ?[1m?\ntwo \xC3\xA9\n");
    free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_letter_is_read),
        cmocka_unit_test(what_is_no_letter),
        cmocka_unit_test(a_text_is_calmed),
        cmocka_unit_test(messages_are_one_calm_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
