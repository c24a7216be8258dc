/* Makes the checksums and sizes of a model file right again, so that what is behind them is reached. */
#ifndef TESTS_MODELS_REPAIR_MODEL_H
#define TESTS_MODELS_REPAIR_MODEL_H

#include "base/crc32c.h"
#include "models/container.h"

#include <string.h>

/* Each section's size is cut to what is there; the last one takes the rest. */
static inline void repair_model(unsigned char *data, size_t size)
{
    sg_model_header header;
    if (size < sizeof header) return;
    memcpy(&header, data, sizeof header);
    if (header.parts > SG_PARTS_MOST || size < sizeof header + header.parts * sizeof(sg_model_part)) return;
    header.file_size = size;
    size_t at = sizeof header + header.parts * sizeof(sg_model_part);
    for (uint32_t i = 0; i < header.parts; i++) {
        sg_model_part part;
        unsigned char *entry = data + sizeof header + i * sizeof part;
        memcpy(&part, entry, sizeof part);
        if (part.size > size - at || i + 1 == header.parts) part.size = size - at;
        part.crc = sg_crc32c(0, data + at, (size_t)part.size);
        memcpy(entry, &part, sizeof part);
        at += (size_t)part.size;
    }
    header.crc = 0;
    header.crc =
        sg_crc32c(sg_crc32c(0, &header, sizeof header), data + sizeof header, header.parts * sizeof(sg_model_part));
    memcpy(data, &header, sizeof header);
}

#endif
