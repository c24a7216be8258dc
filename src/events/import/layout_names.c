/* Layout by the names of a header: which columns are the nodes and the rest, and whether the values agree. */
#include "events/import/layout_parts.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CLASSES_MOST 20 /* different values of a column "y", which may be anything */

/* The roles from SG_ROLE_SRC on that one column has, and before that those which are needed. */
#define SINGLE (SG_ROLE_LABEL + 1)
#define NEEDED (SG_ROLE_TIME + 1)
static const struct {
    const char *what, *option;
} single[SINGLE] = {[SG_ROLE_SRC] = {"the source", "src"},
                    [SG_ROLE_DST] = {"the destination", "dst"},
                    [SG_ROLE_TIME] = {"the time", "time"},
                    [SG_ROLE_WEIGHT] = {"the weight", "weight"},
                    [SG_ROLE_LABEL] = {"the label", "label"}};

/* ---- Which of several columns ---- */

/* What export has written is what it says, whatever the ids look like. */
static int is_exported(const sg_layout *layout)
{
    static const char *const headers[][3] = {{"src", "dst", "time"}, {"user_id", "item_id", "time"}};
    for (size_t k = 0; k < 2; k++) {
        int same = layout->columns >= 3;
        for (int i = 0; i < 3 && same; i++) same = strcmp(layout->names[i], headers[k][i]) == 0;
        if (same) return 1;
    }
    return 0;
}

/* pandas writes the second of two columns of one name as "Account.1". */
static int is_twin_name(const char *name, const char *first)
{
    const size_t length = strlen(first);
    const char *number = name + length + 1;
    return length && strncmp(name, first, length) == 0 && name[length] == '.' && *number &&
           strspn(number, "0123456789") == strlen(number);
}

static int has_role(const sg_finding *f, sg_role role)
{
    for (int i = 0; i < f->layout->columns; i++)
        if (f->names[i].role == role) return 1;
    return 0;
}

int sg_finding_fail_both(const sg_finding *f, sg_role role, int one, int other, scadyg_error *error)
{
    const char *a = f->layout->names[one], *b = f->layout->names[other], *option = single[role].option;
    const int twins = strcmp(a, b) == 0 || is_twin_name(b, a);
    if (twins && role <= SG_ROLE_DST && !has_role(f, role == SG_ROLE_SRC ? SG_ROLE_DST : SG_ROLE_SRC))
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: '%.60s' and '%.60s' could both be the source or the destination: say --src %d --dst %d, "
            "or the other way round",
            f->file, a, b, one + 1, other + 1);
    if (strcmp(a, b) == 0)
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: two columns are named '%.60s', and both could be %s: say --%s %d or --%s %d", f->file,
                       a, single[role].what, option, one + 1, option, other + 1);
    const int parts = role == SG_ROLE_TIME && sg_name_clock(b, a) == SG_CLOCK_PLAIN;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' and '%.60s' could both be %s: say --%s '%.60s' or --%s '%.60s'%s%.60s%s%.60s%s",
                   f->file, a, b, single[role].what, option, a, option, b, parts ? ", or --time '" : "",
                   parts ? a : "", parts ? "," : "", parts ? b : "",
                   parts ? "' if they are a day and a time of day" : "");
}

int sg_finding_choose(const sg_finding *f, sg_role role, int (*fits)(const sg_finding *, int), int *chosen,
                      scadyg_error *error)
{
    int best = -1, rival = -1;
    for (int i = 0; i < f->layout->columns; i++) {
        const sg_name *name = &f->names[i], *old = &f->names[best < 0 ? i : best];
        if (f->layout->told[i] || name->role != role || (fits && !fits(f, i))) continue;
        const int same = name->tier == old->tier && strcmp(name->stem, old->stem) == 0;
        if (best < 0 || name->tier < old->tier || (same && name->form < old->form)) {
            if (best < 0 || name->tier < old->tier) rival = -1;
            best = i;
        } else if (name->tier == old->tier && !(same && name->form > old->form))
            rival = i;
    }
    *chosen = best;
    return rival < 0
               ? SCADYG_OK
               : sg_finding_fail_both(f, role, best < rival ? best : rival, best < rival ? rival : best, error);
}

