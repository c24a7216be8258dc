/* Any bytes as the file of an oracle: it is read or refused, and what is read are shares of 1. */
#include "fuzz/fuzz.h"

#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

/* The first byte says how many events there are to be. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 65536) return 0;
    const uint64_t events = data[0] % MOST;
    double out[MOST];
    scadyg_error error = {0};
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    PROMISE(file);
    int status = report_oracle_read(file, "fuzz", events, out, &error);
    if (status)
        PROMISE(status == SCADYG_E_INPUT && error.status == status && strncmp(error.message, "fuzz:", 5) == 0);
    else
        for (uint64_t i = 0; i < events; i++) PROMISE(out[i] > 0 && out[i] <= 1);
    PROMISE(status || getc(file) == EOF);
    fclose(file);
    return 0;
}
