/* Any bytes as the study.json of a study: they are refused, or compared with the settings of another. */
#include "fuzz/fuzz.h"

#include "study/study.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    static json_t *here;
    json_t *there = NULL;
    scadyg_error error = {0};
    if (!here)
        here = json_pack("{s:s, s:s, s:s, s:i, s:[s], s:[], s:[], s:{s:{s:i, s:f}}}", "study", "compare", "version",
                         "1", "checksum", "0123abcd", "first_seed", 1, "protocols", "paper:any", "nodes", "times",
                         "variants", "scadyg", "steps", 10, "share", 1.0);
    PROMISE(here);
    int status = study_settings_parse("fuzz", (const char *)data, size, &there, &error);
    PROMISE(status == SCADYG_OK || (status == SCADYG_E_INPUT && !there && strncmp(error.message, "fuzz", 4) == 0));
    if (status) return 0;
    status = study_settings_compare("fuzz", there, here, &error);
    PROMISE(status == SCADYG_OK ||
            (status == SCADYG_E_USAGE && strncmp(error.message, "fuzz has a study", 16) == 0));
    json_decref(there);
    return 0;
}
