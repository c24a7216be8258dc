/* Import keeps to --memory: measured in a child process, for rows in any order and for many threads. */
#include "cmocka_all.h"

#include "events/importing.h"

#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { ROWS = 2000000, MEBIBYTE = 1 << 20 };

/* In order for the first part, which fills the memory in one way, then in any order, which needs it in
 * another. */
static void put_rows(const char *path, int in_order)
{
    FILE *file = fopen(path, "w");
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d %d %d\n", i % 1000, i % 777, i < in_order ? i : (int)sg_rng_below(&rng, ROWS));
    assert_int_equal(fclose(file), 0);
}

/* The peak of a child that imports, in bytes. */
static long peak_of_import(const char *path, int threads, uint64_t memory)
{
    char output[128];
    sample_path("m.events", output);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const char *const files[] = {path};
        scadyg_import_report *report = NULL;
        int status = import_files(context_with(threads, memory, NULL, NULL), files, 1, output, NULL, &report, NULL);
        _exit(status || !report || report->rows != ROWS || report->spilled_runs < 2);
    }
    int status;
    struct rusage usage;
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return usage.ru_maxrss * 1024;
}

static void within_bound(void **state)
{
    (void)state;
#ifdef SANITIZED
    skip(); /* a sanitizer's own memory is counted too */
#endif
    static const struct {
        int in_order, threads;
        uint64_t memory;
    } cases[] = {{0, 2, 16 * MEBIBYTE}, {1500000, 2, 16 * MEBIBYTE}, {0, 64, 16 * MEBIBYTE}};
    char path[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_rows(sample_path("m.txt", path), cases[i].in_order);
        long peak = peak_of_import(path, cases[i].threads, cases[i].memory);
        if (peak > (long)cases[i].memory + 64 * MEBIBYTE)
            fail_msg("case %zu took %ld MiB, allowed were %d + 64", i, peak / MEBIBYTE,
                     (int)(cases[i].memory / MEBIBYTE));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_bound),
    };
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_clean();
    return failed;
}
