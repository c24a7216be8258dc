/* Products of matrices. */
#include "nn/gemm.h"

#ifdef SCADYG_HAVE_BLAS
#include <cblas.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#endif
#include <string.h>

#ifdef SCADYG_HAVE_BLAS

/*
 * ---- Calls of OpenBLAS that cannot fail ----
 *
 * OpenBLAS takes a buffer for each call that is going on, from a table of the whole process, and keeps it for later ones.
 * Beyond 50 at a time it prints a warning, beyond some hundreds it crashes, and where no memory is left for another buffer
 * it tries for ever. So only CALLS_MOST are let in at a time, and one that needs another buffer only if there is room for
 * it; the others wait for their turn, since another way to multiply would give other bits. The counts are of the process,
 * as the table is.
 */

enum { CALLS_MOST = 32 };
#define BUFFER_BYTES ((size_t)144 << 20) /* of 0.3.21, which has 128 MB, and a little more */

static atomic_uint calls;   /* going on */
static atomic_uint buffers; /* that OpenBLAS has, at least */

static int has_room(void)
{
    void *room = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, BUFFER_BYTES) == 0;
}

/* Whether the call may begin now: it is then the `now`-th of those going on, from 0. */
static int enter_blas(unsigned now)
{
    if (now >= CALLS_MOST || (now >= atomic_load(&buffers) && !has_room())) return 0;
    if (!atomic_compare_exchange_strong(&calls, &now, now + 1)) return 0;
    for (unsigned known = atomic_load(&buffers); known < now + 1;)
        if (atomic_compare_exchange_weak(&buffers, &known, now + 1)) break;
    return 1;
}

static void multiply(CBLAS_TRANSPOSE a_by, CBLAS_TRANSPOSE b_by, size_t rows, size_t columns, size_t depth,
                     const float *a, size_t a_step, const float *b, size_t b_step, int add, float *out,
                     size_t out_step)
{
    while (!enter_blas(atomic_load(&calls))) sched_yield();
    cblas_sgemm(CblasRowMajor, a_by, b_by, (blasint)rows, (blasint)columns, (blasint)depth, 1, a, (blasint)a_step,
                b, (blasint)b_step, add ? 1 : 0, out, (blasint)out_step);
    atomic_fetch_sub(&calls, 1);
}

/* Whether a product is worth a call, and of a size it can take. */
static int is_large(size_t a, size_t b, size_t c)
{
    const size_t most = (size_t)1 << 30;
    return a >= 8 && b >= 8 && c >= 8 && a < most && b < most && c < most && a * b >= SG_BLAS_FROM / c;
}

int sg_gemm_ready(size_t a, size_t b, size_t c, scadyg_error *error)
{
    const float zeros[64] = {0};
    float out[64];
    if (!is_large(a, b, c) || atomic_load(&buffers)) return SCADYG_OK;
    if (!has_room()) return sg_fail_memory(error, "products of matrices");
    multiply(CblasNoTrans, CblasNoTrans, 8, 8, 8, zeros, 8, zeros, 8, 0, out, 8);
    return SCADYG_OK;
}

void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out)
{
    if (!is_large(outputs, inputs, lanes)) {
        kernels->mix(outputs, inputs, lanes, weights, bias, x, out);
        return;
    }
    for (size_t o = 0; bias && o < outputs; o++)
        for (size_t i = 0; i < lanes; i++) out[o * lanes + i] = bias[o];
    const int by_inputs = weights.outer == 1;
    multiply(by_inputs ? CblasTrans : CblasNoTrans, CblasNoTrans, outputs, lanes, inputs, weights.at,
             by_inputs ? weights.inner : weights.outer, x, lanes, bias != NULL, out, lanes);
}

void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out)
{
    if (is_large(rows, columns, lanes))
        multiply(CblasNoTrans, CblasTrans, rows, columns, lanes, x, lanes, y, lanes, 0, out, columns);
    else
        kernels->outer(rows, columns, lanes, x, y, out);
}

void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out)
{
    if (!is_large(outputs, inputs, count)) {
        kernels->rows(outputs, inputs, count, a, bias, x, out);
        return;
    }
    for (size_t n = 0; bias && n < count; n++) memcpy(out + n * outputs, bias, outputs * sizeof *out);
    multiply(CblasNoTrans, CblasNoTrans, count, outputs, inputs, x, inputs, a, outputs, bias != NULL, out, outputs);
}

#else

int sg_gemm_ready(size_t a, size_t b, size_t c, scadyg_error *error)
{
    (void)a, (void)b, (void)c, (void)error;
    return SCADYG_OK;
}

void sg_gemm_lanes(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t lanes, sg_weights weights,
                   const float *bias, const float *x, float *out)
{
    kernels->mix(outputs, inputs, lanes, weights, bias, x, out);
}

void sg_gemm_outer(const sg_kernels *kernels, size_t rows, size_t columns, size_t lanes, const float *x,
                   const float *y, float *out)
{
    kernels->outer(rows, columns, lanes, x, y, out);
}

void sg_gemm_rows(const sg_kernels *kernels, size_t outputs, size_t inputs, size_t count, const float *a,
                  const float *bias, const float *x, float *out)
{
    kernels->rows(outputs, inputs, count, a, bias, x, out);
}

#endif
