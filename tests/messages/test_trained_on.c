/* Plans by another file: the same messages by every way, and columns that follow a node's id into another file. */
#include "messages/random_graph.h"

#include "events/node_id.h"
#include "messages/nodes/plan.h"

#include <string.h>

static size_t rounds(void)
{
    const char *text = getenv("SCADYG_TEST_ROUNDS");
    const size_t most = text ? strtoul(text, NULL, 10) : 500;
    return most < 500 ? most : 500;
}

/* All nodes at once, node by node, and through the public walk: the same bits. */
static void one_way_or_another(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 11, 0);
    for (size_t round = 0; round < rounds(); round++) {
        static random_graph graph;
        char rates[2048];
        scadyg_error error;
        random_graph_make(&graph, &rng);
        const sg_messages_options options = random_options(&graph.made, &rng, rates);
        scadyg_events *events = make_events(&graph.made);
        sg_trained_on trained_on;
        scadyg_messages *own, *alike;
        assert_int_equal(sg_trained_on_make(&trained_on, events, &options, &error), SCADYG_OK);
        if (sg_messages_open(context_of(2), events, &options, &own, &error)) fail_msg("%s", error.message);
        trained_on.features_zero = 0; /* a graph of one event may have drawn such features */
        if (sg_messages_open_trained_on(context_of(2), events, &options, &trained_on, &alike, &error))
            fail_msg("%s", error.message);
        const size_t nodes = (size_t)graph.made.nodes, width = scadyg_messages_width(own);
        assert_int_equal(scadyg_messages_width(alike), width);
        float *all = malloc(nodes * width * sizeof *all), *other = malloc(nodes * width * sizeof *other);
        assert_true(all && other);
        uint32_t list[GRAPH_NODES];
        for (uint32_t i = 0; i < nodes; i++) list[i] = i;
        for (int64_t step = 0; step <= scadyg_messages_step_count(own); step++) {
            assert_int_equal(sg_messages_before_step(alike, step, NULL, nodes, all, &error), SCADYG_OK);
            assert_int_equal(sg_messages_before_step(alike, step, list, nodes, other, &error), SCADYG_OK);
            assert_memory_equal(all, other, nodes * width * sizeof *all);
            if (step == 0) continue;
            double end;
            assert_int_equal(scadyg_messages_step_range(own, step - 1, NULL, NULL, &end), SCADYG_OK);
            assert_int_equal(scadyg_messages_step(own, step - 1, &error), SCADYG_OK);
            assert_int_equal(scadyg_messages_read(own, end, NULL, nodes, other, &error), SCADYG_OK);
            assert_memory_equal(all, other, nodes * width * sizeof *all);
        }
        free(all);
        free(other);
        scadyg_messages_close(own);
        scadyg_messages_close(alike);
        sg_trained_on_free(&trained_on);
        scadyg_events_close(events);
    }
}

static scadyg_events *imported(const char *csv)
{
    char text[64], path[64];
    scadyg_error error;
    scadyg_events *events;
    make_path(text);
    make_path(path);
    FILE *file = fopen(text, "w");
    assert_non_null(file);
    fputs(csv, file);
    fclose(file);
    const char *files[] = {text};
    if (scadyg_import(NULL, files, 1, path, NULL, NULL, &error)) fail_msg("%s", error.message);
    if (scadyg_events_open(path, &events, &error)) fail_msg("%s", error.message);
    unlink(text);
    unlink(path);
    return events;
}

