/* The names that people give to the columns of logs, in the languages in which they do. */
#include "base/csv.h"

#include <string.h>

/* In small letters and digits alone: "Customer ID", "customer_id" and "CustomerID" are one name. Each between blanks. */

#define PEOPLE_WORDS                                                                                               \
    " user customer client buyer purchaser shopper member visitor reviewer reader listener viewer student "        \
    "subscriber guest consumer household "
#define PEOPLE                                                                                                     \
    PEOPLE_WORDS                                                                                                   \
    "cust userpseudo fullvisitor kunde kunden käufer kaeufer benutzer nutzer besteller mitglied leser "           \
    "utilisateur "                                                                                                 \
    "acheteur usuario cliente comprador klant koper gebruiker usuário utente acquirente klient 用户 顾客 "
#define THING_WORDS                                                                                                \
    " item product sku stock article movie film book song track artist album video page course merchant store "    \
    "shop genre subreddit package offer listing ad campaign restaurant hotel "
#define THINGS                                                                                                      \
    THING_WORDS                                                                                                     \
    "prod lineitem asin isbn artikel produkt produit producto articulo artículo produto artigo prodotto articolo " \
    "business 商品 产品 "

/* Beside these: who acts, and what it is done to, that are of two kinds when they stand in one row. */
#define FURTHER_WHO_WORDS                                                                                          \
    " author employee patient card device sensor session driver player worker rider passenger "
#define FURTHER_WHO FURTHER_WHO_WORDS "cc uid badge athlete committer contributor "
#define FURTHER_WHAT_WORDS                                                                                         \
    " channel room file url location place venue station door topic project ticket issue thread question tweet "   \
    "photo hospital doctor physician group gateway provider airport website app application queue terminal "       \
    "supplier vendor "
#define FURTHER_WHAT FURTHER_WHAT_WORDS "filename filepath path uri pageurl pagepath repo repository "

static const struct {
    sg_role role;
    int tier;
    const char *names;
} known_names[] = {
    {SG_ROLE_SRC, 0,
     " src source from fromnode fromuser fromaccount accountfrom sender u sourcesubreddit exporter caller calling "
     "callingnumber callingparty anumber anummer node1 head payer debtor follower citing initiator originator "
     "nameorig debit debitaccount debitor auftragskonto eigeneskonto kontovon "
     "id1 user1 account1 actor1 lender aparty srchost sourcehost orig origin srcip sourceip srcaddr saddr sa "
     "idorigh ida "
     "person1 "
     "reporter requester submitter hometeam "
     "startstation "
     "pulocation absender auftraggeber anrufer zahler expéditeur expediteur émetteur emetteur remitente "},
    {SG_ROLE_DST, 0,
     " dst dest destination to tonode touser toaccount accountto target v i receiver recipient targetsubreddit "
     "tradingnation covotingnation importer callee called callednumber calledparty bnumber bnummer node2 tail "
     "payee credit creditaccount kreditor kontonummer kontonummeriban gegenkonto beguenstigterzahlungspflichtiger "
     "begünstigterzahlungspflichtiger kontoan "
     "beneficiary creditor followee followed cited citedpaper whom namedest dstip destip destinationip dstaddr "
     "daddr da "
     "id2 user2 account2 actor2 targetentity borrower bparty dsthost desthost destinationhost idresph idb "
     "person2 partner "
     "assignee "
     "awayteam endstation "
     "dolocation empfänger empfaenger zahlungsempfänger "
     "begünstigter angerufener destinataire destinatario "},
    {SG_ROLE_SRC, 1, PEOPLE},
    {SG_ROLE_SRC, 1, " account nation author who actor card cc employee patient useraddress "},
    {SG_ROLE_DST, 1, THINGS},
    {SG_ROLE_DST, 1,
     " friend retweeteduser inreplytouser mentioneduser otheruser seller vendor tokenaddress supplier verkäufer "
     "verkaeufer vendeur vendedor "},
    {SG_ROLE_SRC, 2,
     " email mail device sensor host hostname computer machine workstation ip cip clientip remoteaddr remotehost "
     "uid entity distinct anonymous session driver agent owner player "
     "worker "
     "person committer contributor badge athlete rider passenger paper "},
    {SG_ROLE_DST, 2,
     " channel gateway room file filename filepath path url uri pagelocation pageurl pagepath request requesturi "
     "requestpath csuristem location "
     "place "
     "venue station door group topic repo repository project ticket issue thread question tweet photo doctor "
     "physician provider "
     "hospital airport server domain website cshost app application service endpoint resource queue terminal "
     "segment "
     "title titel material pid aid iid "},
    {SG_ROLE_TIME, 0,
     " time timestamp ts t date datetime unixtime unixts unixtimestamp createdat created createdtime createdutc "
     "createdon createddate creationdate creationtime when epoch eventtime eventdate eventtimestamp eventts "
     "purchasedat "
     "purchasedate purchasetime orderdate ordertime orderedat orderpurchasetimestamp invoicedate "
     "transactiondate transactiontime transactiontimestamp transdate transtime transdatetranstime "
     "transactiondatetime transactiondt txndate txntime txndt txndttm txnts dttm "
     "sentat sentdate datesent occurredat visitedat viewedat ratedat loggedat reviewtime reviewdate unixreviewtime "
     "utctime dateadded calldate calltime callstart starttime startdate startedat startdatetime timelocal "
     "localtime "
     "posted postedat publishedat datum zeit zeitpunkt zeitstempel buchungstag buchungsdatum bestelldatum "
     "kaufdatum "
     "rechnungsdatum datumzeit datumuhrzeit uhrzeit heure dateheure horodatage fecha fechahora hora "},
    {SG_ROLE_TIME, 1, " year step start received begin day month jahr monat tag année annee "},
    {SG_ROLE_WEIGHT, 0,
     " weight w amount amt edgeweight trade transactionamount betrag montant importe importo kwota bedrag valor "},
    {SG_ROLE_LABEL, 0, " label statelabel y linksentiment ytrue isfraud fraud "},
    {SG_ROLE_FEATURE, 0, " rating score features feature feat commaseparatedlistoffeatures properties "},
    {SG_ROLE_INDEX, 0, " idx "},
    {SG_ROLE_IGNORE, 0, " postid edgeid eventid row index "},
};

