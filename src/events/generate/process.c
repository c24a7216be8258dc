/* The process behind a generated graph. */

#include "base/memory.h"
#include "events/generate/generate.h"

#include <math.h>
#include <stdlib.h>

/* ---- The rhythm: the clock and the waves ---- */

#define HOUR 3600.0
#define PI 3.14159265358979323846

/* Begins at time 0 with so many events a day on average. */
static void start_clock(sg_clock *clock, double events_per_day)
{
    *clock = (sg_clock){.hour = 0};
    for (int h = 0; h < 24; h++) clock->rate[h] = events_per_day / SG_DAY * (1 + 0.8 * sin(2 * PI * (h - 9) / 24));
}

/* The time of the next event, in seconds. */
static double next_time(sg_clock *clock, sg_rng *rng)
{
    /* A waiting time of mean 1, spent hour by hour at the rate of each hour. */
    double wait = -log(1 - sg_rng_unit(rng));
    for (;;) {
        double rate = clock->rate[clock->hour % 24], left = (HOUR - clock->second) * rate;
        if (wait < left) {
            clock->second += wait / rate;
            break;
        }
        wait -= left;
        clock->hour++;
        clock->second = 0;
    }
    return floor(((double)clock->hour * HOUR + clock->second) * 1000) / 1000;
}

/* ---- Waves ---- */

#define TICK 900.0           /* seconds between changes */
#define STREAM_WAVES 0x3A7Eu /* of the random numbers */

static void set_strengths(sg_waves *waves, double time)
{
    waves->total = 0;
    for (int k = 0; k < waves->count; k++) {
        double life = time / SG_WAVE_LIFE + (double)k / waves->count, number = floor(life);
        double root = sin(PI * (life - number));
        uint64_t bits = sg_hash3(waves->seed, STREAM_WAVES, (uint64_t)number * SG_WAVE_LIMIT + (uint64_t)k);
        waves->node[k] = waves->first + (uint32_t)(((bits >> 32) * waves->size) >> 32);
        waves->strength[k] = root * root;
        waves->total += waves->strength[k];
    }
}

/* Brings the waves to a time at or after next_change. */
static void shift_waves(sg_waves *waves, double time)
{
    double tick = floor(time / TICK);
    set_strengths(waves, tick * TICK);
    waves->next_change = (tick + 1) * TICK;
}

static void start_waves(sg_waves *waves, uint64_t seed, uint32_t first, uint32_t size)
{
    *waves = (sg_waves){.seed = seed, .first = first, .size = size};
    waves->count = size / 50 < 4 ? 4 : size / 50 > SG_WAVE_LIMIT ? SG_WAVE_LIMIT : (int)(size / 50);
    shift_waves(waves, 0);
}

/* A node with probability strength / total. */
static uint32_t draw_from_waves(const sg_waves *waves, sg_rng *rng)
{
    double x = sg_rng_unit(rng) * waves->total;
    int k = 0;
    while (k + 1 < waves->count && x >= waves->strength[k]) x -= waves->strength[k++];
    return waves->node[k];
}

#define STREAM_PROCESS 0x9E0Cu
#define STREAM_SUCCESSOR 0x50CCu

/* The constants of docs/generator.md. */
#define CALLED 0.4              /* share of events whose source was addressed or active just before */
#define DRIFT (1.0 / 32)        /* moves to another community per event */
#define REPLY 0.5               /* messages: largest probability of a reply */
#define REPLY_LIFE (2 * 3600.0) /* seconds */
#define SEQUENCE 0.7            /* items: largest probability of going on in order */
#define SEQUENCE_LIFE SG_DAY
#define REPEAT 0.6       /* messages: weight of meeting again */
#define REPEAT_ITEMS 0.2 /* the same for items */
#define REPEAT_LIFE (5 * SG_DAY)
#define WAVES 0.15       /* of what is left: weights of the waves, */
#define COMMUNITY 0.75   /* the community, */
#define UNIFORM 0.10     /* and anybody */
#define LEAST_WAVES 0.01 /* strength of the waves that is worth drawing from */
static const double SUCCESSOR_SHARE[SG_SUCCESSORS] = {0.60, 0.25, 0.15};

/* ---- Communities ---- */