/* In the other file the nodes appear in another order and there is a new one; columns and random numbers stay. */
static void other_file(void **state)
{
    (void)state;
    scadyg_error error;
    scadyg_events *first = imported("src,dst,time\nann,bob,0\nbob,cid,4\ncid,ann,8\n");
    scadyg_events *later = imported("src,dst,time\ncid,dora,9\ndora,bob,10\nann,cid,11\n");
    static const char *const kinds[] = {"onehot", "random:4"};
    for (int kind = 0; kind < 2; kind++) {
        sg_messages_options options = default_messages();
        options.node_features = kinds[kind];
        options.rates = NULL;
        options.steps = 4;
        sg_trained_on trained_on;
        scadyg_messages *messages;
        assert_int_equal(sg_trained_on_make(&trained_on, first, &options, &error), SCADYG_OK);
        if (sg_messages_open_trained_on(NULL, later, &options, &trained_on, &messages, &error))
            fail_msg("%s", error.message);
        const size_t width = scadyg_messages_width(messages), edge = messages->edge_width;
        assert_int_equal(width, edge + (kind ? 4 : 3));
        assert_int_equal(sg_messages_step_of(messages, 9), 4); /* the grid goes on behind 8, two apart */
        assert_int_equal(sg_messages_step_of(messages, 11), 5);
        uint32_t bob, dora;
        assert_int_equal(scadyg_node_find(later, SCADYG_SOURCE, "bob", &bob, &error), SCADYG_OK);
        assert_int_equal(scadyg_node_find(later, SCADYG_DESTINATION, "dora", &dora, &error), SCADYG_OK);
        float row[64];
        assert_int_equal(sg_messages_before_step(messages, 6, &bob, 1, row, &error), SCADYG_OK);
        if (kind == 0) { /* bob met dora, who has no column, at 10: read at 11 */
            assert_true(row[edge] == 0);
            assert_true(row[edge + 1] > 0.8F && row[edge + 1] < 1);
            assert_true(row[edge + 2] == 0);
        } else { /* z_dora + z_bob by their ids, whatever their numbers */
            for (size_t j = 0; j < 4; j++) {
                const uint64_t *keys = NULL;
                assert_int_equal(sg_events_keys(later, &keys, &error), SCADYG_OK);
                assert_non_null(keys);
                const double z = (double)(sg_hash3(1, keys[bob], j) >> 40) * 0x1.0p-24 +
                                 (double)(sg_hash3(1, keys[dora], j) >> 40) * 0x1.0p-24;
                assert_true(fabs(row[edge + j] - z * exp(-messages->rates[edge + j])) < 1e-6);
            }
        }
        scadyg_messages_close(messages);
        sg_trained_on_free(&trained_on);
    }
    scadyg_events_close(first);
    scadyg_events_close(later);
}

/* Features of zeros are passed over: the message is that of the scaled time. */
static void zero_features(void **state)
{
    (void)state;
    scadyg_error error;
    scadyg_events *with = imported("src,dst,time,f0,f1\na,b,0,0,0\nb,c,4,0,0\nc,a,8,0,0\n");
    scadyg_events *without = imported("src,dst,time\na,b,0\nb,c,4\nc,a,8\n");
    const sg_messages_options options = default_messages();
    float rows[2][3 * 8];
    for (int i = 0; i < 2; i++) {
        scadyg_events *events = i ? with : without;
        sg_trained_on trained_on;
        scadyg_messages *messages;
        assert_int_equal(sg_trained_on_make(&trained_on, events, &options, &error), SCADYG_OK);
        assert_int_equal(trained_on.features_zero, i);
        if (sg_messages_open_trained_on(context_of(2), events, &options, &trained_on, &messages, &error))
            fail_msg("%s", error.message);
        assert_int_equal(scadyg_messages_width(messages), 8);
        assert_int_equal(sg_messages_before_step(messages, options.steps, NULL, 3, rows[i], &error), SCADYG_OK);
        scadyg_stream *stream;
        double message[8];
        assert_int_equal(scadyg_stream_open(messages, &stream, &error), SCADYG_OK);
        assert_int_equal(scadyg_stream_add_events(stream, events, 0, 3, &error), SCADYG_OK);
        assert_int_equal(scadyg_stream_read(stream, 0, 9, message, &error), SCADYG_OK);
        assert_true(message[0] > 0);
        scadyg_stream_close(stream);
        scadyg_messages_close(messages);
        sg_trained_on_free(&trained_on);
    }
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    scadyg_events_close(with);
    scadyg_events_close(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_way_or_another), cmocka_unit_test(other_file),
                                       cmocka_unit_test(zero_features)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
