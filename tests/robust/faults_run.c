/* Runs one piece of work with every call in turn failing. */
#include "cmocka_all.h"
#include "under_sanitizer.h"

#include "robust/faults.h"
#include "robust/faults_run.h"
#include "robust/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct expected {
    unsigned char *bytes;
    size_t size;
};

static void check_success(const faults_work *work, const char *output, const struct expected *expected, long n)
{
    size_t size;
    unsigned char *bytes = scratch_read(output, &size);
    if (!bytes || size != expected->size || memcmp(bytes, expected->bytes, size) != 0)
        fail_msg("%s: success in spite of %s call %ld failing, but not the right file", work->name, faults_name(),
                 n);
    free(bytes);
}

/* One round; returns how many calls were made to fail. */
static long one_round(const faults_work *work, const struct expected *expected, unsigned kinds, long n, int on)
{
    static const char older[] = "an older file";
    char *directory = scratch_make();
    char *output = strdup(scratch_path(directory, "out.events"));
    int replace = n % 2 == 0; /* every other time there is a file already */
    if (replace) scratch_write(output, older, sizeof older);
    size_t descriptors = scratch_descriptors();
    scadyg_error error = {0};
    faults_arm(kinds, n, on);
    int status = work->run(work->context, output, &error);
    long failed = faults_disarm();
    if (scratch_descriptors() != descriptors)
        fail_msg("%s: a descriptor stays open after %s call %ld failed", work->name, faults_name(), n);
    if (status == SCADYG_OK) {
        check_success(work, output, expected, n);
    } else {
        if (!failed) fail_msg("%s: fails without a fault: %s", work->name, error.message);
        if (error.status != status || !error.message[0] || strchr(error.message, '\n'))
            fail_msg("%s: status %d without a message after %s call %ld failed", work->name, status, faults_name(),
                     n);
        /* Written whole, but the disk did not take its name: then this or another file of the work is there. */
        const int named = strstr(error.message, "is written, but may be lost") != NULL;
        if (!named && scratch_count(directory) != (size_t)replace)
            fail_msg("%s: leftovers after %s call %ld failed", work->name, faults_name(), n);
        if (replace && !named)
            check_success(work, output, &(struct expected){(unsigned char *)(uintptr_t)older, sizeof older}, n);
    }
    if (status == SCADYG_OK && scratch_count(directory) != 1)
        fail_msg("%s: leftovers beside the output after %s call %ld failed", work->name, faults_name(), n);
    free(output);
    scratch_remove(directory);
    return failed;
}

long faults_everywhere(const faults_work *work)
{
    static const unsigned kinds[] = {
        FAULTS_MEMORY, FAULTS_WRITE, FAULTS_WRITE | FAULTS_NO_TMPFILE, FAULTS_OPEN, FAULTS_OPEN | FAULTS_NO_TMPFILE,
        FAULTS_READ};
    char *directory = scratch_make();
    const char *output = scratch_path(directory, "out.events");
    scadyg_error error = {0};
    int status = work->run(work->context, output, &error);
    if (status) fail_msg("%s: fails without faults: %s", work->name, error.message);
    struct expected expected;
    expected.bytes = scratch_read(output, &expected.size);
    assert_non_null(expected.bytes);
    scratch_remove(directory);
    long rounds = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int on = 0; on <= 1; on++) {
            long n = 1;
            /* The later calls only one in three, and where a sanitizer makes it slow one in seven. */
            const long stride = !getenv("SCADYG_TEST_ROUNDS") ? 1 : UNDER_SANITIZER ? 7 : 3;
            for (; one_round(work, &expected, kinds[k], n, on); n += n < 30 ? 1 : stride) {
                rounds++;
                if (n > 100000) fail_msg("%s: no end of calls to fail", work->name);
            }
        }
    free(expected.bytes);
    print_message("%s: %ld failures\n", work->name, rounds);
    return rounds;
}
