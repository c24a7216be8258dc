/* Layout, the columns beside that of the time which belong to it: the time of day, and the zone. */
#include "events/import/layout_parts.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blanks cut "2014-01-31 09:30:00 +0100" into pieces. */
static int count_time_fields(const sg_layout *layout, const sg_column_facts *facts, int time)
{
    int fields = 1;
    if (layout->separator != ' ' || !facts[time].dates || time + 1 >= layout->columns || !facts[time + 1].clocks)
        return 1;
    for (fields = 2; fields < 4 && time + fields < layout->columns && facts[time + fields].zones; fields++) {
    }
    return fields;
}

static int find_role(const sg_layout *layout, sg_role role)
{
    for (int i = 0; i < layout->columns; i++)
        if (layout->roles[i] == role) return i;
    return -1;
}

static const char *get_name(const sg_layout *layout, int column)
{
    return layout->names[column] ? layout->names[column] : "";
}

/* Whole numbers from 0 to 23 in a column called "hour". */
static int is_hours(const sg_layout *layout, const sg_column_facts *facts, int column)
{
    return layout->has_header && facts[column].hours && sg_name_time_part(get_name(layout, column)) == SG_PART_HOUR;
}

/* The columns that could be the time of day beside a date. */
typedef struct clocks {
    int best, rival; /* of those whose names fit best; -1: none */
    int fit;         /* SG_CLOCK_... of the best */
    int count;       /* of all that are no durations */
} clocks;

static clocks find_clocks(const sg_layout *layout, const sg_column_facts *facts, int time)
{
    clocks found = {-1, -1, SG_CLOCK_UNSAID, 0};
    for (int i = 0; i < layout->columns; i++) {
        const int hours = is_hours(layout, facts, i);
        if (i == time || layout->roles[i] != SG_ROLE_IGNORE || !(facts[i].clocks || hours)) continue;
        int fit = hours ? SG_CLOCK_PLAIN : sg_name_clock(get_name(layout, i), get_name(layout, time));
        if (!layout->has_header) fit = i == time + 1 || i == time - 1 ? SG_CLOCK_PLAIN : SG_CLOCK_UNSAID;
        if (fit == SG_CLOCK_DURATION) continue;
        found.count++;
        if (found.best < 0 || fit > found.fit) {
            found.rival = found.best;
            found.best = i;
            found.fit = fit;
        } else
            found.rival = i;
    }
    return found;
}

/* Whether the best stands out: plainly named, or the only one and known as the name of a time. */
static int is_clear(const clocks *found, const sg_layout *layout, int time)
{
    if (found->best < 0) return 0;
    if (found->count == 1) return found->fit >= SG_CLOCK_KNOWN;
    return found->fit == SG_CLOCK_PLAIN &&
           (found->rival < 0 || !layout->has_header ||
            sg_name_clock(get_name(layout, found->rival), get_name(layout, time)) < SG_CLOCK_PLAIN);
}

static int fail_clocks(const clocks *found, const sg_layout *layout, int time, const char *file,
                       scadyg_error *error)
{
    const char *date = layout->names[time], *one = layout->names[found->best];
    if (found->count > 1)
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s: '%.60s' and '%.60s' could both be the time of day of '%.60s': say --time '%.60s,%.60s' "
                       "or --time '%.60s,%.60s', or --time '%.60s' for the date alone",
                       file, one, layout->names[found->rival], date, date, one, date, layout->names[found->rival],
                       date);
    return sg_fail(error, SCADYG_E_LAYOUT,
                   "%s: '%.60s' may be the time of day of '%.60s', or something else: say --time '%.60s,%.60s' if "
                   "they belong together, else --time '%.60s'",
                   file, one, date, date, one, date);
}

/* Hours beside what is no date, and minutes beside hours: parts of a time that nobody puts together. */
static int check_parts(const sg_layout *layout, const sg_column_facts *facts, int time, int clock, const char *file,
                       scadyg_error *error)
{
    const int part = sg_name_time_part(get_name(layout, time));
    if (!layout->has_header || layout->told[time]) return SCADYG_OK;
    for (int i = 0; i < layout->columns; i++) {
        const int other = sg_name_time_part(get_name(layout, i));
        if (i == time || i == clock || layout->roles[i] != SG_ROLE_IGNORE || !facts[i].whole) continue;
        const int hours = other == SG_PART_HOUR && part == SG_PART_DAY && !facts[time].dates,
                  minutes = other == SG_PART_MINUTE && clock >= 0 && facts[clock].hours;
        if (!hours && !minutes) continue;
        return sg_fail(
            error, SCADYG_E_LAYOUT,
            "%s: the time is in several columns, '%.40s'%s%.40s%s and '%.40s': write it into one before, "
            "or say --time '%.40s' if that is enough",
            file, layout->names[time], minutes ? ", '" : "", minutes ? layout->names[clock] : "",
            minutes ? "'" : "", layout->names[i], layout->names[time]);
    }
    return SCADYG_OK;
}

