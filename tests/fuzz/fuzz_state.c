/*
 * Any bytes as a state file, and any change to a good one with its checksums made right again: refused, or safe to read and to go
 * on from.
 *
 * The first byte says which. A change is seven bytes: section, place, value; the state is that of a ledger with all its parts.
 */
#include "fuzz/fuzz.h"

#include "base/memory.h"
#include "messages/pairs/ledger.h"
#include "repair_state.h"

enum { EVENTS = 90, MORE = 60, NODES = 12, CHANGE = 7 };

static uint32_t src[EVENTS + MORE], dst[EVENTS + MORE];
static double times[EVENTS + MORE];
static float weight[EVENTS + MORE];
static uint64_t keys[NODES];
static sg_columns columns;
static sg_ledger_options options;

static void make_log(void)
{
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (size_t i = 0; i < EVENTS + MORE; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, NODES);
        dst[i] = (uint32_t)sg_rng_below(&rng, NODES);
        times[i] = (double)(i / 3);
        weight[i] = 1;
    }
    for (size_t i = 0; i < NODES; i++) keys[i] = i;
    columns = (sg_columns){.count = EVENTS + MORE, .src = src, .dst = dst, .time = times, .weight = weight};
    options =
        (sg_ledger_options){.plan = {.pair_bytes = 1u << 20, .vectors = NODES / 2}, .weighted = 1, .vectors = 1};
    for (int k = 0; k < SG_RATES; k++) options.plan.rates.rate[k] = 0.01 * (k + 1);
}

/* A good one, as bytes that begin at a page. */
static unsigned char *make_state(size_t *size)
{
    sg_ledger *ledger;
    sg_state_writer writer = {0};
    scadyg_error error;
    make_log();
    PROMISE(sg_ledger_open(NULL, &options, &columns, keys, NODES, &ledger, &error) == SCADYG_OK);
    PROMISE(sg_ledger_observe(ledger, 0, EVENTS, 0, &error) == SCADYG_OK);
    sg_ledger_save(ledger, NODES, &writer);
    const char *path = fuzz_path("good.state");
    PROMISE(sg_state_save(&writer, 0, path, -1, &error) == SCADYG_OK);
    sg_state_writer_close(&writer);
    sg_ledger_close(ledger);
    sg_state_reader reader;
    PROMISE(sg_state_open(&reader, NULL, path, &error) == SCADYG_OK);
    unsigned char *bytes = sg_alloc_huge(reader.size, 1);
    PROMISE(bytes);
    memcpy(bytes, reader.data, *size = reader.size);
    sg_state_close(&reader);
    return bytes;
}

static void ask(sg_ledger *ledger, uint64_t seen)
{
    float between[NODES * 256], nodes[NODES * 256];
    uint32_t from[NODES], to[NODES];
    scadyg_error error;
    const sg_ledger_widths widths = sg_ledger_widths_of(&options);
    const sg_ledger_group group = {0, times[seen - 1] + 1, 0, NODES};
    const size_t node_first[] = {0, NODES};
    PROMISE(widths.between <= 256 && widths.node <= 256);
    for (uint32_t i = 0; i < NODES; i++) from[i] = i, to[i] = (5 * i + 1) % NODES;
    const sg_read_plan plan = {.groups = &group,
                               .count = 1,
                               .src = from,
                               .dst = to,
                               .between = between,
                               .nodes = from,
                               .node_first = node_first,
                               .node_rows = nodes};
    PROMISE(sg_ledger_run(ledger, &plan, &error) == SCADYG_OK);
}

static void use(unsigned char *bytes, size_t size)
{
    sg_state_reader reader;
    sg_ledger *ledger = NULL;
    scadyg_error error = {0};
    int status = sg_state_open_memory(&reader, bytes, size, &error);
    if (!status)
        status = sg_ledger_open_state(NULL, &options, &columns, keys, NODES, &reader, 0, times[EVENTS - 1], &ledger,
                                      &error);
    PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
    if (!status) {
        ask(ledger, EVENTS);
        PROMISE(sg_ledger_observe(ledger, EVENTS, EVENTS + MORE, EVENTS, &error) == SCADYG_OK);
        ask(ledger, EVENTS + MORE);
        sg_ledger_close(ledger);
    }
    sg_state_close(&reader);
}

static void change(unsigned char *bytes, const uint8_t *at)
{
    uint32_t sections, value;
    const sg_state_section *table = state_table(bytes, &sections), *section = &table[at[0] % sections];
    if (section->size < 4) return;
    /* Most that leads somewhere stands at the beginning of a section. */
    const uint64_t place = (uint64_t)(at[1] | at[2] << 8) * 4 % (section->size / 4 * 4);
    memcpy(&value, at + 3, sizeof value);
    memcpy(bytes + section->offset + place, &value, sizeof value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char *good, *bytes;
    static size_t good_size;
    if (!good) {
        good = make_state(&good_size);
        bytes = sg_alloc_huge(good_size, 1);
        PROMISE(bytes);
    }
    if (size < 1 || size > 4096) return 0;
    if (data[0] & 1) {
        unsigned char *all = sg_alloc_huge(size, 1);
        PROMISE(all);
        memcpy(all, data + 1, size - 1);
        use(all, size - 1);
        free(all);
        return 0;
    }
    memcpy(bytes, good, good_size);
    for (size_t i = 1; i + CHANGE <= size; i += CHANGE) change(bytes, data + i);
    repair_state(bytes);
    use(bytes, good_size);
    return 0;
}
