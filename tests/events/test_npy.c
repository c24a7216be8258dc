/* .npy matrices: every type and order, packed or not; and those that cannot be used. */
#include "cmocka_all.h"

#include "events/importing.h"

#include "events/import/features.h"

#include <math.h>

enum { ROWS = 5, COLUMNS = 3 };

static double value_at(size_t row, size_t column)
{
    return (double)(row * 10 + column) - (row == 4 ? 42 : 0); /* -2, -1, 0 in the last row */
}

#define PUT(type)                                                                                                  \
    {                                                                                                              \
        type number = (type)value;                                                                                 \
        text_bytes(t, &number, sizeof number);                                                                     \
    }

static void put_number(long_text *t, const char *descr, double value)
{
    const char *kind = descr + 1;
    if (!strcmp(kind, "f4")) PUT(float)
    if (!strcmp(kind, "f8")) PUT(double)
    if (!strcmp(kind, "i1")) PUT(int8_t)
    if (!strcmp(kind, "i2")) PUT(int16_t)
    if (!strcmp(kind, "i4")) PUT(int32_t)
    if (!strcmp(kind, "i8")) PUT(int64_t)
    if (!strcmp(kind, "u1") || !strcmp(kind, "b1")) PUT(uint8_t)
    if (!strcmp(kind, "u2")) PUT(uint16_t)
    if (!strcmp(kind, "u4")) PUT(uint32_t)
    if (!strcmp(kind, "u8")) PUT(uint64_t)
}

static double shown(const char *descr, double value)
{
    if (descr[1] == 'b') return value != 0;
    return descr[1] == 'u' ? fabs(value) : value;
}

static void make_matrix(long_text *t, const char *descr, int fortran, int version)
{
    npy_header(t, version, descr, fortran ? "True" : "False", "(5, 3)");
    for (size_t k = 0; k < ROWS * COLUMNS; k++) {
        size_t row = fortran ? k % ROWS : k / COLUMNS, column = fortran ? k / ROWS : k % COLUMNS;
        put_number(t, descr, shown(descr, value_at(row, column)));
    }
}

static void every_type(void **state)
{
    (void)state;
    static const char *const types[] = {"<f4", "<f8", "|i1", "<i2", "<i4", "<i8", "|u1",
                                        "<u2", "<u4", "<u8", "|b1", "=f4", "=i8"};
    char path[128], beside[128];
    sample_path("beside", beside);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int how = 0; how < 2 * 3 * PACKINGS; how++) {
            int fortran = how % 2, version = 1 + how / 2 % 3;
            long_text t = {0};
            sg_npy npy;
            scadyg_error error = {0};
            make_matrix(&t, types[i], fortran, version);
            put_packed(sample_path("m.npy", path), t.data, t.size, (enum packing)(how / 6));
            if (sg_npy_open(&npy, &(sg_input_source){.path = path}, 1, beside, &error))
                fail_msg("%s: %s", types[i], error.message);
            assert_int_equal(npy.rows, ROWS);
            assert_int_equal(npy.columns, COLUMNS);
            for (size_t row = 0; row < ROWS; row++) {
                float out[COLUMNS];
                sg_npy_row(&npy, row, out);
                for (size_t j = 0; j < COLUMNS; j++)
                    assert_true(out[j] == (float)shown(types[i], value_at(row, j)));
            }
            sg_npy_close(&npy);
            text_free(&t);
            assert_int_equal(files_in_directory(), 1);
        }
}

static void one_dimension(void **state)
{
    (void)state;
    long_text t = {0};
    sg_npy npy;
    const double numbers[] = {1.5, -2, 3e10};
    npy_header(&t, 1, "<f8", "False", "(3,)");
    text_bytes(&t, numbers, sizeof numbers);
    assert_int_equal(sg_npy_parse(&npy, (unsigned char *)t.data, t.size, "M", NULL), SCADYG_OK);
    assert_int_equal(npy.rows, 3);
    assert_int_equal(npy.columns, 1);
    for (size_t i = 0; i < 3; i++) {
        float out;
        sg_npy_row(&npy, i, &out);
        assert_true(out == (float)numbers[i]);
    }
    text_free(&t);
}

