/*
 * The live protocol against a twin that follows from its definition: for each event of the part, what was known strictly
 * before its time, who is a candidate, and where the truth ranks.
 */
#include "evaluate/fake.h"
#include "evaluate/rounds.h"

#include "base/rng.h"
#include "evaluate/evaluation.h"
#include "evaluate/negatives.h"

#include <math.h>

static double hashed(uint32_t from, uint32_t to)
{
    return (double)(sg_hash3(9, from, to) % 7);
}

/* ---- The twin ---- */

/* Whether a destination was chosen strictly before a time, by this source or (from < 0) by anybody; ... or at it. */
static int chosen(const sg_columns *columns, int64_t from, uint32_t to, double since, double until)
{
    for (uint64_t e = 0; e < columns->count; e++)
        if (columns->dst[e] == to && (from < 0 || columns->src[e] == (uint32_t)from) && columns->time[e] >= since &&
            columns->time[e] < until)
            return 1;
    return 0;
}

static int is_known(const sg_columns *columns, uint32_t to, double at)
{
    return chosen(columns, -1, to, -INFINITY, at);
}

/* Chosen by the source before, but not at this time. */
static int is_partner(const sg_columns *columns, uint32_t from, uint32_t to, double at)
{
    return chosen(columns, from, to, -INFINITY, at) && !chosen(columns, from, to, at, nextafter(at, INFINITY));
}

static int is_candidate(const sg_columns *columns, uint32_t from, uint32_t to, double at)
{
    return is_known(columns, to, at) && !chosen(columns, from, to, at, nextafter(at, INFINITY));
}

static double slow_rank(double truth, const double *others, size_t count)
{
    double ahead = 0, level = 0;
    for (size_t i = 0; i < count; i++) ahead += others[i] > truth, level += others[i] == truth;
    return 1 + ahead + level / 2;
}

/* Means of one seed, as they come. */
typedef struct twin {
    double mrr, hits[3], queries;
    double ap[2], auc[2], sets[2];
    double positive[2][SG_BATCH], negative[2][SG_BATCH];
    size_t fill[2];
} twin;

static void close_set(twin *t, int kind)
{
    double ap, auc;
    if (!t->fill[kind]) return;
    sg_ap_auc(t->positive[kind], t->fill[kind], t->negative[kind], t->fill[kind], &ap, &auc);
    t->ap[kind] += ap, t->auc[kind] += auc, t->sets[kind]++;
    t->fill[kind] = 0;
}

static void add_rank(twin *t, double rank)
{
    static const double places[] = {1, 3, 10};
    t->mrr += 1 / rank, t->queries++;
    for (int i = 0; i < 3; i++) t->hits[i] += rank <= places[i];
}

static void add_pair(twin *t, int kind, double positive, double negative)
{
    t->positive[kind][t->fill[kind]] = positive;
    t->negative[kind][t->fill[kind]++] = negative;
    if (t->fill[kind] == SG_BATCH) close_set(t, kind);
}

static void same_mean(double sum, double count, double found)
{
    if (count == 0)
        assert_true(isnan(found));
    else
        near(found, sum / count);
}

static void compare(twin *t, const sg_scores *scores)
{
    close_set(t, 0), close_set(t, 1);
    same_mean(t->mrr, t->queries, scores->of[SCADYG_MRR]);
    same_mean(t->hits[0], t->queries, scores->of[SCADYG_HITS1]);
    same_mean(t->hits[1], t->queries, scores->of[SCADYG_HITS3]);
    same_mean(t->hits[2], t->queries, scores->of[SCADYG_HITS10]);
    same_mean(t->ap[0], t->sets[0], scores->of[SCADYG_AP]);
    same_mean(t->auc[0], t->sets[0], scores->of[SCADYG_AUC]);
    same_mean(t->ap[1], t->sets[1], scores->of[SCADYG_AP_PARTNERS]);
    same_mean(t->auc[1], t->sets[1], scores->of[SCADYG_AUC_PARTNERS]);
    assert_true(isnan(scores->of[SCADYG_NDCG10]));
}

