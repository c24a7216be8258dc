/* Makes the checksums and the size of an .events file right again, so that what is behind them is reached. */
#ifndef TESTS_EVENTS_REPAIR_EVENTS_H
#define TESTS_EVENTS_REPAIR_EVENTS_H

#include "base/crc32c.h"
#include "events/format.h"

#include <string.h>

/* Sections that lie outside stay as they are. */
static inline void repair_events(unsigned char *data, size_t size)
{
    sg_events_header header;
    if (size < sizeof header) return;
    memcpy(&header, data, sizeof header);
    if (header.section_count > SG_SECTION_LIMIT || size < sizeof header + header.section_count * sizeof(sg_section))
        return;
    header.file_size = size;
    for (uint32_t i = 0; i < header.section_count; i++) {
        sg_section section;
        unsigned char *entry = data + sizeof header + i * sizeof section;
        memcpy(&section, entry, sizeof section);
        if (section.offset > size || section.size > size - section.offset) continue;
        section.crc = sg_crc32c(0, data + section.offset, section.size);
        memcpy(entry, &section, sizeof section);
    }
    header.crc = 0;
    header.crc = sg_crc32c(sg_crc32c(0, &header, sizeof header), data + sizeof header,
                           header.section_count * sizeof(sg_section));
    memcpy(data, &header, sizeof header);
}

#endif
