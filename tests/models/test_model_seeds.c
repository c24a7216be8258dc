/*
 * The seeds of the fuzz corpus of model files are what is written today: small models of every kind and task, and
 * checkpoints. They are files of the format as well: where one differs, what was saved before cannot be read any more, or
 * means something else. After a change that is meant:
 *
 *   SCADYG_WRITE_SEEDS=1 build/tests/test_model_seeds
 */
#include "models/same_model.h"

/* The first byte asks the target to make checksums right (fuzz_model.c). */
enum { AS_IT_IS = 0, REPAIRED = 1 };

static void seed_path(char path[512], const char *prefix, const char *name)
{
    snprintf(path, 512, "%s/fuzz/corpus/model/%s%s", TESTS_DIR, prefix, name);
}

static void write_seed(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A byte, and a file that was just written. */
static void check_seed(int first, const char *written, const char *prefix, const char *name)
{
    char path[512];
    size_t size, found_size = 0;
    unsigned char *bytes = read_whole(written, &size), *found = NULL;
    memmove(bytes + 1, bytes, size++); /* read_whole has room for one more */
    bytes[0] = (unsigned char)first;
    seed_path(path, prefix, name);
    if (getenv("SCADYG_WRITE_SEEDS")) write_seed(path, bytes, size);
    if (access(path, R_OK) == 0) found = read_whole(path, &found_size);
    if (!found || found_size != size || memcmp(found, bytes, size) != 0)
        fail_msg("%s is not what is written today; see the head of this file", path);
    free(found), free(bytes);
}

static void models(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    make_path(path);
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]);
        if (scadyg_model_save(model, path, &error)) fail_msg("%s", error.message);
        check_seed(REPAIRED, path, "", samples[i].name);
        if (strcmp(samples[i].name, "paper-standard") == 0)
            check_seed(AS_IT_IS, path, "as-it-is-", samples[i].name);
        scadyg_model_close(model);
    }
    unlink(path);
}

static void checkpoints(void **state)
{
    (void)state;
    static const char *const names[] = {"scadyg", "scadyg-affinity", "paper-plain", "paper-affinity"};
    char path[64];
    scadyg_error error;
    make_path(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scadyg_model *model = sample_model(find_sample(names[i]));
        sg_checkpoint progress = sample_checkpoint(model);
        if (sg_checkpoint_save(path, model, &progress, &error)) fail_msg("%s", error.message);
        check_seed(REPAIRED, path, "checkpoint-", names[i]);
        sg_checkpoint_free(&progress);
        scadyg_model_close(model);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),
        cmocka_unit_test(checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