/* What is written behind a thing to say what of it is meant. */
static const struct {
    const char *ending;
    int form;
} endings[] = {
    {"id", 0},        {"uuid", 1},
    {"guid", 1},      {"key", 1},
    {"code", 1},      {"number", 1},
    {"nummer", 1},    {"num", 1},
    {"nr", 1},        {"no", 1},
    {"hash", 1},      {"node", 1},
    {"nodeid", 1},    {"login", 3},
    {"address", 3},   {"addr", 3},
    {"email", 3},     {"mail", 3},
    {"handle", 3},    {"name", 4},
    {"username", 4},  {"userid", 0},
    {"account", 1},   {"accountid", 1},
    {"accountno", 1}, {"accountnumber", 1},
    {"iban", 1},      {"wallet", 1},
    {"phone", 3},     {"station", 1},
    {"stationid", 1}, {"ip", 3},
    {"ipaddress", 3}, {"emailaddress", 3},
    {"uniqueid", 0},  {"emailadresse", 3},
    {"sku", 1},       {"upn", 3},
    {"sk", 1},
};
enum { BARE = 2 };

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Small letters, also of Latin-1's in UTF-8. */
static char make_small(char c, char before)
{
    const unsigned char byte = (unsigned char)c;
    if (c >= 'A' && c <= 'Z') return (char)(c + 32);
    return before == '\xC3' && byte >= 0x80 && byte <= 0x9E && byte != 0x97 ? (char)(byte + 32) : c;
}

static size_t keep_letters(const char *name, size_t length, int in_brackets, char out[SG_NAME_LONGEST])
{
    size_t used = 0, depth = 0;
    for (size_t i = 0; i < length; i++) {
        const char c = make_small(name[i], i ? name[i - 1] : 0);
        depth += name[i] == '(' || name[i] == '[' || name[i] == '{';
        if ((depth == 0 || in_brackets) && is_letter(c)) {
            if (used + 1 == SG_NAME_LONGEST) return 0;
            out[used++] = c;
        }
        if (depth && (name[i] == ')' || name[i] == ']' || name[i] == '}')) depth--;
    }
    out[used] = 0;
    return used;
}

/* Without what stands in brackets, unless that is all: units are no part of a name. */
static size_t make_plain_name(const char *name, size_t length, char out[SG_NAME_LONGEST])
{
    const size_t used = keep_letters(name, length, 0, out);
    return used ? used : keep_letters(name, length, 1, out);
}

/* "f0", "feat_12", "x3": a feature by its number. */
static int is_numbered_feature(const char *name)
{
    static const char *const stems[] = {"feature", "feat", "f", "x"};
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
        const size_t stem = strlen(stems[k]);
        if (strncmp(name, stems[k], stem) != 0) continue;
        const char *rest = name + stem;
        if (*rest && strspn(rest, "0123456789") == strlen(rest)) return 1;
    }
    return 0;
}

static int is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    if (!length) return 0; /* a name of nothing but signs */
    for (const char *found = names; (found = strstr(found, name)); found++)
        if (found > names && found[-1] == ' ' && found[length] == ' ') return 1;
    return 0;
}

