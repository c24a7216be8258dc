/* Files that are no text: known by their first bytes, and named with the way out. */
#include "events/import/foreign.h"

#include "events/format.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *bytes;
    size_t size;
    const char *what, *way_out;
} foreign[] = {
    {SG_EVENTS_MAGIC, 8, "an events file that cannot be mapped", "unpack it, or give its name instead of a pipe"},
    {"PAR1", 4, "a Parquet file",
     "write it as CSV first, for example with duckdb -c \"copy (from 'F') to 'F.csv'\""},
    {"ARROW1", 6, "an Arrow file", "write it as CSV first, for example with pandas: read_feather(F).to_csv(...)"},
    {"ORC", 3, "an ORC file", "write it as CSV first, for example with pandas: read_orc(F).to_csv(...)"},
    {"\xD0\xCF\x11\xE0", 4, "an old spreadsheet or document (XLS)", "save the sheet as CSV"},
    {"SQLite format 3", 15, "an SQLite database", "write the table as CSV: sqlite3 -csv -header F 'select ...'"},
    {"\x89HDF\r\n", 6, "an HDF5 file", "write it as CSV first, for example with pandas: read_hdf(F).to_csv(...)"},
    {"\x93NUMPY", 6, "a NumPy array", "write it as text: numpy.savetxt(..., delimiter=',')"},
    {"\x80\x02", 2, "a Python pickle", "write it as CSV in the program that made it: DataFrame.to_csv"},
    {"\x80\x03", 2, "a Python pickle", "write it as CSV in the program that made it: DataFrame.to_csv"},
    {"\x80\x04", 2, "a Python pickle", "write it as CSV in the program that made it: DataFrame.to_csv"},
    {"\x80\x05", 2, "a Python pickle", "write it as CSV in the program that made it: DataFrame.to_csv"},
    {"\xFF\xFE\0\0", 4, "UTF-32 text", "convert it: iconv -f UTF-32 -t UTF-8 F > F.csv"},
    {"\0\0\xFE\xFF", 4, "UTF-32 text", "convert it: iconv -f UTF-32 -t UTF-8 F > F.csv"},
    {"BZh", 3, "packed with bzip2", "unpack it: bunzip2 F (gzip and zstd are read as they are)"},
    {"\xFD"
     "7zXZ",
     5, "packed with xz", "unpack it: unxz F (gzip and zstd are read as they are)"},
    {"7z\xBC\xAF", 4, "a 7z archive", "unpack it"},
    {"Rar!", 4, "a RAR archive", "unpack it"},
    {"Obj\x01", 4, "an Avro file", "write it as CSV in the program that made it"},
    {"RDX", 3, "an R workspace", "write it as CSV in R: write.csv(...)"},
    {"$FL2", 4, "an SPSS file", "save it as CSV"},
    {"<stata_dta>", 11, "a Stata file", "save it as CSV: export delimited"},
    {"%%MatrixMarket", 14, "a sparse matrix (Matrix Market)", "it has no times, which events need"},
    {"@relation", 9, "a Weka file (ARFF)", "write it as CSV"},
    {"*Vertices", 9, "a Pajek network", "it has no times, which events need"},
    {"\xD4\xC3\xB2\xA1", 4, "a capture of packets (pcap)",
     "make a table of it: tshark -r F -T fields -E separator=, -e ip.src -e ip.dst -e frame.time_epoch > F.csv"},
    {"%PDF", 4, "a PDF", "a table in text is needed"},
    {"\x7F"
     "ELF",
     4, "a program", "a table in text is needed"},
};

static int has_bytes(const unsigned char *data, size_t size, size_t at, const char *bytes)
{
    const size_t length = strlen(bytes);
    return size >= at + length && memcmp(data + at, bytes, length) == 0;
}

/* What a ZIP archive is by the name of its first file; NULL: it is none. */
static const char *find_zip(const unsigned char *data, size_t size, const char **way_out)
{
    enum { NAME = 30 };
    if (!has_bytes(data, size, 0, "PK\x03\x04")) return NULL;
    const int office = has_bytes(data, size, NAME, "[Content_Types].xml") ||
                       has_bytes(data, size, NAME, "_rels/") || has_bytes(data, size, NAME, "docProps/") ||
                       has_bytes(data, size, NAME, "xl/");
    const int open = has_bytes(data, size, NAME, "mimetypeapplication/vnd.oasis.opendocument");
    *way_out = office || open ? "save the sheet as CSV" : "unpack it: unzip F";
    return office ? "a spreadsheet (XLSX)" : open ? "a spreadsheet (ODS)" : "a ZIP archive";
}

