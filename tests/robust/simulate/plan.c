/* From a seed to a scenario, from a scenario to a line of text, and back. */
#include "robust/simulate/simulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sim_class_names[SIM_CLASSES] = {"read",  "write", "sync",   "name",  "open",
                                                  "close", "look",  "memory", "start", "any"};
const char *const sim_action_names[SIM_ACTIONS] = {"fail",       "fail-on",   "kill",
                                                   "kill-after", "interrupt", "terminate"};

/* What a call of each class may fail with; the first is repeated where there are fewer. */
static const int reasons[SIM_CLASSES][3] = {
    [SIM_READ] = {EIO, EIO, EIO},           [SIM_WRITE] = {EIO, ENOSPC, EDQUOT},
    [SIM_SYNC] = {EIO, EIO, ENOSPC},        [SIM_NAME] = {EIO, ENOSPC, EACCES},
    [SIM_OPEN] = {EMFILE, EIO, EACCES},     [SIM_CLOSE] = {EIO, EINTR, EIO},
    [SIM_LOOK] = {EIO, EACCES, ENOMEM},     [SIM_MEMORY] = {ENOMEM, ENOMEM, ENOMEM},
    [SIM_START] = {EAGAIN, EAGAIN, EAGAIN}, [SIM_ANY] = {EIO, EIO, EIO},
};

typedef struct draws {
    uint64_t state;
} draws;

static uint64_t draw(draws *d, uint64_t below)
{
    d->state += 0x9e3779b97f4a7c15u;
    return below ? sim_mix(d->state) % below : 0;
}

/* ---- From a seed ---- */

void sim_plan_begin(sim_plan *plan, uint64_t seed)
{
    draws d = {sim_mix(seed)};
    *plan = (sim_plan){.seed = seed, .work = (size_t)draw(&d, sim_work_count)};
    plan->variant = 1 + (int)draw(&d, SIM_VARIANTS);
    plan->threads = draw(&d, 4) ? 1 : 2;
    plan->older = !draw(&d, 2);
    plan->named = !draw(&d, 3);
}

static void plan_failure(sim_fault *fault, const sim_extent *extent, draws *d)
{
    static const int classes[] = {SIM_READ, SIM_WRITE, SIM_WRITE, SIM_SYNC,   SIM_SYNC,   SIM_NAME,  SIM_NAME,
                                  SIM_OPEN, SIM_CLOSE, SIM_LOOK,  SIM_MEMORY, SIM_MEMORY, SIM_START, SIM_ANY};
    fault->class = classes[draw(d, sizeof classes / sizeof *classes)];
    fault->action = draw(d, 4) ? SIM_FAIL : SIM_FAIL_ON;
    fault->reason = reasons[fault->class][draw(d, 3)];
    fault->at = 1 + draw(d, extent->calls[fault->class]);
}

static void plan_kill(sim_stage *stage, sim_fault *fault, const sim_extent *extent, draws *d)
{
    static const int classes[] = {SIM_ANY, SIM_ANY, SIM_ANY, SIM_WRITE, SIM_SYNC, SIM_NAME, SIM_NAME, SIM_MEMORY};
    fault->class = classes[draw(d, sizeof classes / sizeof *classes)];
    fault->action = fault->class == SIM_MEMORY || draw(d, 2) ? SIM_KILL : SIM_KILL_AFTER;
    fault->at = 1 + draw(d, extent->calls[fault->class]);
    stage->power = draw(d, 3) > 0;
}

static void plan_stage(sim_stage *stage, const sim_extent *extent, draws *d)
{
    *stage = (sim_stage){.space = -1};
    if (!draw(d, 3)) stage->noise = 1 + (unsigned)draw(d, 300);
    const uint64_t kind = draw(d, 20);
    if (kind < 8) plan_kill(stage, &stage->faults[stage->count++], extent, d);
    if (kind >= 8 && kind < 17) plan_failure(&stage->faults[stage->count++], extent, d);
    if (kind == 17) {
        sim_fault *fault = &stage->faults[stage->count++];
        *fault = (sim_fault){.class = SIM_ANY, .action = draw(d, 2) ? SIM_INTERRUPT : SIM_TERMINATE};
        fault->at = 1 + draw(d, extent->calls[SIM_ANY]);
    }
    if (kind >= 18) stage->space = (int64_t)draw(d, extent->written + 1);
    /* What fails twice, or fails on the way out. */
    while (stage->count < SIM_FAULTS && !draw(d, 4)) plan_failure(&stage->faults[stage->count++], extent, d);
}

void sim_plan_faults(sim_plan *plan, const sim_extent *extent)
{
    draws d = {sim_mix(plan->seed ^ 1)};
    plan->count = 1 + (size_t)draw(&d, SIM_STAGES);
    for (size_t i = 0; i < plan->count; i++) plan_stage(&plan->stages[i], extent, &d);
}