/* Dates, times of day and amounts of money are no nodes, whatever the name says. */
static int can_be_a_node(const sg_finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    return !facts->clocks && !facts->money && !(facts->dates && !facts->digit_dates);
}

/* Where no column that fits has the name, one that does not is told of later. */
static int choose_node(const sg_finding *f, sg_role role, int *chosen, scadyg_error *error)
{
    int status = is_exported(f->layout) ? SCADYG_OK : sg_finding_choose(f, role, can_be_a_node, chosen, error);
    if (!status && *chosen < 0) status = sg_finding_choose(f, role, NULL, chosen, error);
    return status;
}

/* ---- All roles ---- */

/* Text is no weight, label or feature, whatever its column is called. */
static int can_be_numbers(const sg_finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    return (facts->amounts || facts->numbers) && facts->values > 0;
}

/* "y" may be a class, or the second of two coordinates. */
static int can_be_label(const sg_finding *f, int column)
{
    const sg_column_facts *facts = &f->facts[column];
    if (!can_be_numbers(f, column)) return 0;
    if (strcmp(f->names[column].stem, "y") != 0) return 1;
    for (int i = 0; i < f->layout->columns; i++)
        if (strcasecmp(f->layout->names[i], "x") == 0) return 0;
    return facts->distinct <= CLASSES_MOST && (facts->whole || !facts->numbers);
}

static int can_be_features(const sg_finding *f, int column)
{
    if (can_be_numbers(f, column)) return 1;
    for (int i = 1; i < f->sample->count; i++) {
        if (column >= f->sample->rows[i].count) continue;
        const sg_field *field = &f->sample->rows[i].fields[column];
        if (sg_list_count(field->text, field->length) > 0) return 1;
    }
    return f->sample->count < 2;
}

static void give_features(const sg_finding *f)
{
    sg_layout *layout = f->layout;
    const int unnamed_first = !*layout->names[0] && !layout->row_names;
    for (int i = 0; i < layout->columns; i++) {
        const sg_role role = f->names[i].role;
        if (layout->told[i]) continue;
        if (role == SG_ROLE_FEATURE && !f->told->features && can_be_features(f, i)) layout->roles[i] = role;
        layout->unfit[i] = layout->roles[i] == SG_ROLE_IGNORE &&
                           (role == SG_ROLE_FEATURE || role == SG_ROLE_WEIGHT || role == SG_ROLE_LABEL) &&
                           !can_be_numbers(f, i);
        /* idx means the matrix row only in the DGB layout, whose first column has no name. */
        if (role == SG_ROLE_INDEX && unnamed_first) layout->roles[i] = role;
    }
}

/* Names every role that no column has. */
static int fail_missing(const sg_finding *f, const int *columns, scadyg_error *error)
{
    char names[600], what[80] = "", options[80] = "";
    for (sg_role k = SG_ROLE_SRC; k < NEEDED; k++) {
        if (columns[k] >= 0) continue;
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s%s", *what ? ", " : "", single[k].what);
        snprintf(options + strlen(options), sizeof options - strlen(options), "%s--%s NAME", *options ? " " : "",
                 single[k].option);
    }
    sg_layout_list_names(f->layout, names, sizeof names);
    return sg_fail(error, SCADYG_E_LAYOUT, "%s: no column name says which is %s; the columns are %s: say %s",
                   f->file, what, names, options);
}

/* A host, a device or an account is mostly who acts; beside a user or the like it is what it is done to. -1: there is none. */
static int find_other_end(const sg_finding *f)
{
    static const char *const either[] = {"host", "hostname", "computer", "machine", "workstation", "device",
                                         "ip",   "account",  "agent",    "badge",   "sensor",      "paper"};
    int found = -1;
    for (int i = 0; i < f->layout->columns; i++)
        for (size_t k = 0; k < sizeof either / sizeof *either; k++)
            if (f->layout->roles[i] == SG_ROLE_IGNORE && !f->layout->told[i] &&
                strcmp(f->names[i].stem, either[k]) == 0) {
                if (found >= 0) return -1;
                found = i;
            }
    if (found >= 0) f->layout->roles[found] = SG_ROLE_DST;
    return found;
}

/* The column that has not been chosen whose name says a role by a thing (a user, a product); -1: none does. */
static int find_thing(const sg_finding *f, sg_role role)
{
    for (int i = 0; i < f->layout->columns; i++)
        if (f->layout->roles[i] == SG_ROLE_IGNORE && f->names[i].role == role && f->names[i].tier == 1) return i;
    return -1;
}