/* The filter by which jq makes a table of JSON: of objects, of an array of objects, or of one of arrays; NULL: it is no JSON. */
static const char *find_json(const unsigned char *data, size_t size)
{
    size_t i = 0;
    int array = 0;
    while (i < size && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t')) i++;
    if (i + 1 < size && data[i] == '[') {
        array = 1;
        for (i++; i < size && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r');) i++;
        if (i < size && data[i] == '[') return ".[] | @csv"; /* rows without names */
    }
    if (i >= size || data[i] != '{') return NULL;
    for (i++; i < size && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r');) i++;
    if (i >= size || (data[i] != '"' && data[i] != '}')) return NULL;
    return array ? ".[] | [.user, .item, .time] | @csv" : "[.user, .item, .time] | @csv";
}

/* Text in UTF-16 without a mark: every other byte is nothing. Which of them, as --encoding says it; NULL: it is none. */
static const char *find_wide(const unsigned char *data, size_t size)
{
    size_t even = 0, odd = 0, looked = size < 512 ? size & ~(size_t)1 : 512;
    for (size_t i = 0; i < looked; i++) *(i % 2 ? &odd : &even) += data[i] == 0;
    const size_t most = looked / 2 - looked / 16;
    if (looked < 16) return NULL;
    return even == 0 && odd >= most ? "utf-16le" : odd == 0 && even >= most ? "utf-16be" : NULL;
}

static int begins_with(const unsigned char *data, size_t size, const char *text)
{
    const size_t length = strlen(text);
    return size >= length && strncasecmp((const char *)data, text, length) == 0;
}

/* Statements, or the comments with which dumps begin. */
static int is_sql(const unsigned char *data, size_t size)
{
    static const char *const beginnings[] = {
        "-- MySQL dump", "-- MariaDB dump", "--\n-- PostgreSQL",  "/*!40",
        "INSERT INTO ",  "CREATE TABLE ",   "BEGIN TRANSACTION;", "PRAGMA foreign_keys"};
    for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
        if (begins_with(data, size, beginnings[k])) return 1;
    return 0;
}

/* date=2024-01-02 time=03:18:42 srcip=10.0.0.1 ..., as firewalls and many programs log: each word a name with its value. */
static int is_pairs(const unsigned char *data, size_t size)
{
    size_t at = 0;
    for (int lines = 0; lines < 2; lines++) {
        int words = 0, pairs = 0;
        for (; at < size && data[at] != '\n'; words++) {
            const size_t begin = at;
            size_t equals = 0;
            while (at < size && data[at] != ' ' && data[at] != '\n' && data[at] != '\t' && data[at] != ',') {
                if (data[at] == '=' && at > begin && !equals) equals = at;
                if (data[at] == '"' && equals) /* a value with blanks */
                    for (at++; at < size && data[at] != '"' && data[at] != '\n';) at++;
                if (at < size && data[at] != '\n') at++;
            }
            pairs += equals > 0;
            while (at < size && (data[at] == ' ' || data[at] == '\t' || data[at] == ',')) at++;
        }
        if (pairs < 3 || pairs < words) return 0;
        if (at < size) at++;
    }
    return 1;
}

/* 192.0.2.1 - - [02/Jan/2024:03:18:42 +0000] "GET ... */
static int is_access_log(const unsigned char *data, size_t size)
{
    const unsigned char *newline = memchr(data, '\n', size);
    const size_t line = newline ? (size_t)(newline - data) : size;
    const unsigned char *date = memchr(data, '[', line);
    const size_t rest = date ? line - (size_t)(date - data) : 0;
    return rest > 30 && date[3] == '/' && date[7] == '/' && date[12] == ':' && date[15] == ':' && date[27] == ']' &&
           date[29] == '"';
}

/* From alice@example.org Tue Jan  2 03:18:42 2024, and a line of a mail's head below. */
static int is_mailbox(const unsigned char *data, size_t size)
{
    const unsigned char *newline = memchr(data, '\n', size);
    if (!newline || size < 5 || memcmp(data, "From ", 5) != 0) return 0;
    const size_t next = (size_t)(newline - data) + 1, look = size - next < 60 ? size - next : 60;
    const unsigned char *colon = memchr(data + next, ':', look), *blank = memchr(data + next, ' ', look);
    return colon && blank && colon < blank && memchr(data, '@', next) != NULL;
}

static size_t count_digits(const unsigned char *p, const unsigned char *end)
{
    size_t count = 0;
    while (p + count < end && p[count] >= '0' && p[count] <= '9') count++;
    return count;
}

/* Jan  2 03:18:42 host program[123]: ... */
static int is_system_log(const unsigned char *data, size_t size)
{
    const unsigned char *newline = memchr(data, '\n', size);
    const size_t line = newline ? (size_t)(newline - data) : size;
    if (line < 20 || line > 4096 || data[3] != ' ' || data[6] != ' ' || data[9] != ':' || data[12] != ':' ||
        data[15] != ' ' || count_digits(data + 7, data + 9) != 2 || count_digits(data + 13, data + 15) != 2)
        return 0;
    for (size_t i = 16; i + 1 < line; i++)
        if (data[i] == ':' && data[i + 1] == ' ') return data[0] >= 'A' && data[0] <= 'Z';
    return 0;
}

/* [02.01.24, 03:18:42] Ann: ... or 1/2/24, 3:18 AM - Ann: ... */
static int is_chat(const unsigned char *data, size_t size)
{
    const unsigned char *end = data + (size < 80 ? size : 80), *p = data + (size && *data == '[');
    for (int part = 0; part < 3; part++) {
        const size_t digits = count_digits(p, end);
        p += digits;
        if (digits == 0 || digits > 4 || p + 2 >= end || (part < 2 && *p != '.' && *p != '/')) return 0;
        p += part < 2;
    }
    if (p[0] != ',' || p[1] != ' ' || count_digits(p + 2, end) == 0) return 0;
    for (p += 2; p + 2 < end && *p != '\n' && *p != ','; p++)
        if ((*data == '[' && p[0] == ']' && p[1] == ' ') || memcmp(p, " - ", 3) == 0) return 1;
    return 0;
}

/* commit 0123456789abcdef..., and the author below. */
static int is_git_log(const unsigned char *data, size_t size)
{
    const unsigned char *newline = memchr(data, '\n', size);
    return has_bytes(data, size, 0, "commit ") && newline &&
           (has_bytes(data, size, (size_t)(newline - data) + 1, "Author: ") ||
            has_bytes(data, size, (size_t)(newline - data) + 1, "Merge: "));
}

/* Text that is no table, which a command makes one of. */
static const struct {
    int (*is)(const unsigned char *data, size_t size);
    const char *what, *way_out;
} texts[] = {
    {is_sql, "an SQL dump",
     "write the table as CSV in the database, for example psql -c \"\\copy t to F.csv csv header\""},
    {is_access_log, "a web server's access log",
     "make a table of it first, for example awk '{print $1 \",\" $7 \",\" substr($4, 2)}' F > F.csv"},
    {is_pairs, "a log of name=value pairs",
     "make a table of the values first, for example sed -E 's/[^ =]+=//g' F > F.csv"},
    {is_mailbox, "a mailbox (mbox)",
     "a table with sender, recipient and date is needed, for example by Python's mailbox module"},
    {is_system_log, "a system log",
     "write source, destination and time, with the year that is not in it, into a table first, for example with "
     "awk"},
    {is_chat, "a chat (WhatsApp)",
     "make a table of who, the chat and when, for example sed -nE "
     "'s/^\\[?([^],]+), ([^]-]+)(\\]| -) ([^:]+): .*/\"\\4\",chat,\\1 \\2/p' F > F.csv"},
    {is_git_log, "printed by git log",
     "make a table instead, for example of authors, times and files: git log --name-only --pretty='@%ae|%aI' | "
     "awk '/^@/ {a = substr($0, 2); next} NF {print a \"|\" $0}' > F.csv"},
};

int sg_foreign_check_first(const char *file, const unsigned char *data, size_t size, scadyg_error *error)
{
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        if (size >= foreign[k].size && memcmp(data, foreign[k].bytes, foreign[k].size) == 0)
            return sg_fail(error, SCADYG_E_LAYOUT, "%s is %s: %s", file, foreign[k].what, foreign[k].way_out);
    return SCADYG_OK;
}

int sg_foreign_check(const char *file, const unsigned char *data, size_t size, scadyg_error *error)
{
    int status = sg_foreign_check_first(file, data, size, error);
    if (status) return status;
    const char *way_out = NULL, *zip = find_zip(data, size, &way_out);
    if (zip) return sg_fail(error, SCADYG_E_LAYOUT, "%s is %s: %s", file, zip, way_out);
    if (has_bytes(data, size, 257, "ustar"))
        return sg_fail(error, SCADYG_E_LAYOUT, "%s is a tar archive: unpack it: tar -xf F", file);
    const char *json = find_json(data, size);
    if (json)
        return sg_fail(error, SCADYG_E_LAYOUT, "%s is JSON: write it as CSV first, for example with jq -r '%s'",
                       file, json);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k].is(data, size))
            return sg_fail(error, SCADYG_E_LAYOUT, "%s is %s: %s", file, texts[k].what, texts[k].way_out);
    /* One at the very end may have its newline behind it. */
    if (size && memchr(data, '\r', size - 1) && !memchr(data, '\n', size))
        return sg_fail(error, SCADYG_E_LAYOUT,
                       "%s has the line ends of old Macs: convert it: tr '\\r' '\\n' < F > F.csv", file);
    if (begins_with(data, size, "<table") || begins_with(data, size, "<?xml") || begins_with(data, size, "<html") ||
        begins_with(data, size, "<!doc"))
        return sg_fail(error, SCADYG_E_LAYOUT, "%s is a page or a document (HTML, XML): a table in text is needed",
                       file);
    const char *wide = find_wide(data, size);
    if (wide)
        return sg_fail(error, SCADYG_E_LAYOUT, "%s looks like UTF-16 text, and has no mark: say --encoding %s",
                       file, wide);
    if (memchr(data, 0, size < 4096 ? size : 4096))
        return sg_fail(error, SCADYG_E_LAYOUT, "%s is a binary file, not text", file);
    return SCADYG_OK;
}
