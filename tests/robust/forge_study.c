/*
 * Forges a study folder: a copy of a real one, structure and checksums as they were, with some of its contents replaced by
 * what an enemy would put there. The seed decides everything.
 *
 *   forge_study SEED STUDY FOLDER VICTIM
 *
 * VICTIM is a file outside that links lead to.
 */
#include "base/memory.h"
#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEED(condition)                                                                                            \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "forge_study: failed: %s\n", #condition);                                              \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

static sg_rng rng;

static size_t below(size_t count)
{
    return (size_t)sg_rng_below(&rng, count);
}

/* ---- Values that an enemy would write ---- */

static json_t *long_text(void)
{
    const size_t length = 1 + below(100000);
    char *text = malloc(length + 1);
    NEED(text);
    for (size_t i = 0; i < length; i++) text[i] = "<&\"'%n\\ a"[below(9)];
    json_t *value = json_stringn(text, length);
    free(text);
    return value;
}

static json_t *deep_list(void)
{
    json_t *value = json_array();
    for (size_t depth = below(2) ? below(20) : below(3000); depth > 0; depth--) {
        json_t *outer = below(2) ? json_pack("[o]", value) : json_pack("{s:o}", "mean", value);
        value = outer;
    }
    return value;
}

static json_t *hostile_value(void)
{
    static const double numbers[] = {0, -1, 0.5, 1e15, 1.7e308, -1.7e308, 5e-324, 1e-300, 9007199254740993.0, -0.0};
    static const json_int_t whole[] = {0, -1, 1, 16, 17, INT_MAX, LLONG_MAX, LLONG_MIN};
    static const char *const texts[] = {"",
                                        "\x1B[2J\x1B]0;owned\x07",
                                        "</script><script>alert(1)</script>",
                                        "\"><img src=x onerror=alert(1)>",
                                        "]]>",
                                        "%s%s%n",
                                        "`touch done`$(touch done)",
                                        "../../../victim",
                                        "/dev/zero",
                                        "\xE2\x80\xAEreversed",
                                        "\xC2\x9B",
                                        "paper:any",
                                        "mrr",
                                        "scadyg",
                                        "weights"};
    switch (below(8)) {
    case 0: return json_null();
    case 1: return json_boolean(below(2));
    case 2: return json_real(numbers[below(sizeof numbers / sizeof *numbers)]);
    case 3: return json_integer(whole[below(sizeof whole / sizeof *whole)]);
    case 4: return json_array();
    case 5: return json_object();
    case 6: return below(6) ? json_string(texts[below(sizeof texts / sizeof *texts)]) : long_text();
    default: return below(4) ? json_string(texts[below(sizeof texts / sizeof *texts)]) : deep_list();
    }
}

/* ---- Places in a value ---- */

typedef struct place {
    json_t *parent;
    const char *key; /* of an object; NULL: an entry of a list */
    size_t index;
    json_t *value;
} place;

typedef struct places {
    place *all;
    size_t count, room;
} places;

/* What a file is known by is mostly left alone: a folder that is refused at the door tests little. */
static int is_kept(const char *key)
{
    static const char *const kept[] = {"run",      "seed",       "checksum",  "config", "study",
                                       "variants", "first_seed", "protocols", "nodes",  "times"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(kept[i], key) == 0) return below(50) != 0;
    return 0;
}

static void add_place(places *p, place one)
{
    NEED(sg_grow(&p->all, &p->room, p->count + 1, sizeof *p->all) == 0);
    p->all[p->count++] = one;
}

static void find_places(json_t *value, int depth, places *p)
{
    const char *key;
    json_t *inner;
    size_t i;
    json_object_foreach(value, key, inner)
    {
        if (depth == 0 && is_kept(key)) continue;
        add_place(p, (place){value, key, 0, inner});
        find_places(inner, depth + 1, p);
    }
    json_array_foreach(value, i, inner)
    {
        add_place(p, (place){value, NULL, i, inner});
        find_places(inner, depth + 1, p);
    }
}

static void put_value(const place *at, json_t *value)
{
    NEED(value);
    NEED((at->key ? json_object_set_new(at->parent, at->key, value)
                  : json_array_set_new(at->parent, at->index, value)) == 0);
}

static void repeat_value(const place *at)
{
    const size_t times = below(5) ? 1 + below(40) : below(5000);
    for (size_t i = 0; i < times; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s-%zu", at->key ? at->key : "", i);
        json_t *copy = json_deep_copy(at->value);
        NEED((at->key ? json_object_set_new(at->parent, key, copy) : json_array_append_new(at->parent, copy)) == 0);
    }
}