/* Numbers called "zone" may be those of a town. With other names they are offsets, of minutes or hours, east or west. */
static int is_town_zone(const sg_layout *layout, const sg_column_facts *facts, int column)
{
    return facts->numbers && !facts->zones && sg_names_equal(get_name(layout, column), "zone");
}

/* Whether a word is a zone beside UTC: "EST", "GMT+1", "Europe/Berlin". */
static int is_other_zone(const char *word, size_t length)
{
    int64_t offset;
    const size_t used = sg_zone_read(word, length, &offset);
    const int hours = used == 3 && length > 4 && (word[3] == '+' || word[3] == '-'); /* GMT+1 */
    if (hours) return 1;
    const char *slash = memchr(word, '/', length);
    return (used == length && offset != 0) ||
           (slash && slash > word + 2 && slash[-1] != ' ' && *word >= 'A' && *word <= 'Z');
}

/* The zone in the name of the time itself, in brackets or as its last word: "Time (EST)", "created_at_pst". */
static int names_zone(sg_layout *layout, int time)
{
    const char *name = get_name(layout, time), *open = strpbrk(name, "(["),
               *close = open ? strpbrk(open, ")]") : NULL;
    const char *word = name + strlen(name);
    while (word > name && word[-1] != '_' && word[-1] != ' ') word--;
    size_t length = word > name ? strlen(word) : 0;
    if (close) {
        word = open + 1;
        length = (size_t)(close - word);
    }
    if (length < 3 || length >= sizeof layout->place_text || !is_other_zone(word, length)) return 0;
    snprintf(layout->place_text, sizeof layout->place_text, "%.*s", (int)length, word);
    layout->one_place = 1;
    return 1;
}

/* A column that says the zone of times that have none themselves; that of the time if its name does. */
static int find_zones(sg_layout *layout, const sg_column_facts *facts, int time, int clock)
{
    if (!layout->has_header || !facts[time].dates || facts[time].with_zone || layout->time_fields > 1) return -1;
    if (!facts[time].with_clock && clock < 0) return -1;
    for (int i = 0; i < layout->columns; i++)
        if (layout->roles[i] == SG_ROLE_IGNORE && facts[i].values && !facts[i].all_utc &&
            !is_town_zone(layout, &facts[i], i) && sg_name_time_part(get_name(layout, i)) == SG_PART_ZONE)
            return i;
    return names_zone(layout, time) ? time : -1;
}

int sg_layout_join_times(sg_layout *layout, const sg_column_facts *facts, const char *file, scadyg_error *error)
{
    const int time = find_role(layout, SG_ROLE_TIME);
    int clock = find_role(layout, SG_ROLE_CLOCK);
    layout->time_fields = 1;
    layout->place = -1;
    if (time < 0) return SCADYG_OK;
    const int fields = clock < 0 ? count_time_fields(layout, facts, time) : 1;
    for (int i = 1; i < fields; i++) layout->roles[time + i] = SG_ROLE_CLOCK;
    layout->time_fields = fields;
    if (fields > 1) return SCADYG_OK;
    if (clock < 0 && facts[time].dates && !facts[time].with_clock) {
        const clocks found = find_clocks(layout, facts, time);
        if (is_clear(&found, layout, time)) {
            clock = found.best;
            layout->roles[clock] = SG_ROLE_CLOCK;
        } else if (found.count && layout->has_header && !layout->told[time])
            return fail_clocks(&found, layout, time, file, error);
    }
    layout->clock_digits = clock >= 0 && facts[clock].whole;
    const int zone = find_zones(layout, facts, time, clock);
    if (zone >= 0 && zone != time && facts[zone].zones)
        layout->roles[zone] = SG_ROLE_ZONE;
    else
        layout->place = zone;
    return check_parts(layout, facts, time, clock, file, error);
}

int sg_layout_join_told(sg_layout *layout, const sg_sample *sample, int first, const char *file,
                        scadyg_error *error)
{
    const int time = find_role(layout, SG_ROLE_TIME);
    const unsigned char told = layout->told[time];
    sg_column_facts *facts = sg_alloc((size_t)layout->columns, sizeof *facts);
    if (!facts) return sg_fail_memory(error, "the first rows");
    for (int i = 0; i < layout->columns; i++) facts[i] = sg_sample_facts(sample, first, i, i + 1);
    layout->told[time] = 1;
    int status = sg_layout_join_times(layout, facts, file, error);
    layout->told[time] = told;
    free(facts);
    return status;
}