/* ---- What was asked of an event: its rank, then chances ---- */

/* The candidates of one seed are all there are, or as many as wanted, up to half of them partners; each once. */
static void check_candidates(const sg_evaluated_data *data, uint32_t from, double at, const uint32_t *drawn,
                             size_t count, size_t wanted)
{
    size_t partners = 0, strangers = 0, found = 0;
    for (uint32_t node = 0; node < data->nodes; node++) {
        if (!is_candidate(&data->columns, from, node, at)) continue;
        const int partner = is_partner(&data->columns, from, node, at);
        partners += (size_t)partner, strangers += (size_t)!partner;
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(is_candidate(&data->columns, from, drawn[i], at));
        found += (size_t)is_partner(&data->columns, from, drawn[i], at);
        for (size_t j = 0; j < i; j++) assert_int_not_equal(drawn[i], drawn[j]);
    }
    if (!wanted) {
        assert_int_equal(count, partners + strangers);
        return;
    }
    const size_t half = partners < wanted / 2 ? partners : wanted / 2;
    assert_int_equal(found, half);
    assert_int_equal(count, half + (strangers < wanted - half ? strangers : wanted - half));
}

/* Negatives of the seeds stand one behind the other; all of them are equally many. */
static void follow_ranks(const sg_evaluated_data *data, const fake *f, const fake_question *q, size_t wanted,
                         twin *twins, size_t seeds)
{
    const uint32_t from = f->src[q->first], *drawn = f->dst + q->first + 1;
    const size_t drawings = wanted ? seeds : 1, count = (q->count - 1) / drawings;
    assert_int_equal(count * drawings, q->count - 1);
    for (size_t s = 0; s < seeds; s++) {
        const uint32_t *mine = drawn + (wanted ? s : 0) * count;
        double scores[64];
        check_candidates(data, from, q->at, mine, count, wanted);
        for (size_t i = 0; i < count; i++) scores[i] = f->rule(from, mine[i]);
        add_rank(&twins[s], slow_rank(f->rule(from, f->dst[q->first]), scores, count));
    }
}

static void follow_chances(const sg_evaluated_data *data, const fake *f, const fake_question *q, twin *twins,
                           size_t seeds)
{
    const uint32_t from = f->src[q->first], to = f->dst[q->first];
    size_t known = 0, partners = 0;
    for (uint32_t node = 0; node < data->nodes; node++) {
        known += (size_t)is_known(&data->columns, node, q->at);
        partners += (size_t)is_partner(&data->columns, from, node, q->at);
    }
    assert_int_equal(q->count, 1 + 2 * seeds);
    for (size_t s = 0; s < seeds; s++) {
        const uint32_t random = f->dst[q->first + 1 + 2 * s], partner = f->dst[q->first + 2 + 2 * s];
        if (known > 1) {
            assert_true(random != to && is_known(&data->columns, random, q->at));
            add_pair(&twins[s], 0, f->rule(from, to), f->rule(from, random));
        }
        if (partners) {
            assert_true(is_partner(&data->columns, from, partner, q->at));
            add_pair(&twins[s], 1, f->rule(from, to), f->rule(from, partner));
        }
    }
}

/* Every event of begin .. end-1 whose destination was known is asked about once. */
static void check_asked(const sg_columns *columns, const fake *f, uint64_t begin, uint64_t end,
                        const sg_evaluation_scores *out)
{
    uint64_t ranked = 0, unranked = 0;
    for (uint64_t e = begin; e < end; e++) {
        const int known = is_known(columns, columns->dst[e], columns->time[e]);
        size_t asked = 0, same = 0;
        ranked += (uint64_t)known, unranked += (uint64_t)!known;
        for (size_t i = 0; i < f->count; i += 2)
            asked += f->questions[i].at == columns->time[e] && f->src[f->questions[i].first] == columns->src[e] &&
                     f->dst[f->questions[i].first] == columns->dst[e];
        for (uint64_t o = begin; o < end; o++)
            same += columns->time[o] == columns->time[e] && columns->src[o] == columns->src[e] &&
                    columns->dst[o] == columns->dst[e];
        assert_int_equal(asked, known ? same : 0);
    }
    assert_int_equal(out->queries, ranked);
    assert_int_equal(out->unranked, unranked);
    assert_int_equal(f->count, 2 * ranked);
}

