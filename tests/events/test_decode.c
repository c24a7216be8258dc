/* Decoding: UTF-16 and Windows-1252 become the UTF-8 that a slow twin makes of them, whatever the pieces and the packing. */
#include "cmocka_all.h"

#include "events/importing.h"

#include <iconv.h>

/* Letters of every length, of every plane. */
static uint32_t random_letter(sg_rng *rng)
{
    static const uint32_t borders[] = {'\n',  ',',    'a',    0x7F,   0x80,    0x7FF,
                                       0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
    uint32_t letter = 0xD800;
    if (sg_rng_below(rng, 3)) return borders[sg_rng_below(rng, sizeof borders / sizeof *borders)];
    while (letter >= 0xD800 && letter < 0xE000) letter = 1 + (uint32_t)sg_rng_below(rng, 0x10FFFF);
    return letter;
}

static void put_wide(long_text *t, uint32_t unit, int big)
{
    const unsigned char bytes[] = {(unsigned char)(big ? unit >> 8 : unit),
                                   (unsigned char)(big ? unit : unit >> 8)};
    text_bytes(t, bytes, 2);
}

static void put_letter(long_text *wide, long_text *utf8, uint32_t letter, int big)
{
    if (letter < 0x10000) {
        put_wide(wide, letter, big);
    } else {
        put_wide(wide, 0xD800 + ((letter - 0x10000) >> 10), big);
        put_wide(wide, 0xDC00 + ((letter - 0x10000) & 0x3FF), big);
    }
    unsigned char bytes[4];
    size_t size = 0;
    if (letter < 0x80) {
        bytes[size++] = (unsigned char)letter;
    } else if (letter < 0x800) {
        bytes[size++] = (unsigned char)(0xC0 | letter >> 6);
        bytes[size++] = (unsigned char)(0x80 | (letter & 63));
    } else if (letter < 0x10000) {
        bytes[size++] = (unsigned char)(0xE0 | letter >> 12);
        bytes[size++] = (unsigned char)(0x80 | (letter >> 6 & 63));
        bytes[size++] = (unsigned char)(0x80 | (letter & 63));
    } else {
        bytes[size++] = (unsigned char)(0xF0 | letter >> 18);
        bytes[size++] = (unsigned char)(0x80 | (letter >> 12 & 63));
        bytes[size++] = (unsigned char)(0x80 | (letter >> 6 & 63));
        bytes[size++] = (unsigned char)(0x80 | (letter & 63));
    }
    text_bytes(utf8, bytes, size);
}

/* All of a file, in pieces of random size. */
static int read_all(const char *path, int encoding, sg_rng *rng, long_text *out, scadyg_error *error)
{
    sg_input *input;
    int status = sg_input_open(&input, path, error);
    assert_int_equal(status, SCADYG_OK);
    sg_input_tell_encoding(input, encoding);
    for (size_t got = 0, size = 0; !status && got == size;) {
        size = 1 + sg_rng_below(rng, sg_rng_below(rng, 2) ? 7 : 300000);
        char *piece = malloc(size);
        assert_non_null(piece);
        status = sg_input_read(input, piece, size, &got, error);
        if (!status) text_bytes(out, piece, got);
        free(piece);
    }
    sg_input_close(input);
    return status;
}

static void wide_text(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 6, 1);
    for (int round = 0; round < test_rounds(60); round++) {
        const int big = round % 2, marked = round / 2 % 2;
        long_text wide = {0}, utf8 = {0}, got = {0};
        char path[128];
        scadyg_error error = {0};
        if (marked) put_wide(&wide, 0xFEFF, big);
        const size_t letters = sg_rng_below(&rng, round % 5 ? 300 : 90000);
        for (size_t i = 0; i < letters; i++) put_letter(&wide, &utf8, i ? random_letter(&rng) : 'x', big);
        put_packed(sample_path("wide", path), wide.data ? wide.data : "", wide.size,
                   (enum packing)(round % PACKINGS));
        const int told = marked ? SG_TEXT_AUTO : big ? SG_TEXT_UTF16BE : SG_TEXT_UTF16LE;
        if (read_all(path, told, &rng, &got, &error)) fail_msg("%s", error.message);
        assert_int_equal(got.size, utf8.size);
        if (got.size) assert_memory_equal(got.data, utf8.data, got.size);
        /* A byte more is half a letter. */
        text_bytes(&wide, "x", 1);
        text_free(&got);
        put_packed(path, wide.data, wide.size, (enum packing)(round % PACKINGS));
        if (marked || letters) {
            assert_int_equal(read_all(path, told, &rng, &got, &error), SCADYG_E_INPUT);
            assert_non_null(strstr(error.message, "ends in the middle of a letter of UTF-16"));
        }
        text_free(&wide);
        text_free(&utf8);
        text_free(&got);
    }
}

