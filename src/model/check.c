/* A set of options as a whole: what each field may be, and which of them contradict each other. */
#include "base/memory.h"
#include "messages/nodes/plan.h"
#include "messages/nodes/rates.h"
#include "model/model.h"
#include "model/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the bits SG_WITHOUT_... */
static const char *const words[] = {"time",   "hypernetwork", "multirate", "nodes",      "pairs",  "transitions",
                                    "walks1", "walks2",       "ranking",   "popularity", "reverse"};
#define WORDS (sizeof words / sizeof *words)
#define WORD_LIST "time,hypernetwork,multirate,nodes,pairs,transitions,walks1,walks2,ranking,popularity,reverse"

int sg_without(const char *text, unsigned *what, scadyg_error *error)
{
    unsigned found = 0;
    if (sg_given(text) && strcmp(text, "none") != 0)
        for (const char *at = text;; at++) {
            size_t length = strcspn(at, ","), i = 0;
            while (i < WORDS && (strlen(words[i]) != length || memcmp(words[i], at, length) != 0)) i++;
            if (i == WORDS)
                return sg_fail(error, SCADYG_E_USAGE, "--without takes none, or some of " WORD_LIST ", not '%s'",
                               text);
            found |= 1u << i;
            at += length;
            if (!*at) break;
        }
    *what = found;
    return SCADYG_OK;
}

int sg_node_part_parse(const char *text, sg_node_part *part, scadyg_error *error)
{
    *part = (sg_node_part){SG_NODE_NONE, 0};
    if (!sg_given(text) || strcmp(text, "none") == 0) return SCADYG_OK;
    if (strcmp(text, "onehot") == 0) {
        part->kind = SG_NODE_ONEHOT;
        return SCADYG_OK;
    }
    if (strcmp(text, "stored") == 0) {
        part->kind = SG_NODE_STORED;
        return SCADYG_OK;
    }
    if (strncmp(text, "random:", 7) == 0 && text[7] >= '0' && text[7] <= '9') {
        char *end;
        unsigned long long count = strtoull(text + 7, &end, 10);
        if (!*end && count >= 1 && count <= 65536) {
            *part = (sg_node_part){SG_NODE_RANDOM, (size_t)count};
            return SCADYG_OK;
        }
    }
    return sg_fail(error, SCADYG_E_USAGE,
                   "--node-features takes none, onehot, random:D with D up to 65536, or stored, not '%s'", text);
}

