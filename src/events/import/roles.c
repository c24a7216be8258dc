/* Import, whether sources and destinations are separate: by options, by the names of the columns, or by their ids. */
#include "events/import/import.h"

#include "base/memory.h"

static void describe(sg_importer *importer, sg_roles_reason reason, const char *src, const char *dst, uint64_t both)
{
    sg_roles_describe(importer->kinds == SG_KINDS_TWO, reason, src, dst, both, importer->outcome->roles,
                      sizeof importer->outcome->roles);
}

/* An events file has been decided upon, and its say is what an import of all the text would have decided. */
int sg_import_stored_roles(sg_importer *importer, scadyg_error *error)
{
    static const char *const has[] = {
        [SG_KINDS_ONE] = "one kind of nodes", [SG_KINDS_TWO] = "separate sources and destinations"};
    const sg_import_options *options = importer->options;
    const int told = options->bipartite  ? SG_KINDS_TWO
                     : options->one_kind ? SG_KINDS_ONE
                                         : SG_KINDS_UNSAID,
              stored = importer->form.kinds;
    if (!importer->form.file) return SCADYG_OK;
    if (told != SG_KINDS_UNSAID && stored != SG_KINDS_UNSAID && told != stored)
        return sg_fail(error, SCADYG_E_USAGE, "%s has %s, --%s says %s: leave it out, or import the text anew",
                       importer->form.file, has[stored], options->bipartite ? "bipartite" : "one-kind", has[told]);
    importer->kinds = told != SG_KINDS_UNSAID ? told : stored;
    if (importer->kinds != SG_KINDS_UNSAID)
        describe(importer, stored == SG_KINDS_UNSAID ? SG_ROLES_TOLD : SG_ROLES_INPUT, importer->form.file, NULL,
                 0);
    return SCADYG_OK;
}

void sg_import_begin_roles(sg_importer *importer, const sg_layout *layout)
{
    if (importer->form.file) return; /* an events file says it */
    const sg_import_options *options = importer->options;
    const int told = options->bipartite || options->one_kind;
    const char *src = layout->names[layout->src], *dst = layout->names[layout->dst];
    importer->kinds = options->bipartite ? SG_KINDS_TWO : options->one_kind ? SG_KINDS_ONE : layout->kinds;
    if (importer->kinds == SG_KINDS_UNSAID) return;
    describe(importer,
             told                  ? SG_ROLES_TOLD
             : layout->kinds_above ? SG_ROLES_ABOVE
                                   : SG_ROLES_NAMES,
             layout->kinds_above && !told ? layout->kinds_above : src, dst, 0);
}

int sg_import_further_roles(const sg_importer *importer, const sg_layout *layout, scadyg_error *error)
{
    const sg_import_options *options = importer->options;
    if (options->bipartite || options->one_kind || !importer->form.is_text ||
        importer->layout.kinds == layout->kinds)
        return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_LAYOUT,
        "the names of the columns in %s say something else of sources and destinations than in the first "
        "file: say --bipartite if an id means different things as a source and as a destination, else "
        "--one-kind",
        importer->file);
}

/* The ids of a side: how many, and as numbers. */
typedef struct side_ids {
    uint64_t count;
    int64_t least, most;
} side_ids;

typedef struct side_counts {
    side_ids sides[2]; /* sources, destinations */
    uint64_t both;     /* on both */
} side_counts;

static void count_id(side_ids *side, int64_t key)
{
    if (side->count++ == 0) side->least = side->most = key;
    if (key < side->least) side->least = key;
    if (key > side->most) side->most = key;
}

static side_counts count_sides(const sg_ids *ids)
{
    side_counts counts = {0};
    for (size_t node = 0; node < ids->count; node++) {
        const int sides = sg_ids_sides(ids, node), source = (sides & SG_SIDE_SOURCE) != 0,
                  destination = (sides & SG_SIDE_DESTINATION) != 0;
        if (source) count_id(&counts.sides[0], ids->keys[node]);
        if (destination) count_id(&counts.sides[1], ids->keys[node]);
        counts.both += (uint64_t)(source && destination);
    }
    return counts;
}

#define SIDES_LEAST 20 /* ids of a side without which nothing is odd */
#define FEW_BOTH 0.05  /* of the ids of the smaller side are few */
#define DENSE 0.9      /* of the numbers from the first to the last are there, or one end is where the other is */

/* A few ids on both sides may be chance: numbers that two tables have both given. */
static int check_few(const side_counts *counts, char **text, scadyg_error *error)
{
    const uint64_t sources = counts->sides[0].count, destinations = counts->sides[1].count;
    const uint64_t fewer = sources < destinations ? sources : destinations;
    if (fewer < SIDES_LEAST || (double)counts->both > FEW_BOTH * (double)fewer) return SCADYG_OK;
    char both[32], from[32], to[32];
    return sg_add_line(
        error, text,
        "only %s of %s sources and %s destinations occur%s on both sides: if that is chance, say --bipartite",
        sg_count_text(counts->both, both), sg_count_text(sources, from), sg_count_text(destinations, to),
        counts->both == 1 ? "s" : "");
}

/* From 0 or 1 on, with few gaps. */
static int is_counted(const side_ids *side)
{
    return side->count >= SIDES_LEAST && side->least >= 0 && side->least <= 1 &&
           (double)side->count >= DENSE * (double)(side->most + 1);
}

/* Users 1 to 943 and items 1 to 1,682: each side is counted by itself, as tables of a database are. */
static int check_counted(const side_counts *counts, char **text, scadyg_error *error)
{
    const side_ids *from = &counts->sides[0], *to = &counts->sides[1];
    const int64_t less = from->most < to->most ? from->most : to->most,
                  more = from->most < to->most ? to->most : from->most;
    if (!is_counted(from) || !is_counted(to) || (double)less > DENSE * (double)more) return SCADYG_OK;
    return sg_add_line(
        error, text,
        "sources are the numbers %lld to %lld and destinations %lld to %lld, as if each were counted "
        "by itself: if 7 is not the same on both sides (user 7, item 7), say --bipartite",
        (long long)from->least, (long long)from->most, (long long)to->least, (long long)to->most);
}

int sg_import_settle_roles(sg_importer *importer, int *separate, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (importer->kinds == SG_KINDS_UNSAID) {
        const side_counts counts = count_sides(&importer->ids);
        importer->kinds = counts.both ? SG_KINDS_ONE : SG_KINDS_TWO;
        importer->by_ids = !counts.both;
        if (!counts.both) sg_ids_separate(&importer->ids);
        if (counts.both) status = check_few(&counts, &importer->outcome->checks, error);
        if (counts.both && !status && !importer->ids.text_count)
            status = check_counted(&counts, &importer->outcome->checks, error);
        describe(importer, SG_ROLES_IDS, NULL, NULL, counts.both);
    }
    *separate = importer->kinds == SG_KINDS_TWO;
    return status;
}
