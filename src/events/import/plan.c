/*
 * Import, how the bound of memory is divided.
 *
 * Text in work has a quarter, as many blocks as the threads can use and as large as fit. What reading holds is known
 * beforehand, and counted as if every row were as long as a row may be; the table of ids and what unpacking takes are counted
 * as they are; rows have the rest. When they are written the blocks are gone, and batches, buffers for merging and the
 * order of the nodes take their place.
 */
#include "events/import/import.h"

#define MIB ((uint64_t)1 << 20)
#define BLOCK_LEAST ((size_t)64 << 10)
#define BLOCK_MOST ((size_t)1 << 20)
#define CHUNK_LEAST ((size_t)64 << 10)
#define CHUNK_MOST ((size_t)2 << 20) /* a huge page */
#define BATCH_MOST ((size_t)8 << 20)
#define IDS_LEAST (MIB / 2) /* for the table of ids, so that there is something to begin with */
#define BESIDE (MIB / 2)    /* the layout with its names, the report */

static size_t clamp(uint64_t size, size_t least, size_t most)
{
    return size < least ? least : size > most ? most : (size_t)size;
}

/* As many blocks as the threads can use, and as large as that leaves them. */
static void choose_blocks(sg_import_plan *plan, uint64_t share, size_t threads, const sg_layout *layout)
{
    const size_t wanted = threads > 1 ? 2 * threads + 2 : 1;
    for (plan->block_size = BLOCK_MOST;; plan->block_size /= 2) {
        const uint64_t fit = share / sg_text_block_bytes(layout, plan->block_size, SG_ROW_LONGEST);
        plan->blocks = clamp(fit, 1, wanted);
        if (fit >= wanted || plan->block_size == BLOCK_LEAST) return;
    }
}

/* Two rows at a time are the least that can be merged, and one the least that can be written. */
static uint64_t find_least_rows(const sg_import_plan *plan, const sg_row_places *places)
{
    const uint64_t least = sg_row_store_least(places, plan->chunk_size);
    return least < 4 * places->size ? 4 * places->size : least;
}

static void divide_rows(sg_import_plan *plan, uint64_t memory, const sg_row_places *places)
{
    *plan = (sg_import_plan){.chunk_size = clamp(memory / 64, CHUNK_LEAST, CHUNK_MOST),
                             .batch_size = clamp(memory / 16, 1, BATCH_MOST),
                             .merge_size = memory / 4};
    plan->least_rows = find_least_rows(plan, places);
}

static void divide(sg_import_plan *plan, uint64_t memory, size_t threads, const sg_layout *layout,
                   const sg_row_places *places, size_t step)
{
    divide_rows(plan, memory, places);
    choose_blocks(plan, memory / 4, threads, layout);
    plan->fixed = BESIDE + sg_reader_bytes(step) +
                  plan->blocks * sg_text_block_bytes(layout, plan->block_size, SG_ROW_LONGEST);
}

/* Whether what unpacking takes leaves enough for the plan. */
static int fits(sg_import_plan *plan, uint64_t memory, uint64_t unpacking, size_t threads, size_t step,
                const sg_layout *layout, const sg_row_places *places)
{
    const uint64_t rest = memory > unpacking ? memory - unpacking : 0;
    divide(plan, rest, threads, layout, places, step);
    return plan->fixed + plan->least_rows + IDS_LEAST <= rest;
}

int sg_import_plan_make(sg_import_plan *plan, uint64_t memory, size_t threads, size_t step, const sg_input *input,
                        const sg_layout *layout, const sg_row_places *places, scadyg_error *error)
{
    const uint64_t unpacking = sg_input_bytes(input);
    const uint64_t text = strcmp(sg_input_encoding(input), "plain") == 0 ? sg_input_size(input) : 0;
    if (fits(plan, memory, unpacking, threads, step, layout, places)) {
        /* A small file needs no large blocks. */
        if (text && text < plan->block_size) plan->block_size = (size_t)text;
        return SCADYG_OK;
    }
    uint64_t least = memory / MIB + 1;
    while (!fits(plan, least * MIB, unpacking, threads, step, layout, places)) least++;
    return sg_fail(error, SCADYG_E_MEMORY, "%s cannot be imported with --memory %lluM; allow at least %lluM",
                   sg_input_name(input), (unsigned long long)(memory / MIB), (unsigned long long)least);
}

int sg_import_plan_stored(sg_import_plan *plan, uint64_t memory, const sg_row_places *places, const char *name,
                          scadyg_error *error)
{
    for (uint64_t least = memory / MIB;; least++) {
        const uint64_t bound = least == memory / MIB ? memory : least * MIB;
        divide_rows(plan, bound, places);
        plan->fixed = BESIDE + bound / SG_RESIDENT_SHARE;
        if (plan->fixed + plan->least_rows + IDS_LEAST > bound) continue;
        if (bound == memory) return SCADYG_OK;
        return sg_fail(error, SCADYG_E_MEMORY, "%s cannot be imported with --memory %lluM; allow at least %lluM",
                       name, (unsigned long long)(memory / MIB), (unsigned long long)least);
    }
}
