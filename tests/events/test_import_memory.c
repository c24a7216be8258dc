/*
 * Import keeps to --memory: the peak of a child that imports, beyond that of one that imports next to nothing with as many
 * threads, is within the bound. For many short rows in any order, and for what takes memory in other ways.
 */
#include "cmocka_all.h"

#include "events/importing.h"

#include "under_sanitizer.h"

#include <sys/wait.h>

enum { MEBIBYTE = 1 << 20 };

/* What the system and the allocator add: parts of pages, free blocks between those in use. */
enum { SLACK = MEBIBYTE };

struct work {
    char path[128];
    const char *columns, *edge_features, *more; /* a second file */
    uint64_t rows;
};

/* The most memory this program has had, in KiB, as the system says it. */
static long peak_now(void)
{
    char line[256];
    long peak = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) (void)sscanf(line, "VmHWM: %ld", &peak);
    if (file) fclose(file);
    return peak;
}

/*
 * What the child does: the arguments are the file, the columns, the matrix, the threads, the memory, the rows, the output and
 * a second file.
 * Prints its peak.
 */
static int import_and_exit(char **arguments)
{
    const char *const files[] = {arguments[0], arguments[7]};
    const sg_import_options options = {.told.columns = *arguments[1] ? arguments[1] : NULL,
                                       .edge_features = *arguments[2] ? arguments[2] : NULL};
    scadyg_context *context = context_with(atoi(arguments[3]), strtoull(arguments[4], NULL, 10), NULL, NULL);
    scadyg_import_report *report = NULL;
    scadyg_error error = {0};
    int status = import_files(context, files, *arguments[7] ? 2 : 1, arguments[6], &options, &report, &error);
    if (status) fprintf(stderr, "%s\n", error.message);
    printf("%ld\n", peak_now());
    return status || report->rows != strtoull(arguments[5], NULL, 10);
}

/* The peak of a child that imports, in bytes. It is this program anew: what was freed here would be memory of its own. */
static long peak_of_import(const struct work *work, int threads, uint64_t memory)
{
    char output[128], numbers[3][32], said[64] = "";
    int ends[2], status;
    sample_path("m.events", output);
    snprintf(numbers[0], sizeof numbers[0], "%d", threads);
    snprintf(numbers[1], sizeof numbers[1], "%llu", (unsigned long long)memory);
    snprintf(numbers[2], sizeof numbers[2], "%llu", (unsigned long long)work->rows);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "import", work->path, work->columns ? work->columns : "",
              work->edge_features ? work->edge_features : "", numbers[0], numbers[1], numbers[2], output,
              work->more ? work->more : "", NULL);
        _exit(127);
    }
    close(ends[1]);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return atol(said) * 1024;
}

static void check_peak(const char *name, const struct work *work, int threads, uint64_t memory)
{
    struct work little = {.rows = 1};
    put_text("little", "1,2,3\n", little.path);
    const long base = peak_of_import(&little, threads, memory), peak = peak_of_import(work, threads, memory) - base;
    print_message("%s, %d threads, %llu MiB: %.1f\n", name, threads, (unsigned long long)memory / MEBIBYTE,
                  (double)peak / MEBIBYTE);
    if (peak > (long)memory + SLACK)
        fail_msg("%s: %.1f MiB with %d threads where %llu are allowed", name, (double)peak / MEBIBYTE, threads,
                 (unsigned long long)memory / MEBIBYTE);
}

static FILE *begin_file(struct work *work, const char *name)
{
    FILE *file = fopen(sample_path(name, work->path), "w");
    assert_non_null(file);
    return file;
}

/* In order for the first part, which fills the memory in one way, then in any order, which needs it in another. */
static void put_short_rows(struct work *work, int rows, int in_order)
{
    FILE *file = begin_file(work, "m.txt");
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (int i = 0; i < rows; i++)
        fprintf(file, "%d,%d,%d\n", i % 10, i % 7, i < in_order ? i / 1000 : (int)sg_rng_below(&rng, 1000));
    assert_int_equal(fclose(file), 0);
    work->rows = (uint64_t)rows;
}