/* The share of a community's distribution that the first `position` of `count` members have together. */
static double compute_share_before(size_t position, size_t count)
{
    return sqrt((double)position / (double)count);
}

static double compute_share(const sg_community *community, uint32_t position)
{
    return compute_share_before((size_t)position + 1, community->count) -
           compute_share_before(position, community->count);
}

static uint32_t draw_member(const sg_community *community, sg_rng *rng)
{
    double x = sg_rng_unit(rng);
    size_t position = (size_t)((double)community->count * x * x);
    return community->member[position < community->count ? position : community->count - 1];
}

static int join_community(sg_process *p, uint32_t node, uint32_t number, scadyg_error *error)
{
    sg_community *community = &p->community[number];
    if (sg_grow(&community->member, &community->capacity, community->count + 1, sizeof *community->member))
        return sg_fail_memory(error, "the members of a community");
    p->actor[node].community = number;
    p->actor[node].position = (uint32_t)community->count;
    community->member[community->count++] = node;
    return SCADYG_OK;
}

/* The newest member takes the place of the one that leaves. */
static void leave_community(sg_process *p, uint32_t node)
{
    sg_community *community = &p->community[p->actor[node].community];
    uint32_t position = p->actor[node].position, last = community->member[--community->count];
    community->member[position] = last;
    p->actor[last].position = position;
}

static int drift_somebody(sg_process *p, scadyg_error *error)
{
    uint32_t node = (uint32_t)sg_rng_below(&p->rng, p->sources);
    uint32_t to = (uint32_t)sg_rng_below(&p->rng, p->community_count);
    if (p->items) {
        p->actor[node].community = to; /* items stay where they are */
        return SCADYG_OK;
    }
    if (to == p->actor[node].community) return SCADYG_OK;
    leave_community(p, node);
    return join_community(p, node, to, error);
}

static int found_communities(sg_process *p, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (uint32_t node = 0; node < p->sources && !status; node++) {
        uint32_t number = (uint32_t)sg_rng_below(&p->rng, p->community_count);
        if (p->items)
            p->actor[node].community = number;
        else
            status = join_community(p, node, number, error);
    }
    /* Items of a community follow each other, as the lessons of a course do. */
    for (uint32_t item = 0; p->items && item < p->pool && !status; item++)
        status =
            join_community(p, p->first + item, (uint32_t)((uint64_t)item * p->community_count / p->pool), error);
    return status;
}

/* ---- Waves ---- */

static void heat_nodes(sg_process *p)
{
    for (int k = 0; k < p->waves.count; k++) p->actor[p->waves.node[k]].heat += p->waves.strength[k];
}

static void move_waves(sg_process *p)
{
    for (int k = 0; k < p->waves.count; k++) p->actor[p->waves.node[k]].heat = 0;
    shift_waves(&p->waves, p->time);
    heat_nodes(p);
}

/* ---- Beginning and ending ---- */

int sg_process_open(sg_process *p, const sg_generate_options *o, scadyg_error *error)
{
    *p = (sg_process){.items = o->kind == SG_GENERATE_ITEMS, .sources = (uint32_t)o->nodes};
    p->first = p->items ? p->sources : 0;
    p->pool = p->items ? (uint32_t)o->items : p->sources;
    p->again = o->again;
    p->community_count = o->communities < p->pool ? (uint32_t)o->communities : p->pool;
    p->activity_limit = sqrt(sqrt((double)p->sources + 1));
    p->ring_size = p->sources / 8 < 4 ? 4 : p->sources / 8;
    size_t nodes = (size_t)p->first + p->pool;
    p->actor = sg_alloc_aligned(nodes, sizeof *p->actor);
    p->community = sg_alloc_zero(p->community_count, sizeof *p->community);
    p->ring = sg_alloc_zero(p->ring_size, sizeof *p->ring);
    int status = SCADYG_OK;
    if (!p->actor || !p->community || !p->ring) status = sg_fail_memory(error, "the state of the nodes");
    for (size_t i = 0; i < nodes && !status; i++) {
        p->actor[i].recent = SG_PROCESS_NOBODY;
        for (int k = 0; k < SG_PARTNERS; k++) {
            p->actor[i].partner[k] = SG_PROCESS_NOBODY;
            p->actor[i].partner_time[k] = -INFINITY;
        }
    }
    sg_rng_seed(&p->rng, (uint64_t)o->seed, STREAM_PROCESS);
    if (!status) status = found_communities(p, error);
    if (status) {
        sg_process_close(p);
        return status;
    }
    start_clock(&p->clock, (double)p->sources);
    start_waves(&p->waves, (uint64_t)o->seed, p->first, p->pool);
    heat_nodes(p);
    for (int i = 0; i < SG_AHEAD; i++) p->ahead[i] = SG_PROCESS_NOBODY;
    return SCADYG_OK;
}

