/* Any text as the value of any option. */
#include "fuzz/fuzz.h"

#include "scadyg.h"

#include <math.h>
#include <string.h>

typedef struct everything {
    int flag;
    int64_t number;
    double real;
    uint64_t size;
    int choice;
    const char *text;
} everything;

static const scadyg_option options[] = {
    {"flag", 0, SCADYG_OPTION_FLAG, offsetof(everything, flag), NULL, NULL, NULL, 1, 0, ""},
    {"number", 0, SCADYG_OPTION_INT, offsetof(everything, number), "N", "1", NULL, -5, 1e18, ""},
    {"window", 0, SCADYG_OPTION_INT, offsetof(everything, number), "N", "all", "all", 1, 0, ""},
    {"real", 0, SCADYG_OPTION_REAL, offsetof(everything, real), "X", "1", NULL, 0, 10, ""},
    {"free", 0, SCADYG_OPTION_REAL, offsetof(everything, real), "X", "1", NULL, 1, 0, ""},
    {"size", 0, SCADYG_OPTION_SIZE, offsetof(everything, size), "SIZE", "1G", NULL, 0, 1e18, ""},
    {"choice", 0, SCADYG_OPTION_CHOICE, offsetof(everything, choice), "C", "a", "a|bb|ccc", 1, 0, ""},
    {"text", 0, SCADYG_OPTION_TEXT, offsetof(everything, text), "T", "", NULL, 1, 0, ""},
};
enum { COUNT = sizeof options / sizeof *options };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 400) return 0;
    char *text = malloc(size);
    PROMISE(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    everything values, before;
    memset(&values, 0, sizeof values);
    scadyg_options_default(options, COUNT, &values);
    memcpy(&before, &values, sizeof values);
    scadyg_error error = {0};
    int status = scadyg_option_set(&options[data[0] % COUNT], &values, text, &error);
    if (status) {
        PROMISE(status == SCADYG_E_USAGE && error.status == status && error.message[0]);
        PROMISE(memcmp(&values, &before, sizeof values) == 0);
    }
    PROMISE(values.number >= -5 || data[0] % COUNT == 2);
    PROMISE(isfinite(values.real) && values.size <= (uint64_t)1e18);
    PROMISE(values.choice >= 0 && values.choice <= 2);
    free(text);
    return 0;
}
