/* Any bytes as a text file, under several sets of options chosen by the first two bytes. */
#include "fuzz/fuzz.h"

#include "events/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL,
                                          "src,dst,time",
                                          "time,src,dst,weight",
                                          "src,dst,time,feature...",
                                          "src,dst,label,time,feature,feature",
                                          "-,src,dst,time,-,weight",
                                          "feature,src,dst,time",
                                          "src,time,dst,-"};
    if (size < 2 || size > 1 << 16) return 0;
    sg_import_options options = {
        .told.columns = data[1] < '8' ? columns[data[1] & 7] : NULL,
        .bipartite = data[0] & 1,
        .skip_bad = data[0] & 2 ? 3 : 0,
    };
    /* Two files: cut at the first blank line, else in the middle. */
    size_t cut = 2 + (size - 2) / 2;
    for (size_t i = 3; i < size; i++)
        if (data[i] == '\n' && data[i - 1] == '\n') {
            cut = i + 1;
            break;
        }
    const int two = (data[0] & 16) != 0;
    if (!two) cut = size;
    const sg_input_source sources[] = {{"x.csv", data + 2, cut - 2}, {"y.csv", data + cut, size - cut}};
    const sg_import_job job = {.sources = sources, .count = two ? 2 : 1};
    fuzz_import(&job, &options);
    return 0;
}