/* "from" and "to" beside user and item may be states, prices or places: two pairs that could be the ends. */
static int check_two_pairs(const sg_finding *f, const int *columns, scadyg_error *error)
{
    char *const *names = f->layout->names;
    const int who = find_thing(f, SG_ROLE_SRC), what = find_thing(f, SG_ROLE_DST);
    if (f->names[columns[SG_ROLE_SRC]].tier != 0 || f->names[columns[SG_ROLE_DST]].tier != 0 || who < 0 ||
        what < 0 || !sg_names_two_kinds(names[who], names[what]))
        return SCADYG_OK;
    const char *src = names[columns[SG_ROLE_SRC]], *dst = names[columns[SG_ROLE_DST]];
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' and '%.60s' could be the source and the destination, and '%.60s' and '%.60s' too: "
                   "say --src '%.60s' --dst '%.60s' or --src '%.60s' --dst '%.60s'",
                   f->file, src, dst, names[who], names[what], src, dst, names[who], names[what]);
}

/* Whether two names differ only in opposite words at their beginning or end, and say no measure of the ends: iban_from, iban_to. */
static int are_opposite(const char *one, const char *other)
{
    static const char *const words[][2] = {
        {"from", "to"},          {"source", "target"}, {"source", "destination"},
        {"src", "dst"},          {"src", "dest"},      {"sender", "receiver"},
        {"sender", "recipient"}, {"origin", "dest"},   {"origin", "destination"}};
    static const char *const measures[] = {"port",    "date",   "time",  "lat",    "lon",   "lng",
                                           "balance", "amount", "price", "type",   "state", "status",
                                           "value",   "level",  "stop",  "version"};
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++)
        if (strcasestr(one, measures[k])) return 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t a = strlen(words[k][0]), b = strlen(words[k][1]), length = strlen(one), size = strlen(other);
        if (length < a || size < b || length - a != size - b) continue;
        const size_t rest = length - a;
        if (strncasecmp(one, words[k][0], a) == 0 && strncasecmp(other, words[k][1], b) == 0 &&
            strcasecmp(one + a, other + b) == 0)
            return 1;
        if (strcasecmp(one + rest, words[k][0]) == 0 && strcasecmp(other + rest, words[k][1]) == 0 &&
            strncasecmp(one, other, rest) == 0)
            return 1;
    }
    return 0;
}

/* Where no name is known: the only two that are opposite. */
static void find_opposite(const sg_finding *f, int *columns)
{
    int src = -1, dst = -1, pairs = 0;
    const sg_layout *layout = f->layout;
    for (int i = 0; i < layout->columns; i++)
        for (int k = 0; k < layout->columns; k++) {
            if (i == k || layout->roles[i] != SG_ROLE_IGNORE || layout->roles[k] != SG_ROLE_IGNORE ||
                !are_opposite(layout->names[i], layout->names[k]))
                continue;
            pairs++;
            src = i;
            dst = k;
        }
    if (pairs != 1) return;
    columns[SG_ROLE_SRC] = src;
    columns[SG_ROLE_DST] = dst;
    layout->roles[src] = SG_ROLE_SRC;
    layout->roles[dst] = SG_ROLE_DST;
}

/* "source" beside user_id and item_id may be where a user came from, and "target" what is to be predicted. */
static int check_mixed(const sg_finding *f, const int *columns, scadyg_error *error)
{
    const sg_name *src = &f->names[columns[SG_ROLE_SRC]], *dst = &f->names[columns[SG_ROLE_DST]];
    if (f->told->src || f->told->dst || src->tier < 0 || dst->tier < 0) return SCADYG_OK;
    if ((src->tier > 0) == (dst->tier > 0)) return check_two_pairs(f, columns, error);
    const sg_role plain = src->tier == 0 ? SG_ROLE_SRC : SG_ROLE_DST;
    const int i = find_thing(f, plain), chosen = columns[plain];
    return i < 0 ? SCADYG_OK
                 : sg_finding_fail_both(f, plain, chosen < i ? chosen : i, chosen < i ? i : chosen, error);
}

