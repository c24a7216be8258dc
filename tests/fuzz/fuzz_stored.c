/* Any bytes as the results that a model file keeps, which are JSON: whatever they are, they can be printed and drawn. */
#include "fuzz/fuzz.h"

#include "cli/result.h"
#include "report/report.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    char *text = malloc(size + 1), *tables = NULL;
    size_t length = 0;
    PROMISE(text);
    memcpy(text, data, size);
    text[size] = 0;
    json_t *results = cli_results_parse(text);
    fuzz_hush();
    cli_results_print(results, &(scadyg_shape){0});
    FILE *page = open_memstream(&tables, &length);
    PROMISE(page);
    report_stored_results(page, results, "fuzz");
    PROMISE(fclose(page) == 0);
    fuzz_check_page(tables);
    free(tables);
    json_decref(results);
    free(text);
    return 0;
}
