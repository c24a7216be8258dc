/*
 * Damaged .events files: whatever byte is wrong and wherever the file ends, opening and reading gives the
 * same content or a clean error.
 */
#include "cmocka_all.h"

#include "base/crc32c.h"
#include "events/format.h"
#include "robust/sample.h"
#include "robust/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct good {
    char *directory;
    unsigned char *bytes, *content;
    size_t size, content_size;
};

static struct good make_good(const sample *make)
{
    struct good good = {.directory = scratch_make()};
    const char *path = scratch_path(good.directory, "good.events");
    scadyg_error error = {0};
    assert_int_equal(sample_write(make, path, &error), SCADYG_OK);
    assert_int_equal(sample_content(path, &good.content, &good.content_size, &error), SCADYG_OK);
    good.bytes = scratch_read(path, &good.size);
    assert_non_null(good.bytes);
    return good;
}

static void drop_good(struct good *good)
{
    free(good->bytes);
    free(good->content);
    scratch_remove(good->directory);
}

enum { CHANGED = -1 };

/* Reads these bytes as a file: the status, or CHANGED if it reads well but as something else. */
static int read_bytes(const struct good *good, const unsigned char *bytes, size_t size, scadyg_error *error)
{
    const char *path = scratch_path(good->directory, "bad.events");
    unsigned char *content = NULL;
    size_t content_size = 0;
    scratch_write(path, bytes, size);
    *error = (scadyg_error){0};
    int status = sample_content(path, &content, &content_size, error);
    assert_int_equal(error->status, status);
    if (status) {
        assert_true(status == SCADYG_E_FORMAT || status == SCADYG_E_VERSION);
        assert_non_null(strstr(error->message, "bad.events"));
        return status;
    }
    int same = content_size == good->content_size && memcmp(content, good->content, content_size) == 0;
    free(content);
    return same ? SCADYG_OK : CHANGED;
}

static void every_byte_flipped(void **state)
{
    (void)state;
    for (size_t s = 0; s < sample_count; s++) {
        struct good good = make_good(&samples[s]);
        size_t harmless = 0;
        for (size_t i = 0; i < good.size; i++)
            for (int flip = 0; flip < 3; flip++) {
                const unsigned char masks[] = {0x01, 0x80, 0xff};
                scadyg_error error;
                good.bytes[i] ^= masks[flip];
                int status = read_bytes(&good, good.bytes, good.size, &error);
                assert_int_not_equal(status, CHANGED);
                harmless += status == SCADYG_OK;
                good.bytes[i] ^= masks[flip];
            }
        /* Only the padding between sections may change unseen: less than the table's room and 64 bytes each.
         */
        assert_true(harmless < 3 * (SG_SECTION_LIMIT * (sizeof(sg_section) + SG_SECTION_ALIGNMENT)));
        assert_true(harmless < 3 * good.size);
        drop_good(&good);
    }
}

static void every_length(void **state)
{
    (void)state;
    for (size_t s = 0; s < sample_count; s++) {
        struct good good = make_good(&samples[s]);
        scadyg_error error;
        for (size_t size = 0; size < good.size; size++)
            assert_int_equal(read_bytes(&good, good.bytes, size, &error), SCADYG_E_FORMAT);
        good.bytes = realloc(good.bytes, good.size + 1);
        assert_non_null(good.bytes);
        good.bytes[good.size] = 0;
        assert_int_equal(read_bytes(&good, good.bytes, good.size + 1, &error), SCADYG_E_FORMAT);
        assert_int_equal(read_bytes(&good, good.bytes, good.size, &error), SCADYG_OK);
        drop_good(&good);
    }
}

/* Headers and section tables that make no sense but have the right checksum. */

typedef struct forged {
    sg_events_header header;
    sg_section sections[SG_SECTION_LIMIT];
} forged;

static void seal(forged *file)
{
    uint32_t count = file->header.section_count;
    if (count > SG_SECTION_LIMIT) count = SG_SECTION_LIMIT;
    file->header.crc = 0;
    file->header.crc =
        sg_crc32c(sg_crc32c(0, &file->header, sizeof file->header), file->sections, count * sizeof(sg_section));
}

static int read_forged(struct good *good, forged *file, scadyg_error *error)
{
    unsigned char *bytes = malloc(good->size);
    assert_non_null(bytes);
    seal(file);
    memcpy(bytes, good->bytes, good->size);
    memcpy(bytes, file, sizeof *file);
    int status = read_bytes(good, bytes, good->size, error);
    free(bytes);
    return status;
}