void sg_process_close(sg_process *p)
{
    for (uint32_t i = 0; p->community && i < p->community_count; i++) free(p->community[i].member);
    SG_FREE(p->community, p->actor, p->ring);
    *p = (sg_process){0};
}

/* ---- The source ---- */

/* Node n becomes active by itself with probability ((n+2)^(1/4) - (n+1)^(1/4)) / ((N+1)^(1/4) - 1). */
static uint32_t draw_active(sg_process *p)
{
    double x = 1 + (p->activity_limit - 1) * sg_rng_unit(&p->rng), rank = floor(x * x * x * x);
    return rank > (double)p->sources ? p->sources - 1 : (uint32_t)rank - 1;
}

static uint32_t draw_source(sg_process *p)
{
    if (p->event == 0 || sg_rng_unit(&p->rng) >= CALLED) return draw_active(p);
    double x = sg_rng_unit(&p->rng);
    uint64_t known = p->event < p->ring_size ? p->event : p->ring_size;
    uint64_t back = 1 + (uint64_t)((double)known * x * x); /* 1: the last event */
    if (back > known) back = known;
    return p->ring[(p->event - back) % p->ring_size];
}

/* The source of this event, drawn SG_AHEAD events ago; its state is on its way from memory since then. */
static uint32_t next_source(sg_process *p)
{
    uint32_t *place = &p->ahead[p->event % SG_AHEAD];
    uint32_t source = *place != SG_PROCESS_NOBODY ? *place : draw_active(p);
    *place = draw_source(p);
    __builtin_prefetch(&p->actor[*place], 1);
    return source;
}

/* ---- The mixture ---- */

static void name_node(sg_choice *choice, uint32_t node, double probability)
{
    choice->node[choice->count] = node;
    choice->probability[choice->count++] = probability;
}

/* The item that follows another: the next, the one after it, and one anywhere, the same at all times. */
static uint32_t find_successor(const sg_process *p, uint32_t item, int which)
{
    const sg_community *series = &p->community[p->actor[item].community];
    if (which < SG_SUCCESSORS - 1)
        return series->member[(p->actor[item].position + 1 + (size_t)which) % series->count];
    uint64_t bits = sg_hash3(p->waves.seed, STREAM_SUCCESSOR, item);
    return p->first + (uint32_t)(((bits >> 32) * p->pool) >> 32);
}

/* A reply to who last wrote (messages), or the next item in order (items). Returns the probability spent. */
static double name_recent(sg_process *p, const sg_actor *source)
{
    if (source->recent == SG_PROCESS_NOBODY) return 0;
    double age = p->time - source->recent_time;
    if (!p->items) {
        double reply = p->again * REPLY * exp(-age / REPLY_LIFE);
        name_node(&p->choice, source->recent, reply);
        return reply;
    }
    double onward = p->again * SEQUENCE * exp(-age / SEQUENCE_LIFE);
    for (int k = 0; k < SG_SUCCESSORS; k++)
        name_node(&p->choice, find_successor(p, source->recent, k), onward * SUCCESSOR_SHARE[k]);
    return onward;
}

/* Recent partners, fading with time. `left` is the probability not yet spent; returns what is spent here. */
static double name_partners(sg_process *p, const sg_actor *source, double left)
{
    double strength[SG_PARTNERS], sum = 0;
    for (int k = 0; k < SG_PARTNERS; k++) {
        strength[k] =
            source->partner[k] == SG_PROCESS_NOBODY ? 0 : exp(-(p->time - source->partner_time[k]) / REPEAT_LIFE);
        sum += strength[k];
    }
    if (sum <= 0) return 0;
    double repeat = p->again * left * (p->items ? REPEAT_ITEMS : REPEAT) / (1 + sum);
    for (int k = 0; k < SG_PARTNERS; k++)
        if (strength[k] > 0) name_node(&p->choice, source->partner[k], repeat * strength[k]);
    return repeat * sum;
}

