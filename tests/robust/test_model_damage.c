/*
 * Damaged model files and checkpoints: whatever byte is wrong and wherever the file ends, there is a clean error.
 * With the checksums made right again there is an error or a model that is sound.
 */
#include "models/sample_model.h"

#include "models/model.h"
#include "models/repair_model.h"
#include "robust/scratch.h"

typedef struct good {
    char *directory, *path;
    unsigned char *bytes;
    size_t size;
    scadyg_model *model;
    int checkpoint;
} good;

static good make_good(const sample *s, int checkpoint)
{
    good g = {.directory = scratch_make(), .model = sample_model(s), .checkpoint = checkpoint};
    g.path = strdup(scratch_path(g.directory, "bad.scadyg"));
    scadyg_error error;
    int status;
    if (checkpoint && !g.model->kind->shown.learns) return g; /* nothing is trained */
    if (checkpoint) {
        sg_checkpoint state = sample_checkpoint(g.model);
        status = sg_checkpoint_save(g.path, g.model, &state, &error);
        sg_checkpoint_free(&state);
    } else {
        status = scadyg_model_save(g.model, g.path, &error);
    }
    if (status) fail_msg("%s", error.message);
    g.bytes = scratch_read(g.path, &g.size);
    assert_non_null(g.bytes);
    return g;
}

static void drop_good(good *g)
{
    scadyg_model_close(g->model);
    free(g->bytes);
    free(g->path);
    scratch_remove(g->directory);
}

static void use(scadyg_model *model)
{
    assert_null(sg_model_fault(model));
    size_t rows, columns, sum = 0;
    const float *values;
    for (size_t i = 0; scadyg_model_group(model, i, &rows, &columns, &values); i++) sum += rows * columns;
    assert_int_equal(sum, scadyg_model_look(model)->parameters);
    scadyg_model_close(model);
}

static int read_bytes(const good *g, const unsigned char *bytes, size_t size, scadyg_error *error)
{
    scadyg_model *model = NULL;
    sg_checkpoint state = {0};
    *error = (scadyg_error){0};
    scratch_write(g->path, bytes, size);
    int status = g->checkpoint ? sg_checkpoint_open(g->path, g->model, &model, &state, error)
                               : scadyg_model_open(g->path, &model, error);
    assert_int_equal(error->status, status);
    if (status) {
        assert_null(model);
        assert_null(state.best);
        assert_non_null(strstr(error->message, "bad.scadyg"));
        return status;
    }
    use(model);
    sg_checkpoint_free(&state);
    return SCADYG_OK;
}

/* Samples of few bytes: every kind that keeps something of its own, a baseline of each task, every section. */
static const char *const chosen[] = {"scadyg",         "scadyg-affinity", "paper-standard", "paper-onehot",
                                     "paper-affinity", "popularity",      "moving-average"};
enum { CHOSEN = sizeof chosen / sizeof *chosen };

typedef void check(good *g);

static void over_all(check *run)
{
    for (int i = 0; i < CHOSEN; i++)
        for (int checkpoint = 0; checkpoint <= 1; checkpoint++) {
            good g = make_good(find_sample(chosen[i]), checkpoint);
            if (g.bytes) run(&g);
            drop_good(&g);
        }
}

static void flip(good *g)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    for (size_t i = 0; i < g->size; i++) {
        const unsigned char mask = masks[i % 3];
        scadyg_error error;
        g->bytes[i] ^= mask;
        int status = read_bytes(g, g->bytes, g->size, &error);
        if (status != SCADYG_E_FORMAT && status != SCADYG_E_VERSION) fail_msg("byte %zu: status %d", i, status);
        g->bytes[i] ^= mask;
    }
}

static void every_byte_flipped(void **state)
{
    (void)state;
    over_all(flip);
}

static void cut(good *g)
{
    for (size_t size = 0; size < g->size; size++) {
        scadyg_error error;
        assert_int_equal(read_bytes(g, g->bytes, size, &error), SCADYG_E_FORMAT);
    }
    /* And too long. */
    unsigned char *longer = calloc(1, g->size + 1);
    scadyg_error error;
    assert_non_null(longer);
    memcpy(longer, g->bytes, g->size);
    assert_int_equal(read_bytes(g, longer, g->size + 1, &error), SCADYG_E_FORMAT);
    free(longer);
}

static void cut_at_every_length(void **state)
{
    (void)state;
    over_all(cut);
}

static void newer(good *g)
{
    scadyg_error error;
    const uint32_t version = SG_MODEL_VERSION + 1;
    memcpy(g->bytes + offsetof(sg_model_header, version), &version, sizeof version);
    assert_int_equal(read_bytes(g, g->bytes, g->size, &error), SCADYG_E_VERSION);
    assert_non_null(strstr(error.message, "newer version of scadyg (format 10; this one reads 9)"));
}

static void newer_versions(void **state)
{
    (void)state;
    over_all(newer);
}

/* Behind the checksums: every byte in turn set to values that hurt, and the whole made right again. */
static void repaired(good *g)
{
    unsigned char *bytes = malloc(g->size);
    assert_non_null(bytes);
    size_t read = 0;
    for (size_t i = 0; i < g->size; i++) {
        static const unsigned char masks[] = {0x01, 0x80, 0xff, 0x40, 0x7f};
        scadyg_error error;
        memcpy(bytes, g->bytes, g->size);
        bytes[i] ^= masks[i % 5];
        repair_model(bytes, g->size);
        read += read_bytes(g, bytes, g->size, &error) == SCADYG_OK;
    }
    assert_true(read > 0); /* a changed weight is a weight */
    free(bytes);
}

static void behind_the_checksums(void **state)
{
    (void)state;
    over_all(repaired);
}

/* Pieces of several bytes, at random places, and sections moved against each other. */
static void shaken(good *g)
{
    const char *rounds = getenv("SCADYG_TEST_ROUNDS");
    const long most = rounds ? atol(rounds) : 2000;
    sg_rng rng;
    sg_rng_seed(&rng, 7, 0);
    unsigned char *bytes = malloc(g->size);
    assert_non_null(bytes);
    for (long round = 0; round < most && round < 2000; round++) {
        scadyg_error error;
        size_t size = g->size;
        memcpy(bytes, g->bytes, size);
        for (uint64_t k = sg_rng_below(&rng, 3) + 1; k; k--) {
            static const uint64_t values[] = {0,
                                              1,
                                              UINT32_MAX,
                                              UINT64_MAX,
                                              (uint64_t)1 << 32,
                                              (uint64_t)1 << 62,
                                              0x7ff0000000000000u,
                                              0x7ff8000000000000u};
            const uint64_t value = values[sg_rng_below(&rng, 8)];
            const size_t length = sg_rng_below(&rng, 2) ? 8 : 4;
            /* The figures stand in the first part of the file. */
            const size_t place = sg_rng_below(&rng, round % 2 || size < 1200 ? size - 8 : 1200);
            memcpy(bytes + place / 4 * 4, &value, length);
        }
        if (sg_rng_below(&rng, 4) == 0) size = 1 + sg_rng_below(&rng, size);
        repair_model(bytes, size);
        (void)read_bytes(g, bytes, size, &error);
    }
    free(bytes);
}

static void shaken_and_repaired(void **state)
{
    (void)state;
    over_all(shaken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_flipped),  cmocka_unit_test(cut_at_every_length),
        cmocka_unit_test(newer_versions),      cmocka_unit_test(behind_the_checksums),
        cmocka_unit_test(shaken_and_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