static void cannot_be_used(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *shape, *message;
    } cases[] = {
        {">f8", "(2, 2)", "type not understood"},
        {"<f2", "(2, 2)", "type not understood"},
        {"<c16", "(2, 2)", "type not understood"},
        {"|O", "(2, 2)", "type not understood"},
        {"<U5", "(2, 2)", "type not understood"},
        {"<b4", "(2, 2)", "type not understood"},
        {"<f8", "(2, 2, 2)", "one or two dimensions"},
        {"<f8", "()", "one or two dimensions"},
        {"<f8", "(2, x)", "one or two dimensions"},
        {"<f8", "2", "one or two dimensions"},
        {"<f8", "(2, 3)", "shorter than its header says"},
        {"<f8", "(4294967296, 4294967296)", "shorter than its header says"},
        {"<f8", "(99999999999999999999, 1)", "one or two dimensions"},
        {"<f8", "(2305843009213693952, 8)", "shorter than its header says"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long_text t = {0};
        sg_npy npy = {0};
        scadyg_error error = {0};
        const double numbers[5] = {0};
        npy_header(&t, 1, cases[i].descr, "False", cases[i].shape);
        text_bytes(&t, numbers, sizeof numbers);
        int status = sg_npy_parse(&npy, (unsigned char *)t.data, t.size, "M.npy", &error);
        if (status != SCADYG_E_FORMAT || !strstr(error.message, cases[i].message) ||
            strncmp(error.message, "M.npy", 5))
            fail_msg("%s %s: %d '%s'", cases[i].descr, cases[i].shape, status, error.message);
        text_free(&t);
    }
}

/* Cut anywhere and with any byte changed: an error or a matrix inside the bytes, read without going outside
 * them. */
static void damaged(void **state)
{
    (void)state;
    long_text t = {0};
    make_matrix(&t, "<f8", 0, 1);
    for (size_t size = 0; size <= t.size; size++)
        for (int flip = 0; flip < (size == t.size ? (int)t.size : 1); flip++) {
            unsigned char *copy = malloc(size ? size : 1);
            assert_non_null(copy);
            memcpy(copy, t.data, size);
            if (size == t.size) copy[flip] ^= (unsigned char)(1u << flip % 8);
            sg_npy npy = {0};
            scadyg_error error = {0};
            int status = sg_npy_parse(&npy, copy, size, "M", &error);
            if (size < t.size) assert_int_equal(status, SCADYG_E_FORMAT);
            if (!status && npy.columns <= 1000) {
                float out[1000];
                for (uint64_t row = 0; row < npy.rows; row++) sg_npy_row(&npy, row, out);
            }
            free(copy);
        }
    text_free(&t);
}

static void no_matrix(void **state)
{
    (void)state;
    char path[128];
    sg_npy npy;
    scadyg_error error = {0};
    assert_int_equal(
        sg_npy_open(&npy, &(sg_input_source){.path = sample_path("missing.npy", path)}, 0, path, &error),
        SCADYG_E_IO);
    put_text("m.npy", "", path);
    assert_int_equal(sg_npy_open(&npy, &(sg_input_source){.path = path}, 0, path, &error), SCADYG_E_FORMAT);
    put_text("m.npy", "src,dst,time\n", path);
    assert_int_equal(sg_npy_open(&npy, &(sg_input_source){.path = path}, 0, path, &error), SCADYG_E_FORMAT);
    long_text t = {0}, packed = {0};
    make_matrix(&t, "<f8", 0, 1);
    pack(&packed, t.data, t.size, GZIP);
    put_file(path, packed.data, packed.size - 5);
    assert_int_equal(sg_npy_open(&npy, &(sg_input_source){.path = path}, 0, path, &error), SCADYG_E_IO);
    assert_non_null(strstr(error.message, "truncated"));
    text_free(&t);
    text_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type), cmocka_unit_test(one_dimension), cmocka_unit_test(cannot_be_used),
        cmocka_unit_test(damaged),    cmocka_unit_test(no_matrix),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