static void check_graph(const sg_evaluated_data *data, int part, size_t wanted, size_t seeds)
{
    const sg_columns *columns = &data->columns;
    fake f = {.rule = hashed, .columns = columns}, g = {.rule = hashed, .columns = columns};
    sg_scorer scorers[] = {fake_scorer(&f), fake_scorer(&g)};
    sg_scores scores[6], one;
    twin *twins = calloc(seeds, sizeof *twins);
    sg_evaluation_scores out = {.scores = scores};
    sg_eval_options options = {.protocol = SG_PROTOCOL_LIVE,
                               .part = part,
                               .negatives = (int64_t)wanted,
                               .seeds = (int64_t)seeds,
                               .seed = 8};
    const uint64_t first = part == SG_PART_TEST ? data->split.validation_end : data->split.train_end;
    const uint64_t end = part == SG_PART_TEST ? columns->count : data->split.validation_end;
    const uint64_t begin = data->trained > first ? data->trained : first;
    assert_non_null(twins);
    const int status = sg_evaluate_links(NULL, data, &options, scorers, 2, NULL, &out, NULL);
    if (status) { /* nothing in it has a rank */
        assert_int_equal(status, SCADYG_E_USAGE);
        for (uint64_t e = begin; e < end; e++) assert_false(is_known(columns, columns->dst[e], columns->time[e]));
    } else {
        uint64_t nodes = 0;
        for (uint32_t node = 0; node < data->nodes; node++) nodes += (uint64_t)is_known(columns, node, INFINITY);
        if (wanted >= nodes) wanted = 0; /* that is all */
        assert_int_equal(out.negatives, wanted);
        assert_int_equal(out.left_out, begin - first);
        assert_int_equal(out.one_in, 1);
        check_asked(columns, &f, begin, end, &out);
        for (size_t i = 0; i < f.count; i++) {
            assert_int_equal(f.questions[i].ask, i % 2 ? SG_ASK_CHANCE : SG_ASK_ORDER);
            if (i % 2)
                follow_chances(data, &f, &f.questions[i], twins, seeds);
            else
                follow_ranks(data, &f, &f.questions[i], wanted, twins, seeds);
        }
        for (size_t s = 0; s < seeds; s++) compare(&twins[s], &scores[s]);
        assert_memory_equal(scores, scores + seeds, seeds * sizeof *scores); /* the same questions for everyone */
    }
    /* A seed means the same whatever else is evaluated with it. */
    for (size_t s = 0; s < seeds && !status; s++) {
        options.seeds = 1;
        options.seed = 8 + (int64_t)s;
        out.scores = &one;
        assert_int_equal(sg_evaluate_links(NULL, data, &options, scorers, 1, NULL, &out, NULL), SCADYG_OK);
        assert_memory_equal(&one, &scores[s], sizeof one);
    }
    free(twins);
    fake_close(&f);
    fake_close(&g);
}

/* ---- Random graphs, with ties ---- */

enum { COUNT = 500, NODES = 24 };

