/* Layout: what the beginning of a file says about its columns, and what --columns says. */
#include "cmocka_all.h"

#include "events/importing.h"

#include "events/import/layout.h"

/* The layout in a line: the separator, H for a header, D for dates, T for two kinds of nodes, O for one; roles; features;
 * skipped. */
static void in_a_line(const sg_layout *layout, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%c%s%s%s%s ", layout->separator == '\t' ? 't' : layout->separator,
                                   layout->has_header ? "H" : "", layout->dates ? "D" : "",
                                   layout->kinds == SG_KINDS_TWO   ? "T"
                                   : layout->kinds == SG_KINDS_ONE ? "O"
                                                                   : "",
                                   layout->rest ? "..." : "");
    for (int i = 0; i < layout->columns; i++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "",
                             layout->roles[i] == SG_ROLE_FEATURE_LIST ? "list" : sg_role_name(layout->roles[i]));
    snprintf(out + used, size - used, " %u %d", layout->features, (int)layout->skipped_lines);
}

static void check(const char *head, const char *told, const sg_layout *earlier, const char *expected)
{
    sg_layout *layout = malloc(sizeof *layout);
    scadyg_error error = {0};
    char line[1200];
    assert_non_null(layout);
    int status = sg_layout_find(layout, "F", head, strlen(head), &(sg_told){.columns = told}, earlier, &error);
    if (status)
        snprintf(line, sizeof line, "%d %s", status, error.message);
    else
        in_a_line(layout, line, sizeof line);
    int same = status ? strncmp(line, expected, strlen(expected)) == 0 : strcmp(line, expected) == 0;
    if (!same) fail_msg("%.80s...\ngives    %s\nand not %s", head, line, expected);
    if (!status) {
        assert_int_equal(layout->roles[layout->src], SG_ROLE_SRC);
        assert_int_equal(layout->roles[layout->dst], SG_ROLE_DST);
        assert_int_equal(layout->roles[layout->time], SG_ROLE_TIME);
        sg_layout_free(layout);
    }
    free(layout);
}

