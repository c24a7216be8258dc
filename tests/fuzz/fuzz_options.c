/* Any text as the value of any option. */
#include "fuzz/fuzz.h"

#include "base/options.h"

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

static const sg_option options[] = {
    SG_OPTION(everything, flag, "flag", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0, "", 0),
    SG_OPTION(everything, number, "number", 0, SCADYG_OPTION_INT, "N", "1", NULL, -5, 1e18, "", 0),
    SG_OPTION(everything, number, "window", 0, SCADYG_OPTION_INT, "N", "all", "all", 1, 0, "", 0),
    SG_OPTION(everything, real, "real", 0, SCADYG_OPTION_REAL, "X", "1", NULL, 0, 10, "", 0),
    SG_OPTION(everything, real, "free", 0, SCADYG_OPTION_REAL, "X", "1", NULL, 1, 0, "", 0),
    SG_OPTION(everything, size, "size", 0, SCADYG_OPTION_SIZE, "SIZE", "1G", NULL, 0, 1e18, "", 0),
    SG_OPTION(everything, choice, "choice", 0, SCADYG_OPTION_CHOICE, "C", "a", "a|bb|ccc", 1, 0, "", 0),
    SG_OPTION(everything, text, "text", 0, SCADYG_OPTION_TEXT, "T", NULL, NULL, 1, 0, "", 0),
};
enum { COUNT = sizeof options / sizeof *options };
static const sg_option_set set = SG_OPTION_SET("everything", options, everything, NULL);

/* The same through a set of its own: what was taken comes back as text that is taken again, for the same value. */
static void check_set(const sg_option *option, const char *text, int expected)
{
    scadyg_options *one, *other;
    PROMISE(sg_options_open(&set, &one, NULL) == SCADYG_OK);
    PROMISE(sg_options_set(one, option, text, NULL) == expected);
    PROMISE(scadyg_options_copy(one, &other, NULL) == SCADYG_OK);
    char shown[512], again[512];
    size_t length = scadyg_options_get(one, option->shown.name, shown, sizeof shown);
    PROMISE(length < sizeof shown && strlen(shown) == length);
    scadyg_options_close(one);
    if (expected == SCADYG_OK) PROMISE(sg_options_set(other, option, shown, NULL) == SCADYG_OK);
    scadyg_options_get(other, option->shown.name, again, sizeof again);
    PROMISE(strcmp(shown, again) == 0);
    scadyg_options_close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 400) return 0;
    char *text = malloc(size);
    PROMISE(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    everything values, before;
    memset(&values, 0, sizeof values);
    sg_options_defaults(&set, &values);
    memcpy(&before, &values, sizeof values);
    scadyg_error error = {0};
    int status = sg_option_set_text(&options[data[0] % COUNT], &values, text, &error);
    if (status) {
        PROMISE(status == SCADYG_E_USAGE && error.status == status && error.message[0]);
        PROMISE(memcmp(&values, &before, sizeof values) == 0);
    }
    PROMISE(values.number >= -5 || data[0] % COUNT == 2);
    PROMISE(isfinite(values.real) && values.size <= (uint64_t)1e18);
    PROMISE(values.choice >= 0 && values.choice <= 2);
    check_set(&options[data[0] % COUNT], text, status);
    free(text);
    return 0;
}
