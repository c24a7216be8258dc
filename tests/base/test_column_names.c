/* Names of columns: what they say, and which of two says it more plainly. */
#include "cmocka_all.h"

#include "base/csv.h"

#include <string.h>

static void said(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sg_role role;
        int tier;
        const char *stem;
    } cases[] = {
        {"src", SG_ROLE_SRC, 0, "src"},
        {"Customer ID", SG_ROLE_SRC, 1, "customer"},
        {"customer_name", SG_ROLE_SRC, 1, "customer"},
        {"CustomerNo.", SG_ROLE_SRC, 1, "customer"},
        {"K\xC3\x84UFER", SG_ROLE_SRC, 1, "k\xC3\xA4ufer"}, /* capital letters beyond ASCII */
        {"From Email Address", SG_ROLE_SRC, 0, "from"},
        {"email", SG_ROLE_SRC, 2, "email"},
        {"uid", SG_ROLE_SRC, 2, "uid"}, /* no id of u */
        {"Room (name)", SG_ROLE_DST, 2, "room"},
        {"item-number", SG_ROLE_DST, 1, "item"},
        {"Timestamp [ms]", SG_ROLE_TIME, 0, "timestamp"},
        {"created_at_utc", SG_ROLE_TIME, 0, "createdat"},
        {"year", SG_ROLE_TIME, 1, "year"},
        {"Amount (EUR)", SG_ROLE_WEIGHT, 0, "amount"},
        {"amount_usd", SG_ROLE_WEIGHT, 0, "amount"},
        {"To: (Address)", SG_ROLE_DST, 0, "to"}, /* of Outlook */
        {"Absender E-Mail-Adresse", SG_ROLE_SRC, 0, "absender"},
        {"(weight)", SG_ROLE_WEIGHT, 0, "weight"}, /* brackets around all of it */
        {"feat_12", SG_ROLE_FEATURE, 0, "feat12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sg_name name;
        if (!sg_name_read(cases[i].name, strlen(cases[i].name), &name) || name.role != cases[i].role ||
            name.tier != cases[i].tier || strcmp(name.stem, cases[i].stem) != 0)
            fail_msg("%s is %d of tier %d, '%s'", cases[i].name, (int)name.role, name.tier, name.stem);
    }
    static const char *const nothing[] = {"id",       "total",         "token",     "status",
                                          "latitude", "source_system", "Time zone", "order_id"};
    sg_name type, address;
    assert_true(sg_name_read("From: (Type)", 12, &type) && sg_name_read("From: (Address)", 15, &address));
    assert_true(type.role == SG_ROLE_IGNORE && address.form == 3);
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        sg_name name;
        if (sg_name_read(nothing[i], strlen(nothing[i]), &name)) fail_msg("%s says %d", nothing[i], (int)name.role);
    }
}

/* Of one thing the id comes before its number, the bare name, its address and its name. */
static void forms(void **state)
{
    (void)state;
    static const char *const names[] = {"user_id", "user_no", "user", "user email", "user_name"};
    int before = -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sg_name name;
        assert_true(sg_name_read(names[i], strlen(names[i]), &name));
        assert_true(name.form > before);
        before = name.form;
    }
}

static void kinds(void **state)
{
    (void)state;
    assert_true(sg_names_two_kinds("Kundennummer", "Artikelnummer"));
    assert_true(sg_names_two_kinds("user", "SKU"));
    assert_true(sg_names_two_kinds("user_id", "channel"));
    assert_true(sg_names_two_kinds("userId", "movieId"));
    assert_true(sg_names_two_kinds("CustomerID", "StockCode"));
    assert_true(sg_names_two_kinds("author", "repo"));
    assert_false(sg_names_two_kinds("user_id", "user_id"));
    assert_false(sg_names_two_kinds("from_user", "to_user"));
    assert_false(sg_names_two_kinds("src", "dst"));
    assert_false(sg_names_two_kinds("buyer", "seller")); /* who buys may sell */
    assert_false(sg_names_two_kinds(NULL, "product"));
    assert_true(sg_names_one_kind("src_node", "dst_node"));
    assert_true(sg_names_one_kind("FromNodeId", "ToNodeId"));
    assert_true(sg_names_one_kind("node1", "node2"));
    assert_false(sg_names_one_kind("src", "dst"));
    assert_false(sg_names_one_kind("src_node", "item"));
    assert_false(sg_names_one_kind(NULL, NULL));
    char word[SG_NAME_LONGEST] = "";
    assert_true(sg_name_word("Customer ID", word));
    assert_string_equal(word, "customer");
    assert_true(sg_name_word("movieId", word));
    assert_string_equal(word, "movie");
    assert_false(sg_name_word("Kundennummer", word));
    assert_false(sg_name_word("sender", word));
    assert_false(sg_name_word("no such name", word));
    assert_false(sg_names_two_kinds("sender", "product"));
    assert_true(sg_names_equal("Betrag (€)", "betrag"));
    assert_false(sg_names_equal("user", "users2"));
}

static void ornaments(void **state)
{
    (void)state;
    static const char *const rulers[] = {"+----+----+", "-----,-----", "|:---|---:|", "======", " -----+----- "};
    static const char *const footers[] = {"(5 rows)", "5 rows in set (0.00 sec)", "(1 row affected)"};
    static const char *const rows[] = {"--", "-1,-2,-3", "a-----", "5 rows, and more", "(5)", "rows", "5\trows"};
    for (size_t i = 0; i < sizeof rulers / sizeof *rulers; i++)
        assert_true(sg_line_is_ruler(rulers[i], strlen(rulers[i])));
    for (size_t i = 0; i < sizeof footers / sizeof *footers; i++)
        assert_true(sg_line_is_footer(footers[i], strlen(footers[i])));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sg_line_is_ruler(rows[i], strlen(rows[i])) || sg_line_is_footer(rows[i], strlen(rows[i])))
            fail_msg("'%s' is taken for an ornament", rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(said), cmocka_unit_test(forms), cmocka_unit_test(kinds),
                                       cmocka_unit_test(ornaments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