/* Every layout named in docs/import.md, and files that are nearly of one. */
static void found(void **state)
{
    (void)state;
    static const struct {
        const char *head, *layout;
    } cases[] = {
        /* SNAP */
        {"1 2 1082040961\n3 4 1082155839\n", "  src,dst,time 0 0"},
        {"9 8 1254192988\r\n9 8 1254194656\r\n", "  src,dst,time 0 0"},
        {"5\t2\t17\n1\t2\t3\n", "t src,dst,time 0 0"},
        {"# Nodes: 3\n# FromNodeId\tToNodeId\tTime\n1\t2\t5\n", "tHO src,dst,time 0 2"},
        {"a b 5\nb c 4\n", "  src,dst,time 0 0"},
        /* Names in a comment, if they say all and are as many; quotes that go on. */
        {"#Fields: time,sender-address,recipient-address\n1,b,a\n2,c,b\n", ",H time,src,dst 0 1"},
        {"#fields\tts\tid.orig_h\tid.resp_h\n#types\ttime\taddr\taddr\n1\tb\ta\n", "tH time,src,dst 0 2"},
        {"# time target source\n5 b c\n6 b a\n", " H time,dst,src 0 1"},
        {"# some three words\n5 b c\n6 b a\n", "  time,src,dst 0 1"},
        {"src,\"the\nnote\",dst,time\na,\"x\ny\",b,4\n", ",H src,-,dst,time 0 2"},
        {"7188,1,10,1407470400\n430,1,10,1376539200\n", ", src,dst,feature,time 1 0"},
        {"6,2,4,1289241911.72836\n6,5,2,1289241941.53378\n", ", src,dst,feature,time 1 0"},
        /* SNAP Reddit hyperlinks */
        {"SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tPOST_ID\tTIMESTAMP\tLINK_SENTIMENT\tPROPERTIES\n"
         "leagueoflegends\tteamredditteams\t1u4nrps\t2013-12-31 16:39:58\t1\t345.0,298.0,0.75,-1\n",
         "tHD src,dst,-,time,label,list 4 1"},
        /* JODIE */
        {"user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n"
         "0,0,0.0,0,-0.319991,-0.435701,0.106784,-0.067309\n",
         ",HT... src,dst,time,label,feature 4 1"},
        {"user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n0,0,0.0,0,0.5\n",
         ",HT src,dst,time,label,feature 1 1"},
        {"u,i,ts,label\r\n0,8227,0.0,0\r\n", ",H src,dst,time,label 0 1"},
        /* DGB */
        {",u,i,ts,label,idx\n0,1,2,0.0,0.0,1\n", ",H -,src,dst,time,label,index 0 1"},
        {"source,destination,timestamp,state_label,w\nA,B,0,0,3\n", ",H src,dst,time,label,weight 0 1"},
        /* TGB and its like */
        {"year,nation,trading nation,weight\n1986,USA,CAN,5.5\n", ",H time,src,dst,weight 0 1"},
        {"year,nation,co-voting nation,weight\n1946,USA,CAN,5\n", ",H time,src,dst,weight 0 1"},
        {"ts,user,genre,weight\n5,1,2,3\n", ",HT time,src,dst,weight 0 1"},
        {"2006,Jack Layton,Bill Casey,12\n2006,A,B,9\n", ", time,src,dst,weight 0 0"},
        {"1082040961,1,2,7\n1082040962,2,1,8\n", ", time,src,dst,weight 0 0"},
        {"2006,Jack Layton,Bill Casey\n2007,A,B\n", ", time,src,dst 0 0"},
        {"1082040961 1 2\n1082040962 2 1\n", "  time,src,dst 0 0"},
        /* KONECT */
        {"% asym positive\n% 5 2 2\n1 2 1 1082008561\n3 4 1 1082123439\n", " O src,dst,feature,time 1 2"},
        {"% bip\n1 2\t1\t1082008561\n", " T src,dst,feature,time 1 1"},
        /* Plain, with headers people write */
        {"From;To;Date\nx;y;2014-01-31\n", ";HD src,dst,time 0 1"},
        {"sender|receiver|created_at\nx|y|2014-01-31T09:30:00Z\n", "|HD src,dst,time 0 1"},
        {"\"Source\", \"Target\", \"Time Stamp\"\n1,2,3\n", ",H src,dst,time 0 1"},
        {"src dst time f0 f1 feat_2\n1 2 3 4 5 6\n", " H src,dst,time,feature,feature,feature 3 1"},
        {"time,src,dst,comment,weight,x0\n1,2,3,hello,4,5\n", ",H time,src,dst,-,weight,feature 1 1"},
        {"src,dst,time,idx\n1,2,3,4\n", ",H src,dst,time,- 0 1"},
        {"src,dst,time,source,weight,w\n1,2,3,4,5,6\n", ",H src,dst,time,-,weight,- 0 1"},
        {"\n\n# about\n\nsrc,dst,time\n\n1,2,3\n", ",H src,dst,time 0 5"},
        {"customer_id,product_id,date\n1,1,2001-01-01\n", ",HDT src,dst,time 0 1"},
        {"src,dst,time,features\n1,2,3,\"1, 2.5;3 4\"\n", ",H src,dst,time,list 4 1"},
        /* Dates without a header */
        {"a,b,2014-01-31\n", ",D src,dst,time 0 0"},
        {"1 2 2014-01-31\n2 1 2014-02-01\n", " D src,dst,time 0 0"},
        {"2014-01-31,1,2\n", ",D time,src,dst 0 0"},
        {"1,2014-01-31,2\n", ",D src,time,dst 0 0"},
        {"1,2,0.5,2014-01-31 09:30:00\n", ",D src,dst,feature,time 1 0"},
        {"1,2,5,2014-01-31 09:30:00\n1,3,4,2014-01-31 09:30:00\n", ",D src,dst,feature,time 1 0"},
        {"user,item,date,duration\n1,2,2014-01-31,0:30\n", ",HDT src,dst,time,- 0 1"},
        {"user,item,start_time,duration\n1,2,2014-01-31 09:30,0:30\n", ",HDT src,dst,time,- 0 1"},
        {"user,item,day,hour\n1,2,2014-01-31,9\n", ",HDT src,dst,time,clock 0 1"},
        {"user,item,time,tz\n1,2,2014-01-31 09:30,+02:00\n", ",HDT src,dst,time,zone 0 1"},
        {"2014-01-31,a,b,0.5,7\n", ",D time,src,dst,feature,feature 2 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cases[i].head, NULL, NULL, cases[i].layout);
}

/* Bad rows among the first must not change what the others mean. */
static void among_bad_rows(void **state)
{
    (void)state;
    static const struct {
        const char *head, *layout;
    } cases[] = {
        {"1 2 3\n4 5 x\n", "  src,dst,time 0 0"},
        {"1 2 nan\n4 5 6\n", "  src,dst,time 0 0"},
        {"a b nan\na b 6\n", "  src,dst,time 0 0"},
        {"1 2\n1 2 3\n4 5 6\n", "  src,dst,time 0 0"},
        {"1,2,,1082040960\n1,2,5,1082040961\n1,2,oops,1082040962\n", ", src,dst,feature,time 1 0"},
        {"src,dst,date\n1,2,oops\n1,2,2014-01-31\n", ",HD src,dst,time 0 1"},
        {"src,dst,time\n1,\"2,3\n1,2,3\n", ",H src,dst,time 0 1"},
        {"src,dst,time,features\n1,2,3,oops\n1,2,3,\"1,2\"\n", ",H src,dst,time,list 2 1"},
        {"src,dst,time,features\n1,2\n1,2,3,4,5\n", ",H... src,dst,time,feature 2 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cases[i].head, NULL, NULL, cases[i].layout);
}

/* Around the table: lines above the header, rulers, names of rows, separators at the end. */
static void ornaments(void **state)
{
    (void)state;
    static const struct {
        const char *head, *layout;
    } cases[] = {
        {"Statement of 2024\n\nsrc;dst;time\n1;2;3\n4;5;6\n7;8;9\n", ";H src,dst,time 0 3"},
        {"Account,12\nsrc;dst;time\n1;2;3\n4;5;6\n", ";H src,dst,time 0 2"},
        {"src | dst | time\n----+-----+-----\n1 | 2 | 3\n(1 row)\n", "|H src,dst,time 0 1"},
        {"+---+---+---+\n|src|dst|time|\n+---+---+---+\n|1|2|3|\n", "|H -,src,dst,time 0 2"},
        {"\"src\" \"dst\" \"time\"\n\"1\" 5 6 7\n\"2\" 5 6 8\n", " H -,src,dst,time 0 1"},
        {"src,dst,time\n1,2,3,\n4,5,6,\n", ",H src,dst,time 0 1"},
        {"src,dst,time,,\n1,2,3\n", ",H src,dst,time 0 1"},
        {"src,dst,time,rating\n1,2,3,4,\n", ",H src,dst,time,feature 1 1"},
        {"user,item,time,label,score\na,b,1,spam,\na,b,2,ham,\n", ",HT src,dst,time,-,- 0 1"},
        {"user_id,user_name,item,bought\n1,a,b,2014-01-02\n", ",HDT src,-,dst,time 0 1"},
        {"customer,product,price,t_dat\n1,2,$5,2014-01-02\n", ",HDT src,dst,-,time 0 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cases[i].head, NULL, NULL, cases[i].layout);
    check("user,item,item,time\n1,2,3,4\n", NULL, NULL,
          "5 F: two columns are named 'item', and both could be the destination");
    check("user,item,day,month,year\n1,2,3,4,2014\n", NULL, NULL,
          "5 F: the date is in several columns, 'year', 'month' and 'day'");
    check("user,item,time\n1,2,noon\n", NULL, NULL,
          "5 F: the name of the column 'time' says time, and 'noon' is none");
    check("user,item,time\n1,2,09:30\n", NULL, NULL, "5 F: the column 'time' holds times of day");
    check("user,item,time,amount\n1,2,3,\"1,234\"\n", NULL, NULL, "5 F: the numbers of 'amount', such as '1,234'");
    check("src,dst,time\n1,2,638397623220000000\n", NULL, NULL, ",H src,dst,time 0 1");
    check("us\xE9r,item,time\n1,2,3\n", NULL, NULL, "5 F is not UTF-8 (line 1)");
}

static void unclear(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "1,2,3,4\n5,6,7,8\n",                   /* no column looks like a time */
        "1082040961,1082040962,1,1082040963\n", /* several do */
        "1 1082040961 2\n",                     /* a large id or a time */
        "1,2,abc\n3,4,def\n",                   /* none can be */
        "2006,2007,a,b\n",                      /* two columns of years */
        "2014-01-01,a,b,2014-01-02\n",          /* two of dates */
        "2006,a,b,c,1\n",                       /* three columns of words */
        "alpha,beta,gamma\n1,2,3\n",            /* a header that says nothing */
        "src,dst,stuff\n1,2,3\n",
        "src,whatever,time\n1,2,3\n", /* one that says not enough */
        "a b c\n",
        /* An order, a shop, a name or a session beside the two nodes. */
        "1576 SKU-478 2024-01-05 03:22:44 store108\n",
        "2024-01-05 03:22:44,352,SKU-890,store70\n",
        "74,P11,Name 11,2024-01-05 03:22:44\n",
        "5002,2024-01-05 03:22:44,3,7,7.50\n",
        "5002,9,11,2024-01-05 03:22:44\n",
        "5002,9,7,2024-01-05\n5003,4,8,2024-01-06\n5004,9,8,2024-01-07\n",
        "P1,Pen,5\nP2,Cup,6\nP3,Bag,7\nP1,Pen,8\nP2,Cup,9\nP3,Bag,10\n",
        /* Which time of day? */
        "user,item,date,order_time,delivery_time\n1,2,2024-01-05,03:22,04:00\n",
        "user,item,date,delivery_time\n1,2,2024-01-05,03:22\n",
        "user,item,day,hour\n1,2,3,4\n",
        "user,item,date,hour,minute\n1,2,2024-01-05,4,30\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        sg_layout *layout = malloc(sizeof *layout);
        scadyg_error error = {0};
        assert_non_null(layout);
        int status = sg_layout_find(layout, "F", heads[i], strlen(heads[i]), NULL, NULL, &error);
        if (status != SCADYG_E_LAYOUT || !strstr(error.message, "say ") || !strstr(error.message, " --") ||
            strncmp(error.message, "F:", 2) != 0)
            fail_msg("%s gives %d and '%s'", heads[i], status, error.message);
        free(layout);
    }
    check("1 2\n", NULL, NULL, "5 F: the rows have 2 fields");
    check("", NULL, NULL, "4 F is empty");
    check("\n \t\n# only\n% this\n", NULL, NULL, "4 F is empty");
    check("src,dst,time\n", NULL, NULL, "4 F has a header but no events");
    check("src,dst,time,weight\n1,2,3\n", NULL, NULL, "4 F:2:1: the row has 3 fields where 4 are expected");
    check("1,\"2,3\n", NULL, NULL, "4 F:1:3: the quote that opens here");
}

static void told(void **state)
{
    (void)state;
    check("1,2,3,4\n", "src,dst,time,weight", NULL, ", src,dst,time,weight 0 0");
    check("1,2,3,4\n", "time,-,src,dst", NULL, ", time,-,src,dst 0 0");
    check("1,2,3,4,5,6\n", "src,dst,time,feature...", NULL, ",... src,dst,time,feature 3 0");
    check("1,2,3\n", "src,dst,time,feature...", NULL, ",... src,dst,time,feature 0 0");
    check("1,2,3,x,y\n", "src,dst,time,-...", NULL, ",... src,dst,time,- 0 0");
    check("1,2,3,1 2 3\n", "src,dst,time,feature", NULL, ", src,dst,time,list 3 0");
    check("a;b;c\n1;2;3\n", "dst,src,time", NULL, ";H dst,src,time 0 1");
    check("user_id,item_id,when\n1,2,3\n", "src,dst,time", NULL, ",HT src,dst,time 0 1");
    check("# c\n1,2,2014-01-01,0,1\n", "src,dst,time,label,weight", NULL, ",D src,dst,time,label,weight 0 1");
    check("x,y,bad\n1,2,worse\n", "src,dst,time", NULL, ", src,dst,time 0 0"); /* no better row: no header */
    static const struct {
        const char *told, *message;
    } wrong[] = {
        {"", "1 --columns knows the roles src, dst, time, weight, label, feature and -, not ''"},
        {"src,dst,time,", "1 --columns knows the roles"},
        {"src,dst,tim", "1 --columns knows the roles src, dst, time, weight, label, feature and -, not 'tim'"},
        {"src,dst,time,index", "1 --columns knows"},
        {"src,dst,...", "1 --columns knows"},
        {"src,dst", "1 --columns must name src, dst and time"},
        {"src,time,-", "1 --columns must name src, dst and time"},
        {"src,src,time", "1 --columns names src twice"},
        {"src,dst,time,label,label", "1 --columns names label twice"},
        {"src,dst,feature...,time", "1 --columns: '...' may stand only at the end"},
        {"src,dst,time...", "1 --columns: only 'feature...' and '-...' can stand for the rest"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check("1,2,3,4\n", wrong[i].told, NULL, wrong[i].message);
    check("1,2\n", "src,dst,time", NULL, "4 F:1:1: the row has 2 fields where 3 are expected");
}

/* A further file without a header goes on in the first file's layout; one with a header speaks for itself. */
static void further_files(void **state)
{
    (void)state;
    sg_layout *first = malloc(sizeof *first);
    assert_non_null(first);
    const char *head = "item_id,user_id,time,features\n1,2,3,\"4,5\"\n";
    assert_int_equal(
        sg_layout_find(first, "A", head, strlen(head), &(sg_told){.columns = "dst,src,time,feature"}, NULL, NULL),
        SCADYG_OK);
    first->kinds = SG_KINDS_TWO;
    check("9,8,7,\"6,5\"\n", NULL, first, ",T dst,src,time,list 2 0");
    check("9,8,7\n", NULL, first, "4 F:1:1: the row has 3 fields where 4 are expected");
    check("src,dst,time\n9,8,7\n", NULL, first, ",H src,dst,time 0 1");
    sg_layout_free(first);
    head = "user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n0,0,0.0,0,1,2,3\n";
    assert_int_equal(sg_layout_find(first, "A", head, strlen(head), NULL, NULL, NULL), SCADYG_OK);
    check("5,6,7,1,1,2,3\n", NULL, first, ",T... src,dst,time,label,feature 3 0");
    sg_layout_free(first);
    free(first);
}

static void agreement(void **state)
{
    (void)state;
    static const struct {
        const char *head, *difference;
    } cases[] = {
        {"time,src,dst\n1,2,3\n", NULL},
        {"src,dst,time,weight\n1,2,3,4\n", "weights"},
        {"src,dst,time,label\n1,2,3,4\n", "labels"},
        {"src,dst,time,f0\n1,2,3,4\n", "number of features"},
        {"src,dst,time\n1,2,2001-01-01\n", "write times"},
        {"user_id,item_id,time\n1,2,3\n", NULL}, /* what that says of ids is for import to compare */
    };
    sg_layout *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    assert_true(a && b);
    assert_int_equal(sg_layout_find(a, "A", "1 2 3\n", 6, NULL, NULL, NULL), SCADYG_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_error error = {0};
        assert_int_equal(sg_layout_find(b, "B", cases[i].head, strlen(cases[i].head), NULL, a, &error), SCADYG_OK);
        int status = sg_layout_agree(a, b, "B", &error);
        assert_int_equal(status, cases[i].difference ? SCADYG_E_LAYOUT : SCADYG_OK);
        if (status) assert_non_null(strstr(error.message, cases[i].difference));
        sg_layout_free(b);
    }
    sg_layout_free(a);
    free(a);
    free(b);
}

static void lists(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        uint32_t count;
    } cases[] = {{"1", 1},    {"1,2.5,-3", 3}, {"1;2", 2}, {"1 2  3", 3}, {"1, 2, 3", 3}, {"", 0},
                 {"1,,2", 0}, {"1,x", 0},      {"1,", 0},  {"1,nan", 0},  {",1", 0},      {"1e5 -2E-3", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(sg_list_count(cases[i].list, strlen(cases[i].list)), cases[i].count);
}

/* Random bytes: some layout or a clean failure, nothing else. */
static void random_heads(void **state)
{
    (void)state;
    static const char *const pieces[] = {"1",   "src",  ",",    "\n", "\t",         " ",  "\"",   "2014-01-01",
                                         "dst", "time", ";",    "#",  "1082040961", "a",  "\r\n", "-0",
                                         "1e9", "nan",  "\xff", "",   "f0",         "..."};
    sg_rng rng;
    sg_rng_seed(&rng, 3, 3);
    sg_layout *layout = malloc(sizeof *layout);
    assert_non_null(layout);
    for (int round = test_rounds(3000); round > 0; round--) {
        long_text head = {0};
        for (int i = (int)sg_rng_below(&rng, 60); i > 0; i--) {
            const char *piece = pieces[sg_rng_below(&rng, sizeof pieces / sizeof *pieces)];
            text_bytes(&head, piece, strlen(piece));
        }
        scadyg_error error = {0};
        char *exact = malloc(head.size + 1); /* without slack behind it */
        assert_non_null(exact);
        if (head.size) memcpy(exact, head.data, head.size);
        int status = sg_layout_find(layout, "F", exact, head.size, NULL, NULL, &error);
        if (status)
            assert_true(error.message[0] && (status == SCADYG_E_LAYOUT || status == SCADYG_E_INPUT));
        else
            sg_layout_free(layout);
        free(exact);
        text_free(&head);
    }
    free(layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),     cmocka_unit_test(among_bad_rows), cmocka_unit_test(ornaments),
        cmocka_unit_test(unclear),   cmocka_unit_test(told),           cmocka_unit_test(further_files),
        cmocka_unit_test(agreement), cmocka_unit_test(lists),          cmocka_unit_test(random_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