static int ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

static int look_up(const char *plain, sg_name *out)
{
    for (size_t k = 0; k < sizeof known_names / sizeof *known_names; k++)
        if (is_among(known_names[k].names, plain)) {
            out->role = known_names[k].role;
            out->tier = known_names[k].tier;
            strcpy(out->stem, plain);
            return 1;
        }
    return 0;
}

/* A thing behind what is mostly its ending: "ID User", "fk_product", "N° client". */
static int look_up_behind(const char *plain, sg_name *out)
{
    static const char *const beginnings[] = {"id", "fk", "n°", "référence"};
    for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++) {
        const size_t size = strlen(beginnings[k]);
        if (strncmp(plain, beginnings[k], size) != 0 || strlen(plain) < size + 2 || !look_up(plain + size, out))
            continue;
        out->form = k > 1;
        if (out->role == SG_ROLE_SRC || out->role == SG_ROLE_DST) return 1;
    }
    return 0;
}

/* A thing with an ending: the one that leaves a name of a node. */
static int look_up_node(const char *plain, sg_name *out)
{
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        char stem[SG_NAME_LONGEST];
        if (!ends_with(plain, endings[k].ending)) continue;
        const size_t length = strlen(plain) - strlen(endings[k].ending);
        memcpy(stem, plain, length);
        stem[length] = 0;
        if (length < 2 || !look_up(stem, out)) continue; /* uid is no id of u */
        out->form = endings[k].form;
        if (out->role == SG_ROLE_SRC || out->role == SG_ROLE_DST) return 1;
    }
    return 0;
}

/* A time or an amount with its unit: "time_ms", "timestamp_utc", "amount_usd". */
static int look_up_unit(const char *plain, sg_name *out)
{
    static const char *const units[] = {"utc", "gmt", "ms",      "millis", "us",   "ns",
                                        "s",   "sec", "seconds", "unix",   "local"};
    static const char *const moneys[] = {"usd", "eur", "gbp", "chf"};
    char stem[SG_NAME_LONGEST];
    for (size_t k = 0; k < sizeof units / sizeof *units + sizeof moneys / sizeof *moneys; k++) {
        const int is_money = k >= sizeof units / sizeof *units;
        const char *unit = is_money ? moneys[k - sizeof units / sizeof *units] : units[k];
        if (!ends_with(plain, unit)) continue;
        const size_t length = strlen(plain) - strlen(unit);
        memcpy(stem, plain, length);
        stem[length] = 0;
        if (look_up(stem, out) && out->role == (is_money ? SG_ROLE_WEIGHT : SG_ROLE_TIME)) return 1;
    }
    return 0;
}

/* "From: (Address)" of Outlook: the brackets say what of it is meant. "From: (Type)" is no node. */
static int look_up_brackets(const char *name, size_t length, const char *plain, sg_name *out)
{
    char full[SG_NAME_LONGEST];
    if (keep_letters(name, length, 1, full) <= strlen(plain)) return 0;
    if (look_up_node(full, out) && strcmp(out->stem, plain) == 0) return 1;
    *out = (sg_name){.role = SG_ROLE_IGNORE, .form = BARE};
    return strncmp(full, plain, strlen(plain)) == 0 && strcmp(full + strlen(plain), "type") == 0;
}

int sg_name_read(const char *name, size_t length, sg_name *out)
{
    char plain[SG_NAME_LONGEST] = "";
    *out = (sg_name){.role = SG_ROLE_IGNORE, .form = BARE};
    if (length == 0) return 1; /* pandas' index column */
    if (!make_plain_name(name, length, plain)) return 0;
    if (look_up_brackets(name, length, plain, out)) return 1;
    if (look_up(plain, out) || look_up_node(plain, out) || look_up_behind(plain, out) || look_up_unit(plain, out))
        return 1;
    *out = (sg_name){.role = is_numbered_feature(plain) ? SG_ROLE_FEATURE : SG_ROLE_IGNORE, .form = BARE};
    strcpy(out->stem, plain);
    return out->role == SG_ROLE_FEATURE;
}

sg_role sg_name_role(const char *name, size_t length, int *known)
{
    sg_name read;
    *known = sg_name_read(name, length, &read) && read.tier < 2;
    return *known ? read.role : SG_ROLE_IGNORE;
}

int sg_names_equal(const char *one, const char *other)
{
    char a[SG_NAME_LONGEST], b[SG_NAME_LONGEST];
    if (strcmp(one, other) == 0) return 1;
    return make_plain_name(one, strlen(one), a) && make_plain_name(other, strlen(other), b) && strcmp(a, b) == 0;
}