static int is_half(const sg_field *field)
{
    char letters[3] = "";
    size_t count = 0;
    for (size_t i = 0; i < field->length; i++) {
        if (field->text[i] == '.') continue;
        if (count == 2) return 0;
        letters[count++] = (char)(field->text[i] | 0x20);
    }
    return strcmp(letters, "am") == 0 || strcmp(letters, "pm") == 0;
}

/* Half of a time of day in a column of its own, which is not read. */
static int check_halves(const sg_finding *f, scadyg_error *error)
{
    for (int i = 0; i < f->layout->columns; i++) {
        int halves = 0, rows = 0;
        for (int k = 1; k < f->sample->count; k++) {
            if (i >= f->sample->rows[k].count) continue;
            rows++;
            halves += is_half(&f->sample->rows[k].fields[i]);
        }
        if (rows && halves == rows && f->layout->roles[i] == SG_ROLE_IGNORE)
            return sg_fail(
                error, SCADYG_E_LAYOUT,
                "%s: the column '%.60s' says AM or PM of times in another column, which is not read: write "
                "it behind them before",
                f->file, f->layout->names[i]);
    }
    return SCADYG_OK;
}

/* The same thing twice, as the name and the number of an account: the two go together one to one. */
static int check_same(const sg_finding *f, const int *columns, scadyg_error *error)
{
    const int src = columns[SG_ROLE_SRC], dst = columns[SG_ROLE_DST];
    char *const *names = f->layout->names;
    if (f->told->src || f->told->dst || (f->names[src].tier <= 0 && f->names[dst].tier <= 0) ||
        !sg_sample_is_one_to_one(f->sample, 1, src, dst))
        return SCADYG_OK;
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' and '%.60s' go together one to one, as two names of the same thing do: say which "
                   "columns are the nodes, or --src '%.60s' --dst '%.60s' if these are",
                   f->file, names[src], names[dst], names[src], names[dst]);
}

/* What is unclear of the nodes and of the time in one sentence, so that nobody comes back for the second. */
static int join_failures(const sg_finding *f, int of_time, const scadyg_error *time, scadyg_error *error)
{
    const size_t file = strlen(f->file) + 2;
    if (!of_time || !error) return SCADYG_E_LAYOUT;
    const size_t used = strlen(error->message);
    const char *more = strlen(time->message) > file ? time->message + file : time->message;
    snprintf(error->message + used, sizeof error->message - used, "; besides, %s", more);
    return SCADYG_E_LAYOUT;
}

/* The columns of the nodes and of the time. */
static int give_needed(const sg_finding *f, int *columns, scadyg_error *error)
{
    sg_layout *layout = f->layout;
    const char *told[] = {[SG_ROLE_SRC] = f->told->src, f->told->dst, f->told->time};
    scadyg_error of_time = {0};
    int status[NEEDED] = {SCADYG_OK};
    for (sg_role k = SG_ROLE_SRC; k < NEEDED; k++) {
        columns[k] = told[k] ? 0 : -1;
        if (told[k] || (k == SG_ROLE_DST && status[SG_ROLE_SRC])) continue;
        status[k] =
            k == SG_ROLE_TIME ? sg_finding_time(f, &columns[k], &of_time) : choose_node(f, k, &columns[k], error);
        if (status[k])
            columns[k] = -1;
        else if (columns[k] >= 0)
            layout->roles[columns[k]] = k;
    }
    if (status[SG_ROLE_SRC] || status[SG_ROLE_DST]) return join_failures(f, status[SG_ROLE_TIME], &of_time, error);
    if (columns[SG_ROLE_SRC] >= 0 && columns[SG_ROLE_DST] < 0) columns[SG_ROLE_DST] = find_other_end(f);
    if (columns[SG_ROLE_SRC] < 0 && columns[SG_ROLE_DST] < 0) find_opposite(f, columns);
    if (columns[SG_ROLE_SRC] >= 0 && columns[SG_ROLE_DST] >= 0 && status[SG_ROLE_TIME])
        return sg_fail(error, status[SG_ROLE_TIME], "%s", of_time.message);
    if (columns[SG_ROLE_SRC] >= 0 && columns[SG_ROLE_DST] >= 0 && columns[SG_ROLE_TIME] >= 0) return SCADYG_OK;
    if (status[SG_ROLE_TIME]) columns[SG_ROLE_TIME] = 0; /* it is told of behind */
    fail_missing(f, columns, error);
    return join_failures(f, status[SG_ROLE_TIME], &of_time, error);
}

