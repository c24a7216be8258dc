/* CRC32C against its published check value and a bit-by-bit twin. */
#include "cmocka_all.h"

#include "base/crc32c.h"
#include "contexts.h"

#include <stdlib.h>

static uint32_t slow(const unsigned char *p, size_t size)
{
    uint32_t crc = ~0u;
    while (size--) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
    }
    return ~crc;
}

static void check_value(void **state)
{
    (void)state;
    assert_int_equal(sg_crc32c(0, "123456789", 9), 0xE3069283u);
    assert_int_equal(sg_crc32c(0, "", 0), 0);
}

static void any_length_any_cut(void **state)
{
    (void)state;
    size_t most = 100000;
    unsigned char *data = malloc(most);
    assert_non_null(data);
    for (size_t i = 0; i < most; i++) data[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t size = 0; size < most; size = size * 5 / 4 + 1) {
        uint32_t expected = slow(data, size);
        assert_int_equal(sg_crc32c(0, data, size), expected);
        size_t cut = size / 3;
        assert_int_equal(sg_crc32c(sg_crc32c(0, data, cut), data + cut, size - cut), expected);
        assert_int_equal(
            sg_crc32c_combine(sg_crc32c(0, data, cut), sg_crc32c(0, data + cut, size - cut), size - cut), expected);
    }
    free(data);
}

static void threads_agree(void **state)
{
    (void)state;
    size_t size = ((size_t)33 << 20) + 17;
    unsigned char *data = malloc(size);
    assert_non_null(data);
    for (size_t i = 0; i < size; i++) data[i] = (unsigned char)(i * 40503u >> 7);
    uint32_t expected = sg_crc32c(0, data, size);
    for (int threads = 1; threads <= 4; threads++)
        assert_int_equal(sg_crc32c_parallel(context_of(threads), data, size), expected);
    free(data);
}

/* The way without the instruction is taken on few machines, so it is called by name. */
static void portable_agrees(void **state)
{
    (void)state;
    unsigned char data[1000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 2654435761u >> 9);
    for (size_t size = 0; size <= sizeof data; size++)
        assert_int_equal(sg_crc32c_portable(0, data, size), slow(data, size));
    assert_int_equal(sg_crc32c_portable(sg_crc32c_portable(0, data, 100), data + 100, 900), slow(data, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_value),
        cmocka_unit_test(any_length_any_cut),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(portable_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
