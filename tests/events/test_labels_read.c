/* Label files: layouts, packings, sums, and what is refused and how. */
#include "events/importing.h"

#include "events/labels.h"

#include <math.h>

static const char *const names[] = {"ann", "bob", "c d", "dst:x"};

static scadyg_events *open_events(int time_kind)
{
    char path[128];
    const uint32_t src[] = {0, 2}, dst[] = {1, 3};
    const double time[] = {1, 2};
    const sample s = {.shape = {.events = 2, .nodes = 4, .time_kind = time_kind},
                      .src = src,
                      .dst = dst,
                      .time = time,
                      .names = names};
    sample_write(sample_path("x.events", path), &s);
    return sample_open(path);
}

static void must_read(sg_labels *labels, scadyg_events *events, const char *path, char *const *classes,
                      size_t count)
{
    scadyg_error error = {0};
    if (sg_labels_read(labels, events, path, classes, count, &error)) fail_msg("%s", error.message);
}

/* All of it as one line: "time node class=weight,class=weight; ..." */
static const char *shown(const sg_labels *labels)
{
    static char text[4096];
    size_t used = 0;
    text[0] = 0;
    for (size_t g = 0; g < labels->groups; g++)
        for (size_t r = labels->first_row[g]; r < labels->first_row[g + 1]; r++) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%g %s", labels->time[g], names[labels->node[r]]);
            for (size_t e = labels->first[r]; e < labels->first[r + 1]; e++)
                used += (size_t)snprintf(text + used, sizeof text - used, " %s=%g",
                                         labels->names[labels->class_of[e]], (double)labels->weight[e]);
            used += (size_t)snprintf(text + used, sizeof text - used, "; ");
        }
    return text;
}

static void check_text(const char *content, char *const *classes, size_t count, const char *expected)
{
    char path[128];
    scadyg_events *events = open_events(SCADYG_TIME_NUMBER);
    sg_labels labels;
    must_read(&labels, events, put_text("labels", content, path), classes, count);
    assert_string_equal(shown(&labels), expected);
    sg_labels_free(&labels);
    scadyg_events_close(events);
}

static void layouts(void **state)
{
    (void)state;
    const char *expected = "1 ann rock=0.25 pop=0.75; 2 ann rock=1; 2 bob pop=1; ";
    check_text("1,ann,rock,1\n1,ann,pop,3\n2,bob,pop,5\n2,ann,rock,.5\n", NULL, 0, expected);
    check_text("time,node,class,weight\n1,ann,rock,1\n1,ann,pop,3\n2,bob,pop,5\n2,ann,rock,.5", NULL, 0, expected);
    check_text("ts,user_id,genre,weight\r\n1,ann,rock,1\r\n1,ann,pop,3\r\n2,bob,pop,5\r\n2,ann,rock,.5\r\n", NULL,
               0, expected);
    check_text(
        "\xEF\xBB\xBFyear,nation,trading nation,weight\n1,ann,rock,1\n1,ann,pop,3\n2,bob,pop,5\n2,ann,rock,1", NULL,
        0, expected);
    check_text("# said\n\nweight\tlabel\tnote\tnode\tTimestamp\n1\trock\t\tann\t1\n3\tpop\t?\tann\t1\n \n"
               "5\tpop\t?\tbob\t2\n5\trock\t?\tann\t2\n",
               NULL, 0, expected);
    /* Without weights each row counts once. */
    check_text("1,ann,rock\n1,ann,pop\n1,ann,pop\n1,ann,pop\n2,bob,pop\n2,ann,rock\n", NULL, 0, expected);
}

static void sums(void **state)
{
    (void)state;
    /* Any order of times, doubles add up, zero weights are dropped with the rows and groups they leave empty. */
    check_text("5,bob,x,1\n3,\"c "
               "d\",\"a,b\",1\n5,bob,y,2\n5,bob,x,1\n4,ann,x,0\n5,ann,x,0\n5,ann,y,1e-3\n-0,bob,y,1\n0,bob,x,1\n",
               NULL, 0, "0 bob x=0.5 y=0.5; 3 c d a,b=1; 5 ann y=1; 5 bob x=0.5 y=0.5; ");
    /* Less than a float can hold beside a large one is nothing. */
    check_text("1,bob,x,1e38\n1,bob,y,1e-30\n", NULL, 0, "1 bob x=1; ");
    check_text("time,node,class,weight\n", NULL, 0, "");
}