/* What has no mark, or one of UTF-8, is left alone. */
static void other_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "\xFF", "\xFE", "ab", "\xEF\xBB\xBF,b", "\xFF\xFF", "a\xFF\xFE"};
    sg_rng rng;
    sg_rng_seed(&rng, 6, 2);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[128];
        long_text got = {0};
        scadyg_error error = {0};
        put_text("text", texts[i], path);
        assert_int_equal(read_all(path, SG_TEXT_AUTO, &rng, &got, &error), SCADYG_OK);
        assert_string_equal(got.data, texts[i]);
        text_free(&got);
    }
}

/* Every byte of Windows-1252 that is a letter, as iconv knows it; the five others are none here either. */
static void windows(void **state)
{
    (void)state;
    iconv_t converter = iconv_open("UTF-8", "WINDOWS-1252");
    int letters = 0;
    if (converter == (iconv_t)-1) skip();
    for (int byte = 1; byte < 256; byte++) {
        char in = (char)byte, expected[8] = "", *from = &in, *to = expected;
        unsigned char got[8] = "";
        size_t in_left = 1, out_left = sizeof expected, used;
        const int known = iconv(converter, &from, &in_left, &to, &out_left) != (size_t)-1;
        const unsigned char raw = (unsigned char)byte;
        const size_t made = sg_text_decode(SG_TEXT_WINDOWS, &raw, 1, &used, got, sizeof got);
        assert_int_equal(used, 1);
        letters += known;
        if (known) assert_int_equal(made, sizeof expected - out_left);
        if (known) assert_memory_equal(got, expected, made);
        if (!known) assert_false(sg_utf8_valid((const char *)got, made));
    }
    assert_in_range(letters, 250, 255);
    iconv_close(converter);
}

/* A log in UTF-16 is imported like the same one in UTF-8; half a pair in an id is a bad row. */
static void logs(void **state)
{
    (void)state;
    char path[128], one[128], other[128];
    long_text wide = {0}, utf8 = {0};
    put_wide(&wide, 0xFEFF, 0);
    const char *text = "user\titem\ttime\n";
    for (const char *c = text; *c; c++) put_letter(&wide, &utf8, (unsigned char)*c, 0);
    for (int i = 0; i < 20000; i++) {
        char row[60];
        snprintf(row, sizeof row, "u%d\ti%d\t%d\r\n", i % 50, i % 70, i);
        for (const char *c = row; *c; c++) {
            put_letter(&wide, &utf8, (unsigned char)*c, 0);
            if (*c == 'u') put_letter(&wide, &utf8, 0x1F600 + (uint32_t)i % 9, 0);
        }
    }
    put_file(sample_path("a", path), utf8.data, utf8.size);
    import_one(NULL, path, sample_path("one.events", one), NULL, NULL);
    for (int packing = 0; packing < PACKINGS; packing++) {
        put_packed(path, wide.data, wide.size, (enum packing)packing);
        for (int threads = 1; threads <= 3; threads++) {
            import_one(context_of(threads), path, sample_path("other.events", other), NULL, NULL);
            assert_same_files(one, other);
        }
    }
    put_wide(&wide, 'x', 0);
    put_wide(&wide, 0xDC00, 0);
    for (const char *c = "\ty\t1\n"; *c; c++) put_wide(&wide, (unsigned char)*c, 0);
    put_file(path, wide.data, wide.size);
    const char *const files[] = {path};
    import_fails(NULL, files, 1, NULL, SCADYG_E_INPUT,
                 ":20002:1: the source has half a letter of UTF-16 (an unpaired surrogate)");
    text_free(&wide);
    text_free(&utf8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_text),
        cmocka_unit_test(other_text),
        cmocka_unit_test(windows),
        cmocka_unit_test(logs),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
