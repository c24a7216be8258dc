/* State files with their checksums made right again, as somebody who forges one would. */
#ifndef TESTS_REPAIR_STATE_H
#define TESTS_REPAIR_STATE_H

#include "base/crc32c.h"
#include "base/rng.h"
#include "base/state_file.h"

#include <string.h>

static inline const sg_state_section *state_table(const unsigned char *bytes, uint32_t *sections)
{
    sg_state_header header;
    memcpy(&header, bytes, sizeof header);
    *sections = header.sections;
    return (const sg_state_section *)(const void *)(bytes + sizeof header);
}

static inline void repair_state(unsigned char *bytes)
{
    sg_state_header header;
    memcpy(&header, bytes, sizeof header);
    sg_state_section *table = (sg_state_section *)(void *)(bytes + sizeof header);
    for (uint32_t i = 0; i < header.sections; i++)
        table[i].crc = sg_crc32c(0, bytes + table[i].offset, (size_t)table[i].size);
    header.crc = 0;
    header.crc = sg_crc32c(sg_crc32c(0, &header, sizeof header), table, header.sections * sizeof *table);
    memcpy(bytes, &header, sizeof header);
}

/* A few words of one section become others, small, large or odd. */
static inline void forge_state(unsigned char *bytes, sg_rng *rng)
{
    static const uint32_t words[] = {0, 1, 0xFFFFFFFF, 0x7F800000, 0x80000000, 0x10000, 160, 8};
    uint32_t sections;
    const sg_state_section *table = state_table(bytes, &sections), *section = &table[sg_rng_below(rng, sections)];
    for (uint64_t k = sg_rng_below(rng, 6) + 1; k-- > 0 && section->size >= 8;) {
        const uint64_t at = sg_rng_below(rng, section->size / 4) * 4;
        uint32_t word = words[sg_rng_below(rng, sizeof words / sizeof *words)];
        if (sg_rng_below(rng, 3) == 0) word = (uint32_t)sg_rng_next(rng);
        memcpy(bytes + section->offset + at, &word, sizeof word);
    }
    repair_state(bytes);
}

/* One bit is turned over, in a section or in the header. */
static inline void damage_state(unsigned char *bytes, sg_rng *rng)
{
    uint32_t sections;
    const sg_state_section *table = state_table(bytes, &sections), *section = &table[sg_rng_below(rng, sections)];
    const int in_header = sg_rng_below(rng, 4) == 0 || !section->size;
    const size_t at = in_header ? (size_t)sg_rng_below(rng, sizeof(sg_state_header))
                                : (size_t)(section->offset + sg_rng_below(rng, section->size));
    bytes[at] ^= (unsigned char)(1u << sg_rng_below(rng, 8));
}

#endif