static void given_classes(void **state)
{
    (void)state;
    static char *const classes[] = {"7", "unused", "x"};
    check_text("1,ann,x,1\n1,ann,other,5\n1,ann,7,3\n1,bob,other,1\n2,bob,07,1\n", classes, 3,
               "1 ann 7=0.75 x=0.25; ");
    static char *const twice[] = {"7", "7"};
    char path[128];
    scadyg_error error = {0};
    sg_labels labels;
    scadyg_events *events = open_events(SCADYG_TIME_NUMBER);
    assert_int_equal(sg_labels_read(&labels, events, put_text("l", "1,ann,7,1\n", path), twice, 2, &error),
                     SCADYG_E_USAGE);
    assert_string_equal(error.message, "there are two classes '7'");
    scadyg_events_close(events);
}

static void dates(void **state)
{
    (void)state;
    char path[128];
    sg_labels labels;
    scadyg_events *events = open_events(SCADYG_TIME_DATE);
    must_read(&labels, events, put_text("labels", "1970-01-02,ann,x,1\n1970-01-01,ann,x,1\n", path), NULL, 0);
    assert_string_equal(shown(&labels), "0 ann x=1; 86400 ann x=1; ");
    sg_labels_free(&labels);
    scadyg_events_close(events);
}

static void refused(const char *content, int status, const char *message)
{
    char path[128];
    sg_labels labels;
    scadyg_error error = {0};
    scadyg_events *events = open_events(SCADYG_TIME_NUMBER);
    assert_int_equal(sg_labels_read(&labels, events, put_text("bad", content, path), NULL, 0, &error), status);
    assert_int_equal(strncmp(error.message, path, strlen(path)), 0);
    if (!strstr(error.message, message)) fail_msg("'%s' lacks '%s'", error.message, message);
    assert_null(labels.names);
    scadyg_events_close(events);
}

static void bad_files(void **state)
{
    (void)state;
    refused("1,ann,x,1\n1,eve,x,1\n", SCADYG_E_INPUT, ":2:3: there is no node 'eve'");
    refused("time,node,class,weight\n1,ann,x,one\n", SCADYG_E_INPUT, ":2:9: the weight is not a finite number");
    refused("1,ann,x,nan\n", SCADYG_E_INPUT, ":1:9: the weight is not a finite number");
    refused("1,ann,x,-1\n", SCADYG_E_INPUT, ":1:9: the weight is negative");
    refused("1,ann,x,1e39\n", SCADYG_E_INPUT, ":1:9: the weight is too large");
    refused("1,ann,x,\n", SCADYG_E_INPUT, ":1:9: the weight is missing");
    refused("1,ann,x,1\nsoon,ann,x,1\n", SCADYG_E_INPUT, ":2:1: the times here are");
    refused("1,ann,x,1\n,ann,x,1\n", SCADYG_E_INPUT, ":2:1: the time is missing");
    refused("1,,x,1\n", SCADYG_E_INPUT, ":1:3: the node is missing");
    refused("1,ann,,1\n", SCADYG_E_INPUT, ":1:7: the class is missing");
    refused("1,ann,x,1\n1,ann,x\n", SCADYG_E_INPUT, ":2:1: the row has another number of fields");
    refused("1,ann,\"x,1\n", SCADYG_E_INPUT, ":1:7: the fields cannot be told apart");
    refused("1,ann,\xFF,1\n", SCADYG_E_INPUT, ":1:7: the field is not valid UTF-8");
    refused("when,node,what,weight\n1,ann,x,1\n", SCADYG_E_LAYOUT, ":1:1: no column of the header is the class");
    refused("time,node,user,class\n1,ann,x,1\n", SCADYG_E_LAYOUT, ":1:1: two columns could be the node");
    refused("1,ann\n", SCADYG_E_LAYOUT, ":1:1: the row has 2 fields");
    refused("", SCADYG_E_INPUT, " is empty");
    refused("# only words\n\n", SCADYG_E_INPUT, " is empty");
}