static void newer_version_is_refused_by_number(void **state)
{
    (void)state;
    struct good good = make_good(&samples[0]);
    forged file;
    scadyg_error error;
    memcpy(&file, good.bytes, sizeof file);
    assert_int_equal(read_forged(&good, &file, &error), SCADYG_OK);
    file.header.version = SG_EVENTS_VERSION + 41;
    assert_int_equal(read_forged(&good, &file, &error), SCADYG_E_VERSION);
    assert_non_null(strstr(error.message, "42"));
    assert_non_null(strstr(error.message, "1"));
    file.header.version = 0;
    assert_int_equal(read_forged(&good, &file, &error), SCADYG_E_FORMAT);
    drop_good(&good);
}

static const uint64_t odd_numbers[] = {0,
                                       1,
                                       2,
                                       63,
                                       64,
                                       128,
                                       640,
                                       4096,
                                       UINT32_MAX - 1,
                                       UINT32_MAX,
                                       (uint64_t)1 << 32,
                                       (uint64_t)1 << 60,
                                       (uint64_t)1 << 61,
                                       (uint64_t)1 << 62,
                                       (uint64_t)1 << 63,
                                       UINT64_MAX / 4 + 1,
                                       UINT64_MAX - 63,
                                       UINT64_MAX - 1,
                                       UINT64_MAX};

/*
 * Every 4- and 8-byte field of header and table set to every odd number: never a crash, and no other number
 * of events, nodes or features (a kind of time, though, may be exchanged for another by one who repairs the
 * checksum).
 */
static void odd_numbers_everywhere(void **state)
{
    (void)state;
    for (size_t s = 0; s < sample_count; s++) {
        struct good good = make_good(&samples[s]);
        forged original, file;
        memcpy(&original, good.bytes, sizeof original);
        size_t end = sizeof(sg_events_header) + original.header.section_count * sizeof(sg_section);
        for (size_t width = 4; width <= 8; width += 4)
            for (size_t at = 8; at < end; at += width)
                for (size_t k = 0; k < sizeof odd_numbers / sizeof *odd_numbers; k++) {
                    scadyg_error error;
                    file = original;
                    memcpy((unsigned char *)&file + at, &odd_numbers[k], width);
                    int status = read_forged(&good, &file, &error);
                    if (status == CHANGED && file.header.time_kind == original.header.time_kind)
                        fail_msg("%s: %zu bytes at %zu = %llx accepted", samples[s].name, width, at,
                                 (unsigned long long)odd_numbers[k]);
                }
        drop_good(&good);
    }
}

static void expect_refused(struct good *good, forged *file, const char *why)
{
    scadyg_error error;
    int status = read_forged(good, file, &error);
    if (status != SCADYG_E_FORMAT) fail_msg("%s: status %d", why, status);
}

static void nonsense_tables(void **state)
{
    (void)state;
    struct good good = make_good(&samples[sample_count - 1]);
    forged original, file;
    memcpy(&original, good.bytes, sizeof original);
    uint32_t count = original.header.section_count;
    for (uint32_t i = 0; i < count; i++) {
        file = original;
        file.sections[i].offset += SG_SECTION_ALIGNMENT / 2;
        expect_refused(&good, &file, "wrong alignment");
        file = original;
        file.sections[i].column = SG_SECTION_READING + 1;
        expect_refused(&good, &file, "unknown column");
        file = original;
        file.sections[i].column = 0;
        expect_refused(&good, &file, "column 0");
        file = original;
        file.sections[i].offset = 0;
        expect_refused(&good, &file, "section over the header");
        file = original;
        file.sections[i].offset = UINT64_MAX - 63;
        expect_refused(&good, &file, "offset near 2^64");
        file = original;
        file.sections[i].size = UINT64_MAX - file.sections[i].offset + 1;
        expect_refused(&good, &file, "size that wraps around");
        file = original;
        file.sections[i].offset = original.sections[(i + 1) % count].offset;
        expect_refused(&good, &file, "overlap");
        file = original;
        file.sections[i] = original.sections[(i + 1) % count];
        expect_refused(&good, &file, "one section twice");
        file = original;
        file.sections[i] = file.sections[count - 1];
        file.header.section_count--;
        if (i + 1 < count && original.sections[i].column <= SCADYG_COLUMN_TIME)
            expect_refused(&good, &file, "a column missing");
    }
    drop_good(&good);
}