static void random_graphs(void **state)
{
    (void)state;
    static uint32_t from[COUNT], to[COUNT];
    static double time[COUNT];
    for (uint64_t number = 0; number < rounds(60); number++) {
        sg_rng rng;
        double now = 0;
        sg_rng_seed(&rng, 47, number);
        const uint64_t sources = 1 + sg_rng_below(&rng, 6), targets = 1 + sg_rng_below(&rng, 16);
        const uint64_t count = number % 4 ? 20 + sg_rng_below(&rng, 60) : COUNT, run = 1 + sg_rng_below(&rng, 5);
        for (uint64_t i = 0; i < count; i++) {
            from[i] = (uint32_t)sg_rng_below(&rng, sources);
            /* New destinations come up to the end, and sources are destinations too. */
            to[i] = (uint32_t)(sg_rng_below(&rng, 1 + targets * (i + 9) / count) + sg_rng_below(&rng, 4));
            if (to[i] >= NODES) to[i] = NODES - 1;
            time[i] = now += (double)(sg_rng_below(&rng, run) == 0);
        }
        const sg_columns columns = {.count = count, .src = from, .dst = to, .time = time};
        sg_evaluated_data data = {
            .columns = columns, .nodes = NODES, .split = sg_split_events(time, count, 0.4, 0.15)};
        if (number % 5 == 0) data.trained = data.split.validation_end + (count - data.split.validation_end) / 2;
        while (data.trained && data.trained < count && time[data.trained] == time[data.trained - 1]) data.trained++;
        if (data.trained >= count) data.trained = 0;
        if (data.split.validation_end >= count) continue;
        check_graph(&data, SG_PART_TEST, number % 3 ? 1 + number % 7 : 0, 1 + number % 3);
        if (data.split.train_end < data.split.validation_end && !data.trained)
            check_graph(&data, SG_PART_VALIDATION, 0, 2);
    }
}

/* ---- By hand ---- */

static double by_table(uint32_t from, uint32_t to)
{
    static const double score[] = {0, 3, 5, 3, 4, 0, 0, 0, 0, 9};
    (void)from;
    return score[to];
}

/*
 * At time 5 source 0 chooses 1 and 2. Known are 1 to 4, so both are ranked among 3 and 4: 1 (score 3) is behind 4 and level
 * with 3, rank 2.5; 2 is first. Its only partner beside them is 3. Node 9 is new at time 6: nobody can rank it.
 */
static void by_hand(void **state)
{
    (void)state;
    static const uint32_t from[] = {0, 0, 5, 5, 0, 0, 0}, to[] = {1, 3, 2, 4, 1, 2, 9};
    static const double time[] = {0, 1, 2, 3, 5, 5, 6};
    const sg_evaluated_data data = {
        .columns = {.count = 7, .src = from, .dst = to, .time = time}, .nodes = 10, .split = {4, 4}};
    fake f = {.rule = by_table, .columns = &data.columns};
    sg_scorer scorer = fake_scorer(&f);
    sg_scores scores;
    sg_evaluation_scores out = {.scores = &scores};
    sg_eval_options options = {.protocol = SG_PROTOCOL_LIVE, .seeds = 1};
    assert_int_equal(sg_evaluate_links(NULL, &data, &options, &scorer, 1, NULL, &out, NULL), SCADYG_OK);
    assert_true(out.queries == 2 && out.unranked == 1 && out.left_out == 0);
    assert_true(out.parts[0].events == 4 && out.parts[0].last_time == 3 && out.parts[1].events == 0);
    assert_true(out.parts[2].events == 3 && out.parts[2].first_time == 5 && isnan(out.parts[1].first_time));
    near(scores.of[SCADYG_MRR], (1 / 2.5 + 1) / 2);
    near(scores.of[SCADYG_HITS1], 0.5);
    near(scores.of[SCADYG_HITS3], 1);
    near(scores.of[SCADYG_AUC_PARTNERS], 0.75); /* 3 and 5 against 3 and 3 */
    fake_close(&f);
}

/* ---- Some of the sources ---- */

enum { SOME_EVENTS = 2000, SOME_NODES = 60 };

typedef struct ranks {
    double of[SOME_EVENTS]; /* 1 / rank of an event; 0: not asked */
} ranks;

static void hear_rank(void *data, const scadyg_query *query)
{
    ((ranks *)data)->of[query->events[0]] = query->score;
}

