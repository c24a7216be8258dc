/* Any bytes as a gzip or zstd file: what comes out, if anything does, is imported. */
#include "fuzz/fuzz.h"

#include "events/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    const char *file = fuzz_file("x.csv.gz", data, size);
    sg_import_options options = {.skip_bad = 1000};
    fuzz_import(fuzz_context(1, 1 << 28), &file, 1, &options);
    return 0;
}