/* ---- As text: "WORK VARIANT THREADS SEED FLAGS | STAGE | STAGE", a stage being words for each thing that goes wrong ---- */

static const struct {
    int number;
    const char *name;
} errors[] = {{EIO, "EIO"},       {ENOSPC, "ENOSPC"}, {EDQUOT, "EDQUOT"}, {EACCES, "EACCES"},
              {EMFILE, "EMFILE"}, {EINTR, "EINTR"},   {ENOMEM, "ENOMEM"}, {EAGAIN, "EAGAIN"}};
#define ERRORS (sizeof errors / sizeof *errors)

static const char *error_name(int number)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].number == number) return errors[i].name;
    return "-";
}

static size_t print_stage(const sim_stage *stage, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, " |");
    for (size_t i = 0; i < stage->count && used < size; i++) {
        const sim_fault *fault = &stage->faults[i];
        used += (size_t)snprintf(text + used, size - used, " %s %s %llu %s", sim_action_names[fault->action],
                                 sim_class_names[fault->class], (unsigned long long)fault->at,
                                 error_name(fault->reason));
    }
    if (used < size && stage->noise) used += (size_t)snprintf(text + used, size - used, " noise %u", stage->noise);
    if (used < size && stage->space >= 0)
        used += (size_t)snprintf(text + used, size - used, " space %lld", (long long)stage->space);
    if (used < size && stage->power) used += (size_t)snprintf(text + used, size - used, " power");
    return used;
}

void sim_plan_print(const sim_plan *plan, char *text, size_t size)
{
    size_t used =
        (size_t)snprintf(text, size, "%s %d %d %llu%s%s", sim_works[plan->work].name, plan->variant, plan->threads,
                         (unsigned long long)plan->seed, plan->older ? " older" : "", plan->named ? " named" : "");
    for (size_t i = 0; i < plan->count && used < size; i++)
        used += print_stage(&plan->stages[i], text + used, size - used);
}

static int find_word(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (word && strcmp(words[i], word) == 0) return i;
    return -1;
}

static int read_fault(sim_stage *stage, const char *word, char **rest)
{
    if (stage->count == SIM_FAULTS) return -1;
    sim_fault *fault = &stage->faults[stage->count++];
    fault->action = find_word(sim_action_names, SIM_ACTIONS, word);
    fault->class = find_word(sim_class_names, SIM_CLASSES, strtok_r(NULL, " ", rest));
    const char *at = strtok_r(NULL, " ", rest), *reason = strtok_r(NULL, " ", rest);
    if (fault->action < 0 || fault->class < 0 || !at || !reason) return -1;
    fault->at = strtoull(at, NULL, 10);
    for (size_t i = 0; i < ERRORS; i++)
        if (strcmp(errors[i].name, reason) == 0) fault->reason = errors[i].number;
    return 0;
}

static int read_stages(sim_plan *plan, char **rest)
{
    for (char *word; (word = strtok_r(NULL, " ", rest));) {
        if (strcmp(word, "|") == 0) {
            if (plan->count == SIM_STAGES) return -1;
            plan->stages[plan->count++] = (sim_stage){.space = -1};
            continue;
        }
        sim_stage *stage = plan->count ? &plan->stages[plan->count - 1] : NULL;
        const int amount = strcmp(word, "noise") == 0 ? 1 : strcmp(word, "space") == 0 ? 2 : 0;
        const char *number = amount ? strtok_r(NULL, " ", rest) : "";
        if (!number) return -1;
        if (!stage && strcmp(word, "older") == 0)
            plan->older = 1;
        else if (!stage && strcmp(word, "named") == 0)
            plan->named = 1;
        else if (!stage)
            return -1;
        else if (strcmp(word, "power") == 0)
            stage->power = 1;
        else if (amount == 1)
            stage->noise = (unsigned)atoi(number);
        else if (amount == 2)
            stage->space = atoll(number);
        else if (read_fault(stage, word, rest))
            return -1;
    }
    return plan->count ? 0 : -1;
}

int sim_plan_read(sim_plan *plan, const char *text)
{
    char *copy = strdup(text), *rest = NULL;
    *plan = (sim_plan){0};
    const char *name = copy ? strtok_r(copy, " ", &rest) : NULL;
    while (plan->work < sim_work_count && name && strcmp(sim_works[plan->work].name, name) != 0) plan->work++;
    const char *variant = strtok_r(NULL, " ", &rest), *threads = strtok_r(NULL, " ", &rest);
    const char *seed = strtok_r(NULL, " ", &rest);
    int bad = plan->work == sim_work_count || !variant || !threads || !seed;
    if (!bad) {
        plan->variant = atoi(variant);
        plan->threads = atoi(threads);
        plan->seed = strtoull(seed, NULL, 10);
        bad = read_stages(plan, &rest) || plan->variant < 1 || plan->variant > SIM_VARIANTS;
    }
    free(copy);
    return bad ? -1 : 0;
}
