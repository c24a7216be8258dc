/* Any bytes as a matrix of edge or node features beside a small log, or as a table of node features. */
#include "fuzz/fuzz.h"

#include "events/import/import.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char plain[] = "src,dst,time\n1,2,10\n0,1,20\n2,2,5\n";
    static const char dgb[] = ",u,i,ts,label,idx\n0,1,2,10,0,1\n1,0,1,20,1,2\n2,2,2,5,0,3\n";
    static const char text[] = "src,dst,time\na,b,10\nc,a,20\nb,b,5\n";
    if (size < 1 || size > 1 << 16) return 0;
    const sg_input_source logs[] = {
        {"log.csv", plain, sizeof plain - 1}, {"log.csv", dgb, sizeof dgb - 1}, {"log.csv", text, sizeof text - 1}};
    const sg_input_source matrix = {"features", data + 1, size - 1};
    sg_import_job job = {.sources = &logs[data[0] % 3], .count = 1};
    const sg_import_options options = {.bipartite = (data[0] & 64) != 0};
    if (data[0] & 128)
        job.node_features = matrix;
    else
        job.edge_features = matrix;
    fuzz_import(&job, &options);
    return 0;
}