/* Where the pairs that have met are kept of some sources, these are asked what they are asked among all, and no others. */
static void some_sources(void **state)
{
    (void)state;
    static uint32_t from[SOME_EVENTS], to[SOME_EVENTS];
    static double time[SOME_EVENTS];
    static ranks all, some;
    sg_rng rng;
    sg_rng_seed(&rng, 53, 1);
    for (uint32_t e = 0; e < SOME_EVENTS; e++) {
        from[e] = (uint32_t)sg_rng_below(&rng, SOME_NODES);
        to[e] = (uint32_t)(sg_rng_below(&rng, SOME_NODES) * sg_rng_below(&rng, SOME_NODES) / SOME_NODES);
        time[e] = floor(e / 3.);
    }
    for (uint64_t one_in = 1; one_in <= 4; one_in *= 4) {
        sg_first_contacts contacts = {.one_in = one_in};
        const sg_evaluated_data data = {.columns = {.count = SOME_EVENTS, .src = from, .dst = to, .time = time},
                                        .nodes = SOME_NODES,
                                        .split = {1000, 1200},
                                        .contacts = &contacts};
        fake f = {.rule = hashed, .columns = &data.columns};
        sg_scorer scorer = fake_scorer(&f);
        sg_scores scores;
        sg_evaluation_scores out = {.scores = &scores};
        const sg_eval_options options = {.protocol = SG_PROTOCOL_LIVE, .seeds = 1, .negatives = 10};
        const sg_listener listener = {hear_rank, one_in == 1 ? &all : &some};
        assert_int_equal(sg_evaluate_links(NULL, &data, &options, &scorer, 1, &listener, &out, NULL), SCADYG_OK);
        assert_int_equal(out.sources_one_in, one_in);
        fake_close(&f);
        sg_first_contacts_free(&contacts);
    }
    const sg_first_contacts quarter = {.one_in = 4};
    size_t asked = 0;
    for (size_t e = 0; e < SOME_EVENTS; e++) {
        assert_true(some.of[e] == (sg_first_contacts_keeps(&quarter, from[e]) ? all.of[e] : 0));
        asked += some.of[e] > 0;
    }
    assert_true(asked > 50 && asked < 400);
}

/* ---- Large logs ---- */

/* A scorer that keeps nothing but the number of pairs of each kind of question. */
/* ---- How sure AP and AUC are ---- */

enum { SURE_EVENTS = 3000, SURE_SOURCES = 60, SURE_NODES = 100, SURE_PAIRS = 2000 };

static double smooth(uint32_t from, uint32_t to)
{
    return (double)(sg_hash3(5, from, to) % 1000) / 1000 + (double)(from % 7) / 10;
}

static double smooth_too(uint32_t from, uint32_t to)
{
    return smooth(from, to) + (double)(sg_hash3(6, from, to) % 1000) / 1000;
}

/* The pairs of one scorer against random destinations or partners, in the order of the sets. */
typedef struct sure_pairs {
    uint32_t source[SURE_PAIRS];
    double positive[SURE_PAIRS], negative[SURE_PAIRS];
    size_t count;
} sure_pairs;

/* Means over the sets without the events of one source. */
static void leave_out(const sure_pairs *p, int64_t source, double *ap, double *auc)
{
    double sets = 0;
    *ap = *auc = 0;
    for (size_t begin = 0; begin < p->count; begin += SG_BATCH) {
        double positive[SG_BATCH], negative[SG_BATCH], set_ap, set_auc;
        size_t count = 0;
        for (size_t k = begin; k < p->count && k < begin + SG_BATCH; k++) {
            if (p->source[k] == source) continue;
            positive[count] = p->positive[k], negative[count++] = p->negative[k];
        }
        sg_ap_auc(positive, count, negative, count, &set_ap, &set_auc);
        *ap += set_ap, *auc += set_auc, sets++;
    }
    *ap /= sets, *auc /= sets;
}

/* The delete-one jackknife over sources: of AP and AUC of one, or of its difference to another. */
static void jackknife(const sure_pairs *one, const sure_pairs *other, double error[2])
{
    double value[2][SURE_SOURCES], mean[2] = {0}, square[2] = {0};
    for (int64_t source = 0; source < SURE_SOURCES; source++) {
        double less[2] = {0};
        leave_out(one, source, &value[0][source], &value[1][source]);
        if (other) leave_out(other, source, &less[0], &less[1]);
        for (int k = 0; k < 2; k++) mean[k] += (value[k][source] -= less[k]) / SURE_SOURCES;
    }
    for (int k = 0; k < 2; k++) {
        for (int source = 0; source < SURE_SOURCES; source++)
            square[k] += (value[k][source] - mean[k]) * (value[k][source] - mean[k]);
        error[k] = sqrt(square[k] * (SURE_SOURCES - 1) / SURE_SOURCES);
    }
}