static int give_roles(const sg_finding *f, scadyg_error *error)
{
    sg_layout *layout = f->layout;
    const char *told[] = {[SG_ROLE_WEIGHT] = f->told->weight, f->told->label};
    int columns[SINGLE] = {0};
    int status = give_needed(f, columns, error);
    for (sg_role k = NEEDED; k < SINGLE && !status; k++) {
        if (told[k]) continue;
        status = sg_finding_choose(f, k, k == SG_ROLE_LABEL ? can_be_label : can_be_numbers, &columns[k], error);
        if (!status && columns[k] >= 0) layout->roles[columns[k]] = k;
    }
    if (!status) status = check_mixed(f, columns, error);
    if (!status) status = check_same(f, columns, error);
    if (!status) status = check_halves(f, error);
    if (status) return status;
    give_features(f);
    return SCADYG_OK;
}

/* What names promise the values must keep: a time of day, a date or a price is never a node. */
static int check_values(const sg_finding *f, scadyg_error *error)
{
    const sg_layout *layout = f->layout;
    if (is_exported(layout)) return SCADYG_OK;
    for (int i = 0; i < layout->columns; i++) {
        const sg_column_facts *facts = &f->facts[i];
        const int node = layout->roles[i] == SG_ROLE_SRC || layout->roles[i] == SG_ROLE_DST;
        char why[160];
        /* An id may be written with a point. */
        const int decimals = facts->numbers && !facts->whole && f->names[i].form != 0;
        const char *look = facts->clocks                         ? "times of day"
                           : facts->dates && !facts->digit_dates ? "dates"
                           : facts->money                        ? "amounts of money"
                           : facts->plain_flags                  ? "true and false"
                           : facts->decimal_comma                ? "numbers with a comma"
                           : decimals                            ? "numbers that are not whole"
                                                                 : NULL;
        if (!node || !look || layout->told[i]) continue;
        snprintf(why, sizeof why, "the name of the column '%.60s' says %s, and it holds %s", layout->names[i],
                 layout->roles[i] == SG_ROLE_SRC ? "source" : "destination", look);
        return sg_layout_unclear(layout, f->sample, 1, f->file, why, error);
    }
    return SCADYG_OK;
}

/* What a name says; the second of two is as good as the first. */
static void read_name(const sg_finding *f, int column)
{
    const char *name = f->layout->names[column];
    sg_name_read(name, strlen(name), &f->names[column]);
    for (int i = 0; i < column; i++)
        if (is_twin_name(name, f->layout->names[i])) f->names[column] = f->names[i];
}

static int settle_names(const sg_finding *f, scadyg_error *error)
{
    for (int i = 0; i < f->layout->columns; i++) {
        const char *name = f->layout->names[i];
        read_name(f, i);
        f->facts[i] = sg_sample_facts(f->sample, 1, i, i + 1);
        /* "src" is the source, whatever else could be; but "time" may be the digits of a time of day. */
        const int plain = f->names[i].role != SG_ROLE_TIME || f->facts[i].dates || f->facts[i].unix_like;
        for (sg_role k = SG_ROLE_SRC; k < SINGLE; k++)
            if (strcmp(name, single[k].option) == 0 && plain) f->names[i].tier = -1;
        f->layout->roles[i] = SG_ROLE_IGNORE;
    }
    int status = sg_layout_by_names(f->layout, f->told, f->file, error);
    if (!status) status = give_roles(f, error);
    if (!status) status = check_values(f, error);
    return status ? status : sg_layout_join_times(f->layout, f->facts, f->file, error);
}

int sg_layout_choose_roles(sg_layout *layout, const sg_sample *sample, const sg_told *told, const char *file,
                           scadyg_error *error)
{
    sg_finding f = {.layout = layout, .sample = sample, .told = told, .file = file};
    f.names = sg_alloc((size_t)layout->columns, sizeof *f.names);
    f.facts = sg_alloc((size_t)layout->columns, sizeof *f.facts);
    int status = f.names && f.facts ? settle_names(&f, error) : sg_fail_memory(error, "the first rows");
    SG_FREE(f.names, f.facts);
    return status;
}
