/* The sets of options that are found by name; those of training belong to model kinds. */
#include "base/options.h"
#include "evaluate/evaluate.h"
#include "events/generate/generate.h"
#include "events/import/import.h"
#include "learn/tune/tune.h"
#include "messages/nodes/plan.h"

#include <string.h>

int scadyg_options_open(const char *name, scadyg_options **options, scadyg_error *error)
{
    static const sg_option_set *const sets[] = {&sg_import_set,   &sg_append_set,   &sg_eval_set,
                                                &sg_generate_set, &sg_messages_set, &sg_tune_set};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i]->name, name) == 0) return sg_options_open(sets[i], options, error);
    return sg_fail(error, SCADYG_E_USAGE, "there are no options of '%s'", name);
}
