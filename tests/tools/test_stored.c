/* The results that a model file keeps are whatever its writer put there: printed, they steer no terminal. */
#include "cmocka_all.h"

#include "base/letters.h"
#include "cli/describe.h"
#include "cli/result.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is printed of such a text; free it. */
static char *print_stored(const char *stored)
{
    char name[] = "/tmp/scadyg-result-XXXXXX";
    const int file = mkstemp(name), before = dup(STDOUT_FILENO);
    assert_true(file >= 0 && before >= 0);
    unlink(name);
    json_t *results = cli_results_parse(stored);
    fflush(stdout);
    assert_true(dup2(file, STDOUT_FILENO) >= 0);
    cli_results_print(results, &(scadyg_shape){0});
    fflush(stdout);
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    close(before);
    json_decref(results);
    const off_t size = lseek(file, 0, SEEK_END);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(pread(file, text, (size_t)size, 0), size);
    close(file);
    return text;
}

static void assert_calm(const char *text)
{
    for (size_t size; *text; text += size) {
        size = *text == '\n' ? 1 : sg_letter_shown(text);
        assert_true(size > 0);
    }
}

static void hostile_words_are_written_out(void **state)
{
    (void)state;
    char *text = print_stored(
        "[{\"protocol\": \"\\u001b[2Jpaper\", \"part\": \"\\u009b\", \"pool\": \"\\u202e\", \"negatives\": 1, "
        "\"model\": \"\\u001b]0;m\\u0007\", \"mrr\": 0.5, \"queries\": 3, "
        "\"baselines\": {\"\\u001b[1m\\nrule\": {\"mrr\": 0.25}}}]");
    assert_calm(text);
    assert_non_null(strstr(text, "\\x1B[2Jpaper protocol"));
    assert_non_null(strstr(text, "\\x1B[1m\\x0Arule"));
    assert_non_null(strstr(text, "0.2500"));
    free(text);
}

static void what_is_no_result_is_not_shown(void **state)
{
    (void)state;
    static const char *const stored[] = {
        "", "1", "null", "\"\\u001b\"", "{}", "[]", "[1, null, \"x\", [], {}]", "[", "{\"mrr\":"};
    for (size_t i = 0; i < CLI_COUNT(stored); i++) {
        char *text = print_stored(stored[i]);
        assert_calm(text);
        free(text);
    }
}

/* For a terminal everything that is not shown is written out, as much as there is room for. */
static void safe_text(void **state)
{
    (void)state;
    char long_text[2000];
    memset(long_text, 0x1B, sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    assert_string_equal(cli_safe("a\x1B[2J\xC2\x9B\xE2\x80\xAE\xFF\xC3\xA9"),
                        "a\\x1B[2J\\xC2\\x9B\\xE2\\x80\\xAE\\xFF\xC3\xA9");
    assert_int_equal(strlen(cli_safe(long_text)), (CLI_LONG_TEXT - 1) / 4 * 4);
    char *all = cli_safe_text(long_text);
    assert_int_equal(strlen(all), 4 * strlen(long_text));
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_words_are_written_out),
        cmocka_unit_test(what_is_no_result_is_not_shown),
        cmocka_unit_test(safe_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
