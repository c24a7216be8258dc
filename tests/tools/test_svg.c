/* Charts of any numbers: all that is drawn lies in the picture, and every number of it is one. */
#include "cmocka_all.h"

#include "report/svg.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double odd[] = {0,      1,     -1,     0.3,   5e-324, -5e-324, 1e-300,   1e15,     -1e15,     1e300,
                             -1e300, 1e307, -1e307, 1e308, -1e308, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN};
enum { ODD = CLI_COUNT(odd) };

/* Every number in an attribute of the drawing is one, and near the picture. */
static void assert_drawn(const char *text)
{
    for (const char *at = strstr(text, "=\""); at; at = strstr(at, "=\"")) {
        const char *end = strchr(at += 2, '"');
        assert_non_null(end);
        if (strncmp(at - 7, "class=\"", 7) == 0 || strncmp(at - 12, "aria-label=\"", 12) == 0) continue;
        for (char *next; at < end; at = next) {
            const double value = strtod(at, &next);
            if (next == at)
                next++;
            else
                assert_true(fabs(value) < 1e5); /* NaN and infinity are not */
        }
    }
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

static char *text;
static size_t size;

static FILE *begin_text(void)
{
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    return out;
}

static void end_text(FILE *out)
{
    assert_int_equal(fclose(out), 0);
    assert_drawn(text);
    free(text);
}

static void draw_all(svg_axis x, svg_axis y)
{
    FILE *out = begin_text();
    svg_chart chart = {.out = out, .name = "any", .x = x, .y = y};
    svg_begin(&chart);
    svg_line(&chart, odd, odd, ODD, 0, SVG_DOTS);
    for (size_t i = 0; i < ODD; i++) {
        svg_spread(&chart, odd[i], odd[(i + 3) % ODD], odd[(i + 7) % ODD], 1);
        svg_column(&chart, odd[i], odd[(i + 1) % ODD], odd[(i + 2) % ODD], 2, NULL);
        svg_band(&chart, odd[i], odd[(i + 5) % ODD], "band");
        svg_rule(&chart, odd[i], odd[(i + 1) % ODD], odd[(i + 2) % ODD], odd[(i + 3) % ODD]);
    }
    svg_end(&chart);
    end_text(out);
}

static void assert_sound(const svg_axis *axis)
{
    assert_true(isfinite(axis->low) && isfinite(axis->high) && axis->low < axis->high);
    assert_true(isfinite(axis->high - axis->low) && axis->count <= SVG_TICKS);
    for (size_t i = 0; i < axis->count; i++) assert_true(isfinite(axis->ticks[i].at));
}

static void axes_of_any_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODD; i++)
        for (size_t k = 0; k < ODD; k++) {
            const svg_axis linear = svg_axis_of("x", odd[i], odd[k]), logarithm = svg_axis_log("y", odd[i], odd[k]),
                           bare = svg_axis_bare(NULL, odd[i], odd[k]);
            assert_sound(&linear);
            assert_sound(&logarithm);
            assert_sound(&bare);
            draw_all(linear, logarithm);
            draw_all(logarithm, bare);
        }
}

/* Numbers whose difference is none are still told apart. */
static void numbers_far_apart(void **state)
{
    (void)state;
    double before = -INFINITY;
    for (int i = 0; i <= 10; i++) {
        const double at = svg_between(-1.7e308, 1.7e308, i / 10.0);
        assert_true(isfinite(at) && at > before);
        before = at;
    }
    assert_true(svg_between(-5, 7, 0) == -5 && svg_between(-5, 7, 1) == 7);
}

static void bars_of_any_numbers(void **state)
{
    (void)state;
    svg_bar bars[ODD];
    for (size_t i = 0; i < ODD; i++) {
        bars[i] = (svg_bar){.text = "bar", .value = odd[i], .spread = odd[(i + 4) % ODD], .look = svg_look(i)};
    }
    for (size_t i = 0; i < ODD; i++) {
        FILE *out = begin_text();
        const svg_key key = {"key", 0};
        svg_bars(&(svg_chart){.out = out, .name = "any", .keys = &key, .key_count = 1}, bars, 1, 1);
        end_text(out);
        out = begin_text();
        for (size_t k = 0; k < ODD; k++)
            if (!isfinite(bars[k].value)) bars[k].value = NAN; /* no bar */
        svg_bars(&(svg_chart){.out = out, .name = "any"}, bars, ODD, odd[i]);
        end_text(out);
    }
}

static double odd_cell(const void *context, size_t row, size_t column, size_t y, size_t x)
{
    (void)context;
    return odd[(row + 3 * column + 5 * y + x) % ODD];
}

static const char *no_name(const void *context, size_t i)
{
    (void)context, (void)i;
    return "a name";
}

static void maps_of_any_numbers(void **state)
{
    (void)state;
    signed char levels[16];
    for (size_t i = 0; i < ODD; i++) {
        if (!(odd[i] > 0) || !isfinite(odd[i])) continue; /* the largest of the cells */
        FILE *out = begin_text();
        const svg_maps maps = {.rows = 4,
                               .columns = 5,
                               .size = 4,
                               .most = odd[i],
                               .row_name = no_name,
                               .column_name = no_name,
                               .cell = odd_cell,
                               .levels = levels};
        svg_maps_draw(&(svg_chart){.out = out, .name = "any"}, &maps);
        end_text(out);
    }
}

/* As many series as a study takes, and more, have looks of their own. */
static void looks_are_distinct(void **state)
{
    (void)state;
    for (size_t i = 0; i < 28; i++)
        for (size_t k = 0; k < i; k++) assert_int_not_equal(svg_look(i), svg_look(k));
}

/* Whatever the text, what is written is text: escaped, UTF-8, and nothing that steers. */
static void any_text(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"</script><script>", "&lt;/script&gt;&lt;script&gt;"},
        {"\"><img src=x onerror=x>", "&quot;&gt;&lt;img src=x onerror=x&gt;"},
        {"]]>", "]]&gt;"},
        {"&amp;", "&amp;amp;"},
        {"a\x1B[2J\tb\x7F", "a [2J b "},
        {"\xFF", "\xEF\xBF\xBD"},
        {"\xC2\x9B", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xE2\x80\xAE", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xEF\xBF\xBE", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xC3\xA9", "\xC3\xA9"},
    };
    for (size_t i = 0; i < CLI_COUNT(texts); i++) {
        FILE *out = begin_text();
        svg_text(out, texts[i][0]);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, texts[i][1]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_of_any_numbers), cmocka_unit_test(numbers_far_apart),
        cmocka_unit_test(bars_of_any_numbers), cmocka_unit_test(maps_of_any_numbers),
        cmocka_unit_test(looks_are_distinct),  cmocka_unit_test(any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
