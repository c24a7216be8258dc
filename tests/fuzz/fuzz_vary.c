/* Any text as what a search varies: it is refused with a sentence, or every value drawn is one the option takes. */
#include "fuzz/fuzz.h"

#include "learn/tune/tune.h"
#include "scadyg.h"

#include <string.h>

static void draw(const sg_space *space, const scadyg_options *base)
{
    static const double places[] = {0, 0.3, 0.7, 1 - 0x1p-53};
    const sg_dimension *dimension = &space->dimensions[0];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *text = sg_dimension_value(space, dimension, places[i]);
        scadyg_options *options = NULL;
        PROMISE(text);
        PROMISE(scadyg_options_copy(base, &options, NULL) == SCADYG_OK);
        PROMISE(scadyg_options_set(options, dimension->option->shown.name, text, NULL) == SCADYG_OK);
        PROMISE(sg_dimension_holds(dimension, options));
        scadyg_options_close(options);
        free(text);
    }
}

static void try(const char *model, const char *task, const char *vary)
{
    scadyg_options *base = NULL;
    sg_space space;
    scadyg_error error = {0};
    PROMISE(scadyg_options_open_train(model, task, &base, NULL) == SCADYG_OK);
    int status = sg_space_open(&space, base->set, &vary, 1, &error);
    if (status) {
        PROMISE(status == SCADYG_E_USAGE && error.status == status && error.message[0]);
    } else {
        PROMISE(space.count == 1 && sg_space_size(&space) >= 1);
        draw(&space, base);
        sg_space_close(&space);
    }
    scadyg_options_close(base);
}

/* Over every kind that learns: what one of them does not take another may. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1024) return 0;
    char *text = malloc(size + 1);
    PROMISE(text);
    memcpy(text, data, size);
    text[size] = 0;
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++)
        if (kind->learns) try(kind->name, kind->task, text);
    free(text);
    return 0;
}