static void make_choice(sg_process *p)
{
    const sg_actor *source = &p->actor[p->source];
    const sg_community *community = &p->community[source->community];
    sg_choice *choice = &p->choice;
    choice->count = 0;
    double left = 1 - name_recent(p, source);
    left -= name_partners(p, source, left);
    choice->waves = left * WAVES;
    choice->community = left * COMMUNITY;
    choice->uniform = left * UNIFORM;
    choice->waves_total = p->waves.total;
    choice->community_share = 1;
    if (!p->items) { /* nobody writes to itself */
        choice->waves_total -= source->heat;
        choice->community_share -= compute_share(community, source->position);
    }
    /* A component that has hardly anybody but the source, or nobody, is left to the uniform one. */
    if (choice->waves_total < LEAST_WAVES) {
        choice->uniform += choice->waves;
        choice->waves = 0;
    }
    if (community->count < (p->items ? 1u : 2u)) {
        choice->uniform += choice->community;
        choice->community = 0;
    }
}

int sg_process_begin(sg_process *p, scadyg_error *error)
{
    if (sg_rng_unit(&p->rng) < DRIFT) {
        int status = drift_somebody(p, error);
        if (status) return status;
    }
    p->time = next_time(&p->clock, &p->rng);
    if (p->time >= p->waves.next_change) move_waves(p);
    p->source = next_source(p);
    make_choice(p);
    return SCADYG_OK;
}

uint32_t sg_process_candidates(const sg_process *p)
{
    return p->items ? p->pool : p->pool - 1;
}

double sg_process_probability(const sg_process *p, uint32_t node)
{
    const sg_choice *choice = &p->choice;
    if (node < p->first || node - p->first >= p->pool || (!p->items && node == p->source)) return 0;
    double sum = choice->uniform / sg_process_candidates(p);
    for (int k = 0; k < choice->count; k++)
        if (choice->node[k] == node) sum += choice->probability[k];
    const sg_actor *actor = &p->actor[node];
    if (choice->waves > 0) sum += choice->waves * actor->heat / choice->waves_total;
    if (choice->community > 0 && actor->community == p->actor[p->source].community)
        sum += choice->community * compute_share(&p->community[actor->community], actor->position) /
               choice->community_share;
    return sum;
}

/* Drawing again until it is somebody else is the same as leaving the source out of the distribution. */
static uint32_t draw_from_many(sg_process *p, double x)
{
    const sg_choice *choice = &p->choice;
    const sg_community *community = &p->community[p->actor[p->source].community];
    uint32_t node;
    do {
        if (x < choice->waves)
            node = draw_from_waves(&p->waves, &p->rng);
        else if (x < choice->waves + choice->community)
            node = draw_member(community, &p->rng);
        else
            node = p->first + (uint32_t)sg_rng_below(&p->rng, p->pool);
    } while (!p->items && node == p->source);
    return node;
}

uint32_t sg_process_draw(sg_process *p)
{
    double x = sg_rng_unit(&p->rng);
    for (int k = 0; k < p->choice.count; k++) {
        if (x < p->choice.probability[k]) return p->choice.node[k];
        x -= p->choice.probability[k];
    }
    return draw_from_many(p, x);
}

/* Refreshes a partner, or lets the new one take the place of the one not met for longest. */
static void remember_partner(sg_actor *source, uint32_t partner, double time)
{
    int place = 0;
    for (int k = 0; k < SG_PARTNERS; k++) {
        if (source->partner[k] == partner) {
            place = k;
            break;
        }
        if (source->partner_time[k] < source->partner_time[place]) place = k;
    }
    source->partner[place] = partner;
    source->partner_time[place] = time;
}

void sg_process_accept(sg_process *p, uint32_t destination)
{
    remember_partner(&p->actor[p->source], destination, p->time);
    sg_actor *told = &p->actor[p->items ? p->source : destination];
    told->recent = p->items ? destination : p->source;
    told->recent_time = p->time;
    p->ring[p->event % p->ring_size] = p->items ? p->source : destination;
    p->event++;
}