static void short_rows(void **state)
{
    (void)state;
    struct work work = {0};
    put_short_rows(&work, 1500000, 0);
    for (uint64_t memory = 16 * MEBIBYTE; memory <= 64 * MEBIBYTE; memory *= 2)
        for (int threads = 1; threads <= 8; threads *= 2) check_peak("any order", &work, threads, memory);
    put_short_rows(&work, 1500000, 1400000);
    check_peak("order that breaks", &work, 2, 16 * MEBIBYTE);
    check_peak("order that breaks", &work, 64, 32 * MEBIBYTE);
    check_peak("any order", &work, 2, IMPORT_LEAST);
}

/* Rows that are nearly as long as rows may be, so that every block is. */
static void long_rows(void **state)
{
    (void)state;
    struct work work = {.columns = "src,dst,time,-", .rows = 60};
    char *text = malloc(1000000);
    assert_non_null(text);
    memset(text, 'x', 1000000);
    FILE *file = begin_file(&work, "m.txt");
    for (unsigned i = 0; i < work.rows; i++) fprintf(file, "%u,2,3,%.*s\n", i, 1000000, text);
    assert_int_equal(fclose(file), 0);
    free(text);
    for (int threads = 1; threads <= 8; threads *= 2) check_peak("long rows", &work, threads, 16 * MEBIBYTE);
}

static void wide_rows(void **state)
{
    (void)state;
    enum { ROWS = 12000, WIDTH = 1000 };
    struct work work = {.columns = "src,dst,time,feature...", .rows = ROWS};
    FILE *file = begin_file(&work, "m.txt");
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "1,2,%d", (i * 7) % 1000);
        for (int k = 0; k < WIDTH; k++) fputs(",1", file);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
    check_peak("wide rows", &work, 2, 16 * MEBIBYTE);
    check_peak("wide rows", &work, 8, 32 * MEBIBYTE);
}

/* Names: each is new, so that the table of them grows all the time, up to a good part of the bound. */
static void many_ids(void **state)
{
    (void)state;
    struct work work = {.rows = 40000};
    FILE *file = begin_file(&work, "m.txt");
    for (unsigned i = 0; i < work.rows; i++) fprintf(file, "somebody-%u,%u,%u\n", i, i * 99991, (i * 7) % 1000);
    assert_int_equal(fclose(file), 0);
    check_peak("many ids", &work, 1, 32 * MEBIBYTE);
    check_peak("many ids", &work, 4, 32 * MEBIBYTE);
}

/* A window of 8 MiB, as zstd -19 makes it. */
static void packed_rows(void **state)
{
    (void)state;
    struct work work = {0};
    size_t size;
    put_short_rows(&work, 2000000, 0);
    char *text = read_whole(work.path, &size);
    put_packed(sample_path("m.gz", work.path), text, size, GZIP);
    check_peak("gzip", &work, 2, 16 * MEBIBYTE);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    assert_non_null(zstd);
    const size_t room = ZSTD_compressBound(size);
    char *packed = malloc(room);
    assert_non_null(packed);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1)));
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 23)));
    const size_t got = ZSTD_compress2(zstd, packed, room, text, size);
    assert_false(ZSTD_isError(got));
    put_file(sample_path("m.zst", work.path), packed, got);
    check_peak("zstd with a window of 8 MiB", &work, 2, 16 * MEBIBYTE);
    const char *const files[] = {work.path};
    import_fails(context_with(1, IMPORT_LEAST, NULL, NULL), files, 1, NULL, SCADYG_E_MEMORY,
                 "m.zst was packed with a window of more than 4096 KiB");
    ZSTD_freeCCtx(zstd);
    free(packed);
    free(text);
}

static double number_at(size_t row, size_t column)
{
    return (double)(row % 100 + column);
}

