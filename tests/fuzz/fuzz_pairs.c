/* Any bytes as a list of pairs: it is read or refused, and what is read lies in the input. */
#include "fuzz/fuzz.h"

#include "cli/pair_list.h"

#include <string.h>

static void check_field(const cli_field *field, size_t size)
{
    PROMISE(field->text && field->column >= 1 && field->column <= size + 1);
    PROMISE(strlen(field->text) <= size);
    PROMISE(!strchr(field->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) return 0;
    cli_pairs pairs;
    scadyg_error error = {0};
    int status = cli_pairs_parse("fuzz", (const char *)data, size, &pairs, &error);
    if (status) {
        PROMISE(status == SCADYG_E_INPUT && error.status == status);
        PROMISE(strncmp(error.message, "fuzz:", 5) == 0 && !pairs.pairs && !pairs.text);
        return 0;
    }
    uint64_t line = 0;
    for (size_t i = 0; i < pairs.count; i++) {
        const cli_pair *pair = &pairs.pairs[i];
        PROMISE(pair->line > line);
        line = pair->line;
        check_field(&pair->src, size);
        check_field(&pair->dst, size);
        check_field(&pair->time, size);
        PROMISE(*pair->src.text && *pair->dst.text);
        scadyg_error wrong = {0};
        PROMISE(cli_pairs_fail("fuzz", pair, &pair->src, "reason", &wrong) == SCADYG_E_INPUT);
    }
    cli_pairs_free(&pairs);
    return 0;
}
