/* Any bytes as the results.json of a study: they are refused, or a page is made of them. */
#include "fuzz/fuzz.h"

#include "report/report.h"
#include "study/study_check.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    json_t *results = NULL;
    scadyg_error error = {0};
    int status = study_results_parse("fuzz", (const char *)data, size, &results, &error);
    PROMISE(status == SCADYG_OK ||
            (status == SCADYG_E_INPUT && !results && strncmp(error.message, "fuzz", 4) == 0));
    if (status) return 0;
    char *text = NULL;
    size_t length = 0;
    FILE *page = open_memstream(&text, &length);
    PROMISE(page && report_study_page(page, results) == 0 && fclose(page) == 0);
    fuzz_check_page(text);
    PROMISE(length > 7 && strcmp(text + length - 8, "</html>\n") == 0);
    free(text);
    json_decref(results);
    return 0;
}
