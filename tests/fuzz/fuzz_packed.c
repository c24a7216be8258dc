/* Any bytes as a gzip or zstd file: what comes out, if anything does, is imported. */
#include "fuzz/fuzz.h"

#include "scadyg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    const char *file = fuzz_file("x.csv.gz", data, size);
    scadyg_import_options options = {.memory = 1 << 28, .threads = 1, .skip_bad = 1000};
    fuzz_import(&file, 1, &options);
    return 0;
}
