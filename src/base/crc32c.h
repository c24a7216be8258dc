/* CRC32C (Castagnoli): the checksum of every section we write. */
#ifndef SG_BASE_CRC32C_H
#define SG_BASE_CRC32C_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>

/* Continues a checksum; start with 0. sg_crc32c(0, "123456789", 9) == 0xE3069283. */
uint32_t sg_crc32c(uint32_t crc, const void *data, size_t size);

/* The same without the processor's instruction: what sg_crc32c does where there is none. */
uint32_t sg_crc32c_portable(uint32_t crc, const void *data, size_t size);

/* The checksum of A followed by B, from that of A, that of B, and the length of B. */
uint32_t sg_crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t size_b);

/* The checksum of a large block, on the workers of a context. */
uint32_t sg_crc32c_parallel(scadyg_context *context, const void *data, size_t size);

#endif
