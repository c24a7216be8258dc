/*
 * The import pipeline: one file's blocks are read, parsed and taken, at the same time on the workers of a context.
 *
 * Reading and taking each happen in the order of the file, one block at a time; parsing any block on any thread.
 * Whatever thread is free does the next thing that can be done, so the work balances itself whether unpacking,
 * parsing or taking is the slow part. The caller alone can do all of it.
 */
#ifndef SG_EVENTS_IMPORT_PIPELINE_H
#define SG_EVENTS_IMPORT_PIPELINE_H

#include "base/context.h"
#include "events/import/input.h"
#include "events/import/parse.h"

typedef struct sg_pipeline {
    sg_input *input;
    const sg_layout *layout;
    size_t blocks;    /* held at most; 0: what the threads can use */
    const char *head; /* bytes already read from the input, to come first */
    size_t head_size;
    /* Takes a parsed block; called in order, by one thread at a time. Non-zero stops with that status. */
    int (*take)(void *data, sg_text_block *block, scadyg_error *error);
    /* Called now and then from the calling thread only. */
    int (*report)(void *data, scadyg_error *error);
    void *data;
} sg_pipeline;

int sg_pipeline_run(scadyg_context *context, const sg_pipeline *pipeline, scadyg_error *error);

#endif
