/*
 * CRC32C (Castagnoli): the checksum of every section we write.
 *
 * The processor's crc32 instruction takes three cycles but one can start every cycle, so three streams run side by
 * side and are joined with sg_crc32c_combine. Elsewhere a table does the same slowly.
 */
#include "base/crc32c.h"

#include "base/context.h"

#include <string.h>

#define POLYNOMIAL 0x82F63B78u /* reflected */

/* a * b modulo the polynomial; bit 31 is x^0. */
static uint32_t multiply_mod(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        if (a & bit) product ^= b;
        b = (b >> 1) ^ ((b & 1) ? POLYNOMIAL : 0);
    }
    return product;
}

/* x^(8 * bytes) modulo the polynomial. */
static uint32_t make_shift(uint64_t bytes)
{
    uint32_t result = 1u << 31, square = 1u << 23; /* x^0 and x^8 */
    for (; bytes; bytes >>= 1) {
        if (bytes & 1) result = multiply_mod(result, square);
        square = multiply_mod(square, square);
    }
    return result;
}

uint32_t sg_crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t size_b)
{
    return multiply_mod(make_shift(size_b), crc_a) ^ crc_b;
}

static uint32_t crc_by_bits(uint32_t crc, const unsigned char *p, size_t size)
{
    /* Four bits at a time: small enough to make on the fly, so no global table. */
    uint32_t table[16];
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t r = i;
        for (int k = 0; k < 4; k++) r = (r >> 1) ^ ((r & 1) ? POLYNOMIAL : 0);
        table[i] = r;
    }
    while (size--) {
        crc ^= *p++;
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

#define STREAM 4096 /* bytes of each of the three streams */

__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc, const unsigned char *p,
                                                                     size_t size)
{
    if (size >= 3 * STREAM) {
        const uint32_t shift = make_shift(STREAM);
        /* The product with `shift`, eight bits at a time. */
        uint32_t table[4][256];
        for (int part = 0; part < 4; part++) {
            table[part][0] = 0;
            for (int bit = 0; bit < 8; bit++) table[part][1 << bit] = multiply_mod(shift, 1u << (8 * part + bit));
            for (int i = 1; i < 256; i++)
                if (i & (i - 1)) table[part][i] = table[part][i & (i - 1)] ^ table[part][i & -i];
        }
        while (size >= 3 * STREAM) {
            uint64_t a = crc, b = 0, c = 0;
            for (size_t i = 0; i < STREAM; i += 8) {
                uint64_t x, y, z;
                memcpy(&x, p + i, 8);
                memcpy(&y, p + STREAM + i, 8);
                memcpy(&z, p + 2 * STREAM + i, 8);
                a = _mm_crc32_u64(a, x);
                b = _mm_crc32_u64(b, y);
                c = _mm_crc32_u64(c, z);
            }
            uint32_t joined = (uint32_t)a;
            joined = table[0][joined & 255] ^ table[1][(joined >> 8) & 255] ^ table[2][(joined >> 16) & 255] ^
                     table[3][joined >> 24] ^ (uint32_t)b;
            joined = table[0][joined & 255] ^ table[1][(joined >> 8) & 255] ^ table[2][(joined >> 16) & 255] ^
                     table[3][joined >> 24] ^ (uint32_t)c;
            crc = joined;
            p += 3 * STREAM;
            size -= 3 * STREAM;
        }
    }
    uint64_t wide = crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        wide = _mm_crc32_u64(wide, x);
    }
    crc = (uint32_t)wide;
    while (size--) crc = _mm_crc32_u8(crc, *p++);
    return crc;
}
#endif

uint32_t sg_crc32c(uint32_t crc, const void *data, size_t size)
{
    crc = ~crc;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return ~crc_by_instruction(crc, data, size);
#endif
    return ~crc_by_bits(crc, data, size);
}

uint32_t sg_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
    return ~crc_by_bits(~crc, data, size);
}

#define PART ((size_t)16 << 20)

struct crc_parts {
    const unsigned char *data;
    size_t size;
    uint32_t *crcs;
};

static void sum_part(void *data, size_t worker, size_t index)
{
    (void)worker;
    struct crc_parts *parts = data;
    size_t begin = index * PART, left = parts->size - begin;
    parts->crcs[index] = sg_crc32c(0, parts->data + begin, left < PART ? left : PART);
}

uint32_t sg_crc32c_parallel(scadyg_context *context, const void *data, size_t size)
{
    uint32_t crcs[64], crc = 0;
    const unsigned char *p = data;
    while (size > 0) {
        size_t round = size < 64 * PART ? size : 64 * PART;
        struct crc_parts parts = {p, round, crcs};
        size_t count = (round + PART - 1) / PART;
        sg_parallel_for(context, count, sum_part, &parts);
        for (size_t i = 0; i < count; i++) {
            size_t left = round - i * PART;
            crc = sg_crc32c_combine(crc, crcs[i], left < PART ? left : PART);
        }
        p += round;
        size -= round;
    }
    return crc;
}
