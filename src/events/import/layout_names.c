/* Column names people use, and the roles they mean. */
#include "events/import/layout_names.h"

#include <string.h>

#define NAME_LONGEST 64

static const struct {
    sg_role role;
    const char *names; /* each between blanks */
} known_names[] = {
    {SG_ROLE_SRC, " src source source_id src_id from from_id from_node fromnodeid u user user_id userid sender "
                  "sender_id source_subreddit nation exporter caller caller_id node1 node_1 head payer follower "
                  "user_address author author_id who from_address customer customer_id reviewer reviewerid "
                  "reviewer_id buyer actor initiator src_ip source_ip id_a person1 "},
    {SG_ROLE_DST, " dst dest destination destination_id dst_id to to_id to_node tonodeid target target_id v i item "
                  "item_id itemid receiver receiver_id recipient recipient_id target_subreddit trading_nation "
                  "co_voting_nation importer callee callee_id node2 node_2 tail payee followee genre subreddit "
                  "token_address whom to_address product product_id productid movie movie_id movieid page page_id "
                  "merchant merchant_id seller dst_ip dest_ip destination_ip id_b person2 partner "},
    {SG_ROLE_TIME, " time timestamp ts t date datetime date_time year unixtime unix_time unixts unix_timestamp "
                   "created_at created created_utc when epoch event_time time_stamp "},
    {SG_ROLE_WEIGHT, " weight w amount edge_weight trade "},
    {SG_ROLE_LABEL, " label state_label y link_sentiment y_true is_fraud fraud "},
    {SG_ROLE_FEATURE, " rating score features feature feat comma_separated_list_of_features properties "},
    {SG_ROLE_INDEX, " idx "},
    {SG_ROLE_IGNORE, " post_id edge_id event_id row index "},
};

/* Lower case, with underscores for blanks and dashes. */
static size_t plain_name(const char *name, size_t length, char out[NAME_LONGEST])
{
    if (length >= NAME_LONGEST) return 0;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        out[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c == ' ' || c == '-' ? '_' : c);
    }
    out[length] = 0;
    return length;
}

/* "f0", "feat_12", "x3": a feature by its number. */
static int numbered_feature(const char *name)
{
    static const char *const stems[] = {"feature", "feat", "f", "x"};
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
        size_t stem = strlen(stems[k]);
        if (strncmp(name, stems[k], stem) != 0) continue;
        const char *rest = name + stem;
        if (*rest == '_') rest++;
        if (*rest && strspn(rest, "0123456789") == strlen(rest)) return 1;
    }
    return 0;
}

static int among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *found = names; (found = strstr(found, name)); found++)
        if (found > names && found[-1] == ' ' && found[length] == ' ') return 1;
    return 0;
}

sg_role sg_name_role(const char *name, size_t length, int *known)
{
    char plain[NAME_LONGEST];
    *known = 1;
    if (length == 0) return SG_ROLE_IGNORE; /* pandas' index column */
    if (plain_name(name, length, plain)) {
        for (size_t k = 0; k < sizeof known_names / sizeof *known_names; k++)
            if (among(known_names[k].names, plain)) return known_names[k].role;
        if (numbered_feature(plain)) return SG_ROLE_FEATURE;
    }
    *known = 0;
    return SG_ROLE_IGNORE;
}

int sg_names_two_kinds(const char *src, const char *dst)
{
    char a[NAME_LONGEST], b[NAME_LONGEST];
    if (!src || !dst || !plain_name(src, strlen(src), a) || !plain_name(dst, strlen(dst), b)) return 0;
    return among(" user user_id userid customer customer_id reviewer reviewerid reviewer_id ", a) &&
           among(" item item_id itemid product product_id productid movie movie_id movieid page page_id ", b);
}

static int role_of_word(const char *word, size_t length, sg_role *role)
{
    static const struct {
        const char *word;
        sg_role role;
    } words[] = {
        {"src", SG_ROLE_SRC},         {"dst", SG_ROLE_DST},     {"time", SG_ROLE_TIME}, {"weight", SG_ROLE_WEIGHT},
        {"feature", SG_ROLE_FEATURE}, {"label", SG_ROLE_LABEL}, {"-", SG_ROLE_IGNORE},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k].word) == length && memcmp(words[k].word, word, length) == 0) {
            *role = words[k].role;
            return 0;
        }
    return -1;
}

int sg_told_roles(const char *told, sg_role *roles, int most, int *rest, scadyg_error *error)
{
    int count = 0, seen[SG_ROLE_INDEX + 1] = {0};
    *rest = 0;
    for (const char *word = told;;) {
        word += strspn(word, " ");
        size_t length = strcspn(word, ",");
        size_t bare = length > 3 && memcmp(word + length - 3, "...", 3) == 0 ? length - 3 : length;
        *rest = bare != length;
        if (count == most || role_of_word(word, bare, &roles[count])) {
            sg_fail(error, SCADYG_E_USAGE,
                    "--columns knows the roles src, dst, time, weight, label, feature and -, not '%.*s'",
                    (int)(length < 100 ? length : 100), word);
            return -1;
        }
        sg_role role = roles[count++];
        if (role != SG_ROLE_IGNORE && role != SG_ROLE_FEATURE && seen[role]++) {
            sg_fail(error, SCADYG_E_USAGE, "--columns names %s twice", sg_role_name(role));
            return -1;
        }
        if (!word[length]) break;
        if (*rest) {
            sg_fail(error, SCADYG_E_USAGE, "--columns: '...' may stand only at the end");
            return -1;
        }
        word += length + 1;
    }
    if (*rest && roles[count - 1] != SG_ROLE_FEATURE && roles[count - 1] != SG_ROLE_IGNORE) {
        sg_fail(error, SCADYG_E_USAGE, "--columns: only 'feature...' and '-...' can stand for the rest");
        return -1;
    }
    if (!seen[SG_ROLE_SRC] || !seen[SG_ROLE_DST] || !seen[SG_ROLE_TIME]) {
        sg_fail(error, SCADYG_E_USAGE,
                "--columns must name src, dst and time, for example src,dst,time,feature...");
        return -1;
    }
    return count;
}