/* A matrix of features of 48 MB, read in the order of time, which is not its own. */
static void matrix_beside(void **state)
{
    (void)state;
    enum { ROWS = 60000, WIDTH = 100 };
    struct work work = {.rows = ROWS};
    char matrix[128];
    long_text t = {0};
    npy_doubles(&t, ROWS, WIDTH, number_at);
    put_file(sample_path("m.npy", matrix), t.data, t.size);
    text_free(&t);
    work.edge_features = matrix;
    FILE *file = begin_file(&work, "m.txt");
    for (int i = 0; i < ROWS; i++) fprintf(file, "1,2,%d\n", (int)((long)i * 7919 % ROWS));
    assert_int_equal(fclose(file), 0);
    check_peak("a matrix beside", &work, 2, 16 * MEBIBYTE);
}

/* Events files, of which little is in memory at a time: as the first of the inputs, and as a further one. */
static void events_files(void **state)
{
    (void)state;
    enum { ROWS = 1500000, WIDTH = 300, WIDE = 30000 };
    struct work work = {0}, little = {0};
    char big[128], small[128];
    put_short_rows(&work, ROWS, ROWS);
    import_one(NULL, work.path, sample_path("big.events", big), NULL, NULL);
    put_text("small.csv", "11,12,2000\n", small);
    const struct work first = {.more = small, .rows = ROWS + 1};
    little = first;
    strcpy(little.path, big);
    for (uint64_t memory = IMPORT_LEAST; memory <= 32 * MEBIBYTE; memory *= 2)
        for (int threads = 1; threads <= 4; threads *= 2)
            check_peak("an events file first", &little, threads, memory);
    strcpy(little.path, small);
    little.more = big;
    check_peak("an events file second", &little, 1, IMPORT_LEAST);
    check_peak("an events file second", &little, 2, 16 * MEBIBYTE);
    FILE *file = begin_file(&work, "m.txt");
    for (int i = 0; i < WIDE; i++) {
        fprintf(file, "n%d,%d,%d", i, i % 7, i);
        for (int k = 0; k < WIDTH; k++) fputs(",1", file);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
    const sg_import_options wide = {.told.columns = "src,dst,time,feature..."};
    import_one(NULL, work.path, big, &wide, NULL);
    struct work alone = {.rows = WIDE};
    strcpy(alone.path, big);
    check_peak("a wide events file", &alone, 2, 16 * MEBIBYTE);
    struct work twice = {.rows = 2 * WIDE, .more = big};
    strcpy(twice.path, big);
    check_peak("a wide events file twice", &twice, 2, 32 * MEBIBYTE);
}

/* A bound with which nothing can be done names the least that would do, and that does. */
static void too_little(void **state)
{
    (void)state;
    struct work work = {0};
    char output[128];
    unsigned long long least = 0;
    put_short_rows(&work, 50000, 0);
    const char *const files[] = {work.path};
    scadyg_error error = {0};
    assert_int_equal(import_files(context_with(2, MEBIBYTE, NULL, NULL), files, 1, sample_path("m.events", output),
                                  NULL, NULL, &error),
                     SCADYG_E_MEMORY);
    const char *said = strstr(error.message, "with --memory 1M; allow at least ");
    assert_non_null(said);
    assert_int_equal(sscanf(strrchr(said, ' '), " %lluM", &least), 1);
    assert_true(least > 1 && least * MEBIBYTE <= IMPORT_LEAST);
    import_one(context_with(2, least * MEBIBYTE, NULL, NULL), work.path, output, NULL, NULL);
    import_fails(context_with(2, (least - 1) * MEBIBYTE, NULL, NULL), files, 1, NULL, SCADYG_E_MEMORY,
                 "allow at least");
}

int main(int count, char **arguments)
{
    if (count > 8) return import_and_exit(arguments + 1);
    const struct CMUnitTest measured[] = {
        cmocka_unit_test(short_rows),   cmocka_unit_test(long_rows),   cmocka_unit_test(wide_rows),
        cmocka_unit_test(many_ids),     cmocka_unit_test(packed_rows), cmocka_unit_test(matrix_beside),
        cmocka_unit_test(events_files),
    };
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_little)};
    sample_in_memory();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    /* A sanitizer's own memory would be counted too. */
    if (!UNDER_SANITIZER) failed += cmocka_run_group_tests(measured, NULL, NULL);
    sample_clean();
    return failed;
}
