/* The options of training, beyond their table. */
#ifndef SG_MODEL_OPTIONS_H
#define SG_MODEL_OPTIONS_H

#include "base/status.h"

#define SG_HIDDEN_MOST 65536

/* The option of this name, or NULL. */
const scadyg_option *sg_train_option(const char *name, size_t length);

/* Whether an option says what a model is. Memory and threads do not: results never depend on them. */
int sg_option_is_part_of_model(const char *name);

/* Whether a text option says something: neither NULL nor "". */
static inline int sg_given(const char *text)
{
    return text && *text;
}

/* "none", "onehot", "random:D" or "stored". */
typedef struct sg_node_part {
    int kind;     /* a sg_node_kind */
    size_t width; /* random: D */
} sg_node_part;

int sg_node_part_parse(const char *text, sg_node_part *part, scadyg_error *error);

#endif