/* Many rows over several buffers, in a shuffled order, in each packing: the same labels. */
static void many_rows(void **state)
{
    (void)state;
    enum { ROWS = 400000 };
    long_text text = {0};
    sg_rng rng;
    sg_rng_seed(&rng, 3, 0);
    static double sum[500][4][20], total[500][4];
    text_add(&text, "ts,node,class,weight\n");
    for (int i = 0; i < ROWS; i++) {
        size_t t = sg_rng_below(&rng, 500), n = sg_rng_below(&rng, 4), c = sg_rng_below(&rng, 20);
        int weight = (int)sg_rng_below(&rng, 50);
        text_add(&text, "%zu,%s,class-%zu,%d\n", t, names[n], c, weight);
        sum[t][n][c] += weight;
        total[t][n] += weight;
    }
    scadyg_events *events = open_events(SCADYG_TIME_NUMBER);
    for (enum packing packing = PLAIN; packing < PACKINGS; packing++) {
        char path[128];
        sg_labels labels;
        float dense[20];
        put_packed(sample_path("many", path), text.data, text.size, packing);
        must_read(&labels, events, path, NULL, 0);
        assert_int_equal(labels.groups, 500);
        assert_int_equal(labels.classes, 20);
        for (size_t g = 0; g < 500; g++)
            for (uint32_t n = 0; n < 4; n++) {
                sg_labels_dense(&labels, sg_labels_find(&labels, g, n), dense);
                for (size_t c = 0; c < 20; c++)
                    assert_true(fabs((double)dense[c] - sum[g][n][atoi(labels.names[c] + 6)] / total[g][n]) < 1e-6);
            }
        sg_labels_free(&labels);
    }
    scadyg_events_close(events);
    text_free(&text);
}

static int match(const sg_label_file *known, const char *content)
{
    char path[128];
    sg_label_file file;
    int match = -1;
    scadyg_error error = {0};
    if (sg_label_file_look(put_text("again", content, path), known, &file, &match, &error))
        fail_msg("%s", error.message);
    return match;
}

/* A file is known again by its lines, and so is one that goes on from it. */
static void known_files(void **state)
{
    (void)state;
    char path[128];
    scadyg_events *events = open_events(SCADYG_TIME_NUMBER);
    sg_labels labels;
    must_read(&labels, events, put_text("labels", "1,ann,\"x\",1\n2,ann,y,1\n", path), NULL, 0);
    const sg_label_file file = labels.file;
    assert_int_equal(file.lines, 2);
    assert_int_equal(match(&file, "1,ann,\"x\",1\n2,ann,y,1\n"), SCADYG_LABELS_SAME);
    assert_int_equal(match(&file, "1,ann,\"x\",1\n2,ann,y,1"), SCADYG_LABELS_SAME);
    assert_int_equal(match(&file, "1,ann,\"x\",1\n2,ann,y,1\n3,ann,x,1\n"), SCADYG_LABELS_LONGER);
    assert_int_equal(match(&file, "1,ann,\"x\",1\n2,ann,y,2\n"), SCADYG_LABELS_OTHER);
    assert_int_equal(match(&file, "1,ann,\"x\",1\n"), SCADYG_LABELS_OTHER);
    assert_int_equal(match(&file, "1,ann,\"x\",12\n,ann,y,1\n"), SCADYG_LABELS_OTHER);
    assert_int_equal(match(&file, ""), SCADYG_LABELS_OTHER);
    assert_int_equal(match(&(sg_label_file){0}, "1,ann,x,1\n"), SCADYG_LABELS_OTHER);
    sg_labels_free(&labels);
    scadyg_events_close(events);
}

static int clean(void **state)
{
    (void)state;
    sample_clean();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),     cmocka_unit_test(sums),      cmocka_unit_test(given_classes),
        cmocka_unit_test(dates),       cmocka_unit_test(bad_files), cmocka_unit_test(many_rows),
        cmocka_unit_test(known_files),
    };
    sample_in_memory();
    return cmocka_run_group_tests(tests, NULL, clean);
}