static void take_pairs(const fake *f, int kind, sure_pairs *pairs)
{
    pairs->count = 0;
    for (size_t i = 1; i < f->count; i += 2) {
        const fake_question *q = &f->questions[i];
        const uint32_t from = f->src[q->first], to = f->dst[q->first], drawn = f->dst[q->first + 1 + (size_t)kind];
        if (drawn == to) continue; /* there was none */
        assert_true(pairs->count < SURE_PAIRS);
        pairs->source[pairs->count] = from;
        pairs->positive[pairs->count] = f->rule(from, to);
        pairs->negative[pairs->count++] = f->rule(from, drawn);
    }
}

static void same_error(double found, double expected)
{
    /* They differ in the second order, most in the last set, which is small. */
    if (fabs(found / expected - 1) > 0.1) fail_msg("%g, by the jackknife %g", found, expected);
}

static void errors_of_sets(void **state)
{
    (void)state;
    static uint32_t from[SURE_EVENTS], to[SURE_EVENTS];
    static double time[SURE_EVENTS];
    static sure_pairs pairs[2];
    sg_rng rng;
    sg_rng_seed(&rng, 51, 1);
    for (uint32_t e = 0; e < SURE_EVENTS; e++) {
        from[e] = (uint32_t)sg_rng_below(&rng, SURE_SOURCES);
        to[e] = SURE_SOURCES + (uint32_t)sg_rng_below(&rng, SURE_NODES - SURE_SOURCES);
        time[e] = floor(e / 4.);
    }
    const sg_evaluated_data data = {.columns = {.count = SURE_EVENTS, .src = from, .dst = to, .time = time},
                                    .nodes = SURE_NODES,
                                    .split = {1000, 1200}};
    fake f = {.rule = smooth, .columns = &data.columns}, g = {.rule = smooth_too, .columns = &data.columns};
    sg_scorer scorers[] = {fake_scorer(&f), fake_scorer(&g)};
    sg_scores scores[2];
    double paired[2 * SG_SCORES], own[2 * SG_SCORES];
    sg_evaluation_scores out = {.scores = scores, .score_errors = paired, .own_errors = own};
    const sg_eval_options options = {.protocol = SG_PROTOCOL_LIVE, .seeds = 1, .seed = 3};
    assert_int_equal(sg_evaluate_links(NULL, &data, &options, scorers, 2, NULL, &out, NULL), SCADYG_OK);
    for (int kind = 0; kind < 2; kind++) {
        const size_t ap = kind ? SCADYG_AP_PARTNERS : SCADYG_AP;
        double error[2], mean[2];
        take_pairs(&f, kind, &pairs[0]);
        take_pairs(&g, kind, &pairs[1]);
        assert_true(pairs[0].count > 1500);
        leave_out(&pairs[0], -1, &mean[0], &mean[1]);
        for (size_t k = 0; k < 2; k++) near(scores[0].of[ap + k], mean[k]);
        for (size_t i = 0; i < 2; i++) {
            jackknife(&pairs[i], NULL, error);
            for (size_t k = 0; k < 2; k++) same_error(own[i * SG_SCORES + ap + k], error[k]);
        }
        jackknife(&pairs[0], &pairs[1], error);
        for (size_t k = 0; k < 2; k++) {
            same_error(paired[SG_SCORES + ap + k], error[k]);
            assert_true(paired[ap + k] == 0);
        }
    }
    assert_true(own[SCADYG_MRR] > 0 && isnan(own[SCADYG_NDCG10]));
    fake_close(&f);
    fake_close(&g);
}

typedef struct counter {
    uint64_t pairs[2], questions[2];
} counter;

static int count_rewind(void *context, scadyg_error *error)
{
    (void)error;
    *(counter *)context = (counter){0};
    return SCADYG_OK;
}

