/*
 * Writes a log to read: rows "src dst time" like those of the SNAP collection, in the order of time, with ids
 * that few nodes have most of, of up to 2.6 million nodes as in Stackoverflow's log.
 *
 *   bench_text ROWS [NODES] [SEED] [disorder] >log.txt
 *
 * With a fourth argument the times come in no order at all.
 */
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER ((size_t)1 << 20)
#define START 1217567877.0 /* seven years and a half from here, as Stackoverflow's log */
#define LENGTH 239000000.0

static char buffer[BUFFER];
static size_t used;

static void flush(void)
{
    for (size_t done = 0; done < used;) {
        ssize_t wrote = write(STDOUT_FILENO, buffer + done, used - done);
        if (wrote <= 0) {
            perror("bench_text");
            exit(1);
        }
        done += (size_t)wrote;
    }
    used = 0;
}

static void put(uint64_t number, char behind)
{
    char digits[24];
    size_t length = 0;
    do digits[length++] = (char)('0' + number % 10);
    while (number /= 10);
    while (length > 0) buffer[used++] = digits[--length];
    buffer[used++] = behind;
}

/* The same tail as in bench_propagation, with the numbers scattered as real ids are. */
static uint64_t draw(sg_rng *rng, uint64_t nodes)
{
    double u = sg_rng_unit(rng);
    uint64_t rank = (uint64_t)((double)nodes * u * u * sqrt(u));
    return rank * 1299709 % nodes + 1;
}

int main(int argc, char **argv)
{
    uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 0,
             nodes = argc > 2 ? strtoull(argv[2], NULL, 10) : 2600000;
    if (rows == 0 || nodes == 0) {
        fprintf(stderr, "usage: bench_text ROWS [NODES] [SEED] [disorder]\n");
        return 2;
    }
    sg_rng rng;
    sg_rng_seed(&rng, argc > 3 ? strtoull(argv[3], NULL, 10) : 1, 7);
    double time = START;
    for (uint64_t i = 0; i < rows; i++) {
        if (used > BUFFER - 128) flush();
        put(draw(&rng, nodes), ' ');
        put(draw(&rng, nodes), ' ');
        double at = sg_rng_unit(&rng);
        time += 2 * at * LENGTH / (double)rows;
        put((uint64_t)(argc > 4 ? START + at * LENGTH : time), '\n');
    }
    flush();
    return 0;
}
