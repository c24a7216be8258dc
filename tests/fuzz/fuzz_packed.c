/* Any bytes as a gzip or zstd file: what comes out, if anything does, is imported. */
#include "fuzz/fuzz.h"

#include "events/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    const sg_input_source source = {"x.csv.gz", data, size};
    const sg_import_job job = {.sources = &source, .count = 1};
    const sg_import_options options = {.skip_bad = 1000};
    fuzz_import(&job, &options);
    return 0;
}