static int count_score(void *context, const sg_question *question, scadyg_error *error)
{
    counter *c = context;
    (void)error;
    c->pairs[question->ask] += question->count;
    c->questions[question->ask]++;
    for (size_t i = 0; i < question->count; i++) question->score[i] = question->dst[i] % 1000;
    return SCADYG_OK;
}

/* `targets` destinations, each chosen once by source 0; then `tests` events of source 0 to the first of them. */
static void evaluate_large(uint32_t targets, uint64_t tests, sg_eval_options options, counter *c,
                           sg_evaluation_scores *out)
{
    const uint64_t count = targets + tests;
    uint32_t *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to);
    double *time = calloc(count, sizeof *time);
    sg_scores scores;
    sg_scorer scorer = {"counter", c, count_rewind, count_score, NULL, NULL};
    scadyg_error error;
    assert_true(from && to && time);
    for (uint64_t i = 0; i < count; i++) to[i] = 1 + (uint32_t)(i < targets ? i : i % 100), time[i] = (double)i;
    const sg_evaluated_data data = {.columns = {.count = count, .src = from, .dst = to, .time = time},
                                    .nodes = targets + 1,
                                    .split = {targets, targets}};
    *out = (sg_evaluation_scores){.scores = &scores};
    options.protocol = SG_PROTOCOL_LIVE;
    options.seeds = 1;
    if (sg_evaluate_links(NULL, &data, &options, &scorer, 1, NULL, out, &error)) fail_msg("%s", error.message);
    free(from), free(to), free(time);
}

static void large_logs(void **state)
{
    (void)state;
    counter c;
    sg_evaluation_scores out;
    /* Up to 10,000 destinations are all candidates; above that 1,000 are, with the truth. */
    evaluate_large(10000, 5, (sg_eval_options){0}, &c, &out);
    assert_true(out.negatives == 0 && out.queries == 5 && out.one_in == 1);
    assert_true(c.pairs[SG_ASK_ORDER] == 5 * 10000 && c.pairs[SG_ASK_CHANCE] == 5 * 3);
    evaluate_large(10001, 5, (sg_eval_options){0}, &c, &out);
    assert_int_equal(out.negatives, 999);
    assert_true(c.pairs[SG_ASK_ORDER] < 5 * 1000); /* up to half are partners, and here everything is one */
    assert_int_equal(c.pairs[SG_ASK_ORDER], 5 * (1 + 499));
    evaluate_large(10001, 5, (sg_eval_options){.negatives = 20000}, &c, &out); /* as many as there are */
    assert_true(out.negatives == 0 && c.pairs[SG_ASK_ORDER] == 5 * 10001);
    /* The number of queries is bounded by itself, to 16 million pairs but not under 2,000; not if it is given. */
    evaluate_large(2000, 20000, (sg_eval_options){0}, &c, &out);
    assert_int_equal(out.one_in, 3); /* 8,000 of 20,000 */
    assert_true(out.queries > 6000 && out.queries < 7400 && c.questions[SG_ASK_ORDER] == out.queries);
    evaluate_large(100, 20000, (sg_eval_options){0}, &c, &out);
    assert_true(out.one_in == 1 && out.queries == 20000);
    evaluate_large(2000, 20000, (sg_eval_options){.queries = 100}, &c, &out);
    assert_true(out.one_in == 200 && out.queries > 50 && out.queries < 200);
    /* ... which somebody who gives it may count on. */
    for (int64_t asked = 1; asked < 30000; asked = asked * 7 + 3) {
        const uint64_t many = asked < 20000 ? (uint64_t)asked : 20000;
        evaluate_large(2000, 20000, (sg_eval_options){.queries = asked, .exactly = 1}, &c, &out);
        assert_true(out.one_in == 1 && out.queries == many && out.of == (many < 20000 ? 20000 : 0));
    }
    evaluate_large(300, 20000, (sg_eval_options){.queries = SG_ALL_QUERIES}, &c, &out);
    assert_true(out.one_in == 1 && out.queries == 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(random_graphs),
                                       cmocka_unit_test(some_sources), cmocka_unit_test(errors_of_sets),
                                       cmocka_unit_test(large_logs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
