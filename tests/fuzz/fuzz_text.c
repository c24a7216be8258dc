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
        .columns = data[1] < '8' ? columns[data[1] & 7] : NULL,
        .bipartite = data[0] & 1,
        .skip_bad = data[0] & 2 ? 3 : 0,
    };
    scadyg_context *context = fuzz_context(data[0] & 8 ? 2 : 1, data[0] & 4 ? 1 << 20 : 1 << 28);
    const char *whole[] = {fuzz_file("x.csv", data + 2, size - 2)};
    const char *halves[] = {whole[0], NULL};
    if (!(data[0] & 16)) {
        fuzz_import(context, whole, 1, &options);
        return 0;
    }
    /* Two files: cut at the first blank line, else in the middle. */
    size_t cut = 2 + (size - 2) / 2;
    for (size_t i = 3; i < size; i++)
        if (data[i] == '\n' && data[i - 1] == '\n') {
            cut = i + 1;
            break;
        }
    halves[0] = fuzz_file("x.csv", data + 2, cut - 2);
    halves[1] = fuzz_file("y.csv", data + cut, size - cut);
    fuzz_import(context, halves, 2, &options);
    return 0;
}
