/* Any text as what a search varies: it is refused with a sentence, or every value drawn is one the option takes. */
#include "fuzz/fuzz.h"

#include "tasks/tune_space.h"

#include <string.h>

static void draw(const sg_dimension *dimension)
{
    static const double places[] = {0, 0.3, 0.7, 1 - 0x1p-53};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *text = sg_dimension_value(dimension, places[i]);
        PROMISE(text);
        scadyg_train_options options = {0};
        PROMISE(scadyg_option_set(dimension->option, &options, text, NULL) == SCADYG_OK);
        PROMISE(sg_dimension_holds(dimension, &options));
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1024) return 0;
    char *text = malloc(size + 1);
    PROMISE(text);
    memcpy(text, data, size);
    text[size] = 0;
    const char *vary = text;
    sg_space space;
    scadyg_error error = {0};
    int status = sg_space_open(&space, &vary, 1, &error);
    if (status) {
        PROMISE(status == SCADYG_E_USAGE && error.status == status && error.message[0]);
    } else {
        PROMISE(space.count == 1 && sg_space_size(&space) >= 1);
        draw(&space.dimensions[0]);
        sg_space_close(&space);
    }
    free(text);
    return 0;
}