static void nonsense_counts(void **state)
{
    (void)state;
    struct good good = make_good(&samples[sample_count - 1]);
    forged original, file;
    memcpy(&original, good.bytes, sizeof original);
    const uint64_t counts[] = {0, 1, 1000, UINT32_MAX, UINT64_MAX / 8 + 2, UINT64_MAX / 4 + 2, UINT64_MAX};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        file = original;
        file.header.events = counts[k];
        expect_refused(&good, &file, "events");
        file = original;
        file.header.nodes = counts[k];
        expect_refused(&good, &file, "nodes");
        file = original;
        file.header.file_size = counts[k];
        expect_refused(&good, &file, "file size");
    }
    file = original;
    file.header.first_time = NAN;
    expect_refused(&good, &file, "first time NaN");
    file = original;
    file.header.last_time = INFINITY;
    expect_refused(&good, &file, "last time infinite");
    file = original;
    file.header.first_time = -1.7e308;
    file.header.last_time = 1.7e308;
    expect_refused(&good, &file, "a time range no double holds");
    file = original;
    file.header.last_time = file.header.first_time;
    expect_refused(&good, &file, "last time that is not the last event's");
    file = original;
    file.header.flags = 2;
    expect_refused(&good, &file, "unknown flag");
    file = original;
    file.header.flags = 0;
    expect_refused(&good, &file, "sides without two id spaces");
    file = original;
    file.header.section_count = SG_SECTION_LIMIT + 1;
    expect_refused(&good, &file, "too many sections");
    file = original;
    file.header.section_count = UINT32_MAX;
    expect_refused(&good, &file, "far too many sections");
    drop_good(&good);
}

/* Content that no writer makes, with the right checksums. */
static void expect_bad_content(struct good *good, scadyg_column column, size_t at, const void *value, size_t size)
{
    forged file;
    memcpy(&file, good->bytes, sizeof file);
    unsigned char *bytes = malloc(good->size);
    assert_non_null(bytes);
    memcpy(bytes, good->bytes, good->size);
    for (uint32_t i = 0; i < file.header.section_count; i++) {
        sg_section *section = &file.sections[i];
        if (section->column != (uint32_t)column) continue;
        assert_true(at + size <= section->size);
        memcpy(bytes + section->offset + at, value, size);
        section->crc = sg_crc32c(0, bytes + section->offset, section->size);
    }
    seal(&file);
    memcpy(bytes, &file, sizeof file);
    scadyg_error error;
    int status = read_bytes(good, bytes, good->size, &error);
    free(bytes);
    if (status != SCADYG_E_FORMAT) fail_msg("bad %s accepted", sg_column_name(column));
    assert_non_null(strstr(error.message, "out of range"));
}

static void nonsense_content(void **state)
{
    (void)state;
    struct good good = make_good(&samples[sample_count - 1]);
    const uint32_t big_node = 5;
    const double not_a_number = NAN, late = 1e300;
    const uint64_t far = 1u << 30, one = 1;
    const uint8_t side = 2;
    expect_bad_content(&good, SCADYG_COLUMN_SRC, 4, &big_node, sizeof big_node);
    expect_bad_content(&good, SCADYG_COLUMN_DST, 24, &big_node, sizeof big_node);
    expect_bad_content(&good, SCADYG_COLUMN_TIME, 0, &not_a_number, sizeof not_a_number);
    expect_bad_content(&good, SCADYG_COLUMN_TIME, 24, &not_a_number, sizeof not_a_number);
    expect_bad_content(&good, SCADYG_COLUMN_TIME, 48, &not_a_number, sizeof not_a_number);
    expect_bad_content(&good, SCADYG_COLUMN_TIME, 8, &late, sizeof late);
    expect_bad_content(&good, SCADYG_COLUMN_ID_OFFSETS, 0, &one, sizeof one);
    expect_bad_content(&good, SCADYG_COLUMN_ID_OFFSETS, 16, &far, sizeof far);
    expect_bad_content(&good, SCADYG_COLUMN_ID_OFFSETS, 40, &far, sizeof far);
    expect_bad_content(&good, SCADYG_COLUMN_ID_SIDES, 0, &side, sizeof side);
    drop_good(&good);
}

static void other_files(void **state)
{
    (void)state;
    char *directory = scratch_make();
    scadyg_events *events = NULL;
    scadyg_error error = {0};
    assert_int_equal(scadyg_events_open(scratch_path(directory, "absent"), &events, &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(scadyg_events_open(directory, &events, &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(scadyg_events_open("/dev/null", &events, &error), SCADYG_E_IO);
    scratch_write(scratch_path(directory, "text"), "1 2 3\n", 6);
    assert_int_equal(scadyg_events_open(scratch_path(directory, "text"), &events, &error), SCADYG_E_FORMAT);
    assert_non_null(strstr(error.message, "not an events file"));
    assert_null(events);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_flipped),
        cmocka_unit_test(every_length),
        cmocka_unit_test(newer_version_is_refused_by_number),
        cmocka_unit_test(odd_numbers_everywhere),
        cmocka_unit_test(nonsense_tables),
        cmocka_unit_test(nonsense_counts),
        cmocka_unit_test(nonsense_content),
        cmocka_unit_test(other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