/* Each field by itself: what its option would not take is wrong here too. */
static int check_fields(const scadyg_train_options *options, scadyg_error *error)
{
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_train_options scratch = *options;
    for (size_t i = 0; i < count; i++) {
        char text[64];
        if (table[i].kind == SCADYG_OPTION_TEXT) continue;
        scadyg_option_text(&table[i], options, text, sizeof text);
        int status = scadyg_option_set(&table[i], &scratch, text, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

static int check_rates(const scadyg_train_options *options, unsigned without, scadyg_error *error)
{
    const char *text = options->messages.rates;
    if (!sg_given(text)) return SCADYG_OK;
    if (options->messages.gamma0 > 0)
        return sg_fail(error, SCADYG_E_USAGE,
                       "--gamma0 and --rates exclude each other; --gamma0 auto takes it back");
    if (without & SG_WITHOUT_TIME)
        return sg_fail(error, SCADYG_E_USAGE, "--without time sets all rates to 0; leave out --rates");
    if (without & SG_WITHOUT_MULTIRATE)
        return sg_fail(error, SCADYG_E_USAGE,
                       "--without multirate gives all columns one rate; use --gamma0 instead of --rates");
    size_t count = sg_rates_count(text);
    double *rates = sg_alloc(count, sizeof *rates);
    if (!rates) return sg_fail_memory(error, "the rates");
    int status = sg_rates_parse(text, count, rates, error);
    free(rates);
    return status;
}

static int check_model(const scadyg_train_options *options, unsigned without, scadyg_error *error)
{
    const int affinity = options->task == SCADYG_TASK_AFFINITY;
    const int label_rule =
        options->model == SCADYG_MODEL_PERSISTENCE || options->model == SCADYG_MODEL_MOVING_AVERAGE;
    char name[64];
    scadyg_option_text(sg_train_option("model", 5), options, name, sizeof name);
    if (label_rule && !affinity)
        return sg_fail(error, SCADYG_E_USAGE, "--model %s predicts affinities; use it with --task affinity", name);
    if (affinity && !label_rule && options->model != SCADYG_MODEL_SCADYG)
        return sg_fail(error, SCADYG_E_USAGE, "--model %s predicts links; use it with --task link", name);
    if (without && options->model != SCADYG_MODEL_SCADYG)
        return sg_fail(error, SCADYG_E_USAGE, "--without takes a part out of --model scadyg; %s has no parts",
                       name);
    const unsigned pair_only = ~(unsigned)(SG_WITHOUT_TIME | SG_WITHOUT_HYPERNETWORK | SG_WITHOUT_MULTIRATE);
    if (options->head == SCADYG_HEAD_PAPER && (without & pair_only))
        return sg_fail(error, SCADYG_E_USAGE, "--head paper has only the parts time, hypernetwork and multirate");
    if (sg_options_mix(options) && (without & ~(unsigned)SG_WITHOUT_MIX))
        return sg_fail(
            error, SCADYG_E_USAGE,
            "affinity with --head pair has the parts hypernetwork, multirate, nodes, popularity and reverse");
    if (!affinity && (without & (SG_WITHOUT_POPULARITY | SG_WITHOUT_REVERSE)))
        return sg_fail(error, SCADYG_E_USAGE, "--without popularity and reverse are for --task affinity");
    if (options->head == SCADYG_HEAD_PAIR && (without & SG_WITHOUT_TIME))
        return sg_fail(error, SCADYG_E_USAGE, "--without time is for --head paper; see multirate");
    if (!affinity && options->head == SCADYG_HEAD_PAIR && options->train_pool == 2)
        return sg_fail(error, SCADYG_E_USAGE, "--train-pool seen is for --head paper");
    if (!affinity && sg_given(options->labels))
        return sg_fail(error, SCADYG_E_USAGE, "--labels are for --task affinity; links need none");
    if (affinity && options->select)
        return sg_fail(error, SCADYG_E_USAGE, "--select ap is for --task link; affinity is chosen by NDCG@10");
    if (affinity && options->train_pool && options->train_pool != 3)
        return sg_fail(error, SCADYG_E_USAGE, "--train-pool is for --task link; affinity has no negatives");
    return SCADYG_OK;
}

/* What only the head `paper` reads is refused rather than passed over. */
static int check_head(const scadyg_train_options *options, const sg_node_part *part, scadyg_error *error)
{
    const scadyg_messages_options *messages = &options->messages;
    const char *name = NULL;
    if (options->model != SCADYG_MODEL_SCADYG || options->head != SCADYG_HEAD_PAIR) return SCADYG_OK;
    if (part->kind != SG_NODE_NONE) name = "node-features";
    if (messages->hops > 1) name = "hops";
    if (messages->window) name = "window";
    if (messages->gamma0 > 0) name = "gamma0";
    if (sg_given(messages->rates)) name = "rates";
    if (!name) return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_USAGE,
        "--%s is for --head paper; the head pair has rates of its own, no window, one hop, and takes the "
        "node features that the events have",
        name);
}

static int check_parts(const scadyg_train_options *options, scadyg_error *error)
{
    const double train = options->train_share, validation = options->validation_share;
    if (train + validation >= 1)
        return sg_fail(error, SCADYG_E_USAGE, "--train-share %.15g and --validation-share %.15g leave no test part",
                       train, validation);
    const double steps = (double)options->messages.steps;
    if (options->split == 0 && ceil(train * steps) + ceil(validation * steps) >= steps)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "%.0f steps leave no test part after shares of %.15g and %.15g, rounded up; use more --steps", steps,
            train, validation);
    return SCADYG_OK;
}

int scadyg_train_check(const scadyg_train_options *options, scadyg_error *error)
{
    unsigned without;
    sg_node_part part;
    int status = check_fields(options, error);
    if (!status) status = sg_without(options->without, &without, error);
    if (!status) status = sg_node_part_parse(options->messages.node_features, &part, error);
    if (!status) status = check_rates(options, without, error);
    if (!status) status = check_model(options, without, error);
    if (!status) status = check_head(options, &part, error);
    if (!status) status = check_parts(options, error);
    return status;
}
