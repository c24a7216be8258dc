/* A scorer that does as it is told, writes down what it was asked, and checks that it is asked in order. */
#ifndef EVALUATE_FAKE_H
#define EVALUATE_FAKE_H

#include "cmocka_all.h"

#include "base/memory.h"
#include "evaluate/evaluate.h"

#include <stdlib.h>
#include <string.h>

typedef struct fake_question {
    double at;
    uint64_t seen;
    int64_t step;
    size_t first, count; /* in src, dst */
    int ask;
} fake_question;

typedef struct fake {
    double (*rule)(uint32_t src, uint32_t dst);
    const sg_columns *columns;
    const sg_steps *steps; /* NULL: questions go by time */
    int batches;           /* events are revealed in batches: what is seen may be less than what lies before */
    int rewinds;
    uint64_t seen;
    double at;
    fake_question *questions;
    size_t count, room;
    uint32_t *src, *dst;
    size_t pairs, src_room, dst_room;
} fake;

static int fake_rewind(void *context, scadyg_error *error)
{
    (void)error;
    fake *f = context;
    f->rewinds++;
    f->seen = 0;
    f->at = -1e300;
    f->count = f->pairs = 0;
    return SCADYG_OK;
}

/* What may be seen is exactly what lies in earlier steps, or strictly before. */
static void fake_check(fake *f, const sg_question *question)
{
    assert_true(f->rewinds > 0);
    assert_true(question->seen >= f->seen && question->at >= f->at);
    f->seen = question->seen;
    f->at = question->at;
    if (f->steps) {
        assert_true(question->step >= 1);
        assert_int_equal(question->seen, f->steps->first[question->step]);
        assert_true(question->at > f->steps->end[question->step - 1]);
    } else {
        assert_int_equal(question->step, -1);
    }
    for (uint64_t e = 0; e < f->columns->count; e++) {
        if (e < question->seen) assert_true(f->columns->time[e] < question->at);
        if (e >= question->seen && !f->batches) assert_true(f->columns->time[e] >= question->at);
    }
}

static int fake_score(void *context, const sg_question *question, scadyg_error *error)
{
    (void)error;
    fake *f = context;
    fake_check(f, question);
    assert_int_equal(sg_grow(&f->questions, &f->room, f->count + 1, sizeof *f->questions), 0);
    assert_int_equal(sg_grow(&f->src, &f->src_room, f->pairs + question->count, sizeof *f->src), 0);
    assert_int_equal(sg_grow(&f->dst, &f->dst_room, f->pairs + question->count, sizeof *f->dst), 0);
    f->questions[f->count++] =
        (fake_question){question->at, question->seen, question->step, f->pairs, question->count, question->ask};
    for (size_t i = 0; i < question->count; i++) {
        f->src[f->pairs] = question->src[i];
        f->dst[f->pairs++] = question->dst[i];
        question->score[i] = f->rule(question->src[i], question->dst[i]);
    }
    return SCADYG_OK;
}

static inline sg_scorer fake_scorer(fake *f)
{
    return (sg_scorer){"fake", f, fake_rewind, fake_score, NULL, NULL};
}

static inline void fake_close(fake *f)
{
    free(f->questions);
    free(f->src);
    free(f->dst);
}

static inline void near(double actual, double expected)
{
    double difference = actual - expected;
    if (!(difference <= 1e-12 && difference >= -1e-12))
        fail_msg("%.17g where %.17g was expected", actual, expected);
}

#endif