/* One change; the places are those before it, so there is one for each search. */
static void change_value(json_t *root)
{
    places p = {0};
    find_places(root, 0, &p);
    if (p.count) {
        const place at = p.all[below(p.count)];
        switch (below(6)) {
        case 0: repeat_value(&at); break;
        case 1: put_value(&at, json_deep_copy(p.all[below(p.count)].value)); break;
        case 2:
            if (at.key)
                json_object_del(at.parent, at.key);
            else
                json_array_remove(at.parent, at.index);
            break;
        default: put_value(&at, hostile_value());
        }
    }
    free(p.all);
}

/* ---- Files ---- */

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    NEED(file && fseek(file, 0, SEEK_END) == 0);
    const long length = ftell(file);
    NEED(length >= 0);
    rewind(file);
    char *data = malloc((size_t)length + 1);
    NEED(data && fread(data, 1, (size_t)length, file) == (size_t)length);
    fclose(file);
    *size = (size_t)length;
    return data;
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    NEED(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void forge_json(const char *path)
{
    json_t *root = json_load_file(path, 0, NULL);
    if (!root) return; /* it was forged before */
    for (size_t changes = 1 + below(6); changes > 0; changes--) change_value(root);
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    if (text) write_file(path, text, strlen(text));
    free(text);
    json_decref(root);
}

static void forge_bytes(const char *path)
{
    size_t size;
    char *data = read_file(path, &size);
    for (size_t i = 1 + below(8); i > 0 && size; i--) data[below(size)] = (char)below(256);
    write_file(path, data, below(2) ? size : below(size + 1));
    free(data);
}

static void forge_kind(const char *path, const char *victim)
{
    NEED(unlink(path) == 0);
    switch (below(8)) {
    case 0: NEED(symlink(victim, path) == 0); break;
    case 1: NEED(symlink("nowhere/at/all", path) == 0); break;
    case 2: NEED(symlink("/dev/zero", path) == 0); break;
    case 3: NEED(mkfifo(path, 0666) == 0); break;
    case 4: NEED(mkdir(path, 0777) == 0); break;
    case 5: NEED(link(victim, path) == 0); break;
    case 6: break; /* gone */
    default: write_file(path, "", 0); NEED(truncate(path, (off_t)10 << 30) == 0);
    }
}

static int is_regular(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size < 1 << 24;
}

/* Contents mostly, and of those the structure. */
static void forge_file(const char *path, const char *victim)
{
    if (!is_regular(path)) return;
    const size_t length = strlen(path), how = below(20);
    if (how == 0)
        forge_kind(path, victim);
    else if (how == 1)
        forge_bytes(path);
    else if (length > 5 && strcmp(path + length - 5, ".json") == 0)
        forge_json(path);
}

/* ---- The folder ---- */

enum { MOST_FILES = 256 };

static char *files[MOST_FILES];
static size_t file_count;

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void copy_folder(const char *from, const char *to)
{
    DIR *listing = opendir(from);
    NEED(listing && mkdir(to, 0777) == 0);
    for (struct dirent *entry; (entry = readdir(listing));) {
        char source[PATH_MAX], target[PATH_MAX];
        if (entry->d_name[0] == '.') continue;
        NEED(snprintf(source, sizeof source, "%s/%s", from, entry->d_name) < PATH_MAX);
        NEED(snprintf(target, sizeof target, "%s/%s", to, entry->d_name) < PATH_MAX);
        if (!is_regular(source)) {
            copy_folder(source, target);
            continue;
        }
        size_t size;
        char *data = read_file(source, &size);
        write_file(target, data, size);
        free(data);
        NEED(file_count < MOST_FILES && (files[file_count++] = strdup(target)));
    }
    closedir(listing);
}

int main(int count, char **arguments)
{
    NEED(count == 5);
    sg_rng_seed(&rng, strtoull(arguments[1], NULL, 10), 0xf06);
    copy_folder(arguments[2], arguments[3]);
    qsort(files, file_count, sizeof *files, by_name); /* the order of a listing is not the seed's */
    NEED(file_count);
    for (size_t times = 1 + below(6); times > 0; times--) forge_file(files[below(file_count)], arguments[4]);
    for (size_t i = 0; i < file_count; i++) free(files[i]);
    return 0;
}