int sg_name_time_part(const char *name)
{
    static const struct {
        int part;
        const char *names;
    } parts[] = {{SG_PART_DAY, " day date datum tag jour dia fecha "},
                 {SG_PART_HOUR, " hour hr hh hourofday stunde heure hora "},
                 {SG_PART_MINUTE, " minute min mm minutes minuto "},
                 {SG_PART_ZONE,
                  " timezone timezonename timezoneid tz tzname tzid tzoffset zone utcoffset gmtoffset "
                  "timezoneoffset zeitzone fuseau fuseauhoraire zonahoraria husohorario "}};
    char plain[SG_NAME_LONGEST];
    if (!make_plain_name(name, strlen(name), plain)) return SG_PART_NONE;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (is_among(parts[k].names, plain)) return parts[k].part;
    return SG_PART_NONE;
}

/* Takes a word of the list from the end of a name, or its beginning. Returns whether there was one. */
static int strip_word(char *name, const char *const *words, size_t count)
{
    const size_t length = strlen(name);
    for (size_t k = 0; k < count; k++) {
        const size_t size = strlen(words[k]);
        if (size > length) continue;
        if (strcmp(name + length - size, words[k]) == 0) {
            name[length - size] = 0;
            return 1;
        }
        if (strncmp(name, words[k], size) == 0) {
            memmove(name, name + size, length - size + 1);
            return 1;
        }
    }
    return 0;
}

int sg_name_clock(const char *name, const char *date)
{
    static const char *const durations[] = {"duration", "durat",   "length",   "elapsed",   "dauer",   "durée",
                                            "duree",    "worked",  "spent",    "runtime",   "hours",   "minutes",
                                            "seconds",  "latency", "delay",    "wait",      "laptime", "traveltime",
                                            "interval", "uptime",  "playtime", "watchtime", "talktime"};
    static const char *const clock_words[] = {"timeofday", "uhrzeit", "time", "clock", "zeit",
                                              "heure",     "hora",    "tijd", "hour",  "ora"};
    static const char *const date_words[] = {"date", "datum", "day", "fecha", "jour", "tag", "data"};
    static const char *const zones[] = {"utc", "gmt", "local", "est", "cet"};
    char clock[SG_NAME_LONGEST], day[SG_NAME_LONGEST];
    sg_name read;
    if (!make_plain_name(name, strlen(name), clock)) return SG_CLOCK_UNSAID;
    for (size_t k = 0; k < sizeof durations / sizeof *durations; k++)
        if (strstr(clock, durations[k])) return SG_CLOCK_DURATION;
    const int known = look_up(clock, &read) && read.role == SG_ROLE_TIME && read.tier == 0;
    if (!make_plain_name(date, strlen(date), day)) *day = 0;
    strip_word(clock, zones, sizeof zones / sizeof *zones);
    strip_word(day, zones, sizeof zones / sizeof *zones);
    const int is_time = strip_word(clock, clock_words, sizeof clock_words / sizeof *clock_words);
    strip_word(day, date_words, sizeof date_words / sizeof *date_words);
    if (is_time && (!*clock || strcmp(clock, day) == 0)) return SG_CLOCK_PLAIN;
    return known ? SG_CLOCK_KNOWN : SG_CLOCK_UNSAID;
}

/* The names of both ends; 0 if one of them says nothing. */
static int read_ends(const char *src, const char *dst, sg_name *a, sg_name *b)
{
    return src && dst && sg_name_read(src, strlen(src), a) && sg_name_read(dst, strlen(dst), b);
}

int sg_names_two_kinds(const char *src, const char *dst)
{
    sg_name a, b;
    return read_ends(src, dst, &a, &b) && (is_among(PEOPLE, a.stem) || is_among(FURTHER_WHO, a.stem)) &&
           (is_among(THINGS, b.stem) || is_among(FURTHER_WHAT, b.stem));
}

/* src_node and dst_node, node1 and node2 */
int sg_names_one_kind(const char *src, const char *dst)
{
    char a[SG_NAME_LONGEST], b[SG_NAME_LONGEST];
    return src && dst && make_plain_name(src, strlen(src), a) && make_plain_name(dst, strlen(dst), b) &&
           strstr(a, "node") && strstr(b, "node");
}

int sg_name_word(const char *name, char word[SG_NAME_LONGEST])
{
    static const char *const lists[] = {PEOPLE_WORDS, THING_WORDS, FURTHER_WHO_WORDS, FURTHER_WHAT_WORDS};
    sg_name read;
    if (!sg_name_read(name, strlen(name), &read)) return 0;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (is_among(lists[k], read.stem)) {
            strcpy(word, read.stem);
            return 1;
        }
    return 0;
}
