/* Any bytes as the journal of a search, as they are and with the right checksum: what is read is written back. */
#include "fuzz/fuzz.h"

#include "base/crc32c.h"
#include "learn/tune/tune.h"

#include <math.h>
#include <string.h>

static void try(const char *data, size_t size)
{
    sg_journal journal = {0};
    scadyg_error error = {0};
    int status = sg_journal_parse("fuzz", data, size, &journal, &error);
    if (status) {
        PROMISE((status == SCADYG_E_FORMAT || status == SCADYG_E_VERSION) && error.status == status);
        PROMISE(error.message[0] && !journal.head && !journal.rows);
        return;
    }
    for (size_t i = 0; i < journal.count; i++) {
        const sg_journal_row *row = &journal.rows[i];
        PROMISE(row->trial >= 1 && row->round >= 1 && row->best_epoch <= row->epochs && row->values);
        PROMISE(row->failure ? isnan(row->score) : isfinite(row->score));
    }
    char *again = sg_journal_text(&journal);
    PROMISE(again && strlen(again) == size && memcmp(again, data, size) == 0);
    free(again);
    sg_journal_free(&journal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 8192) return 0;
    try((const char *)data, size);
    char *sealed = malloc(size + 32);
    PROMISE(sealed);
    memcpy(sealed, data, size);
    snprintf(sealed + size, 32, "checksum %08x\n", (unsigned)sg_crc32c(0, data, size));
    try(sealed, size + strlen("checksum 00000000\n"));
    free(sealed);
    return 0;
}
