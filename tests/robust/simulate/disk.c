/*
 * What a disk keeps when power is lost. Content is durable after an fsync of the file, a change of names after one of its
 * folder. What was not made durable may be there or not: of the changes in a folder the first ones are, as in a journal;
 * of a file's bytes any part is, the rest being zero or missing.
 */
#include "robust/simulate/simulate.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Following ---- */

static sim_inode *find_inode(sim_disk *disk, uint64_t number)
{
    for (size_t i = 0; i < disk->inode_count; i++)
        if (disk->inodes[i].number == number) return &disk->inodes[i];
    return NULL;
}

void sim_disk_written(sim_disk *disk, uint64_t number, uint64_t low, uint64_t high)
{
    sim_inode *inode = find_inode(disk, number);
    if (!inode && disk->inode_count == SIM_INODES) {
        disk->full = 1;
        return;
    }
    if (!inode) {
        inode = &disk->inodes[disk->inode_count++];
        *inode = (sim_inode){.number = number};
    }
    const int clean = inode->low == inode->high;
    if (clean || low < inode->low) inode->low = low;
    if (clean || high > inode->high) inode->high = high;
}

void sim_disk_synced(sim_disk *disk, uint64_t number, int failed)
{
    sim_inode *inode = find_inode(disk, number);
    if (!inode) return;
    if (failed) inode->poisoned = 1;
    if (!inode->poisoned) inode->low = inode->high = 0;
}

void sim_disk_new(sim_disk *disk, uint64_t number)
{
    sim_inode *inode = find_inode(disk, number);
    if (inode) *inode = disk->inodes[--disk->inode_count];
}

void sim_disk_named(sim_disk *disk, int kind, const char *path, const char *from, uint64_t victim)
{
    if (disk->naming_count == SIM_NAMINGS || strlen(path) >= SIM_PATH || strlen(from) >= SIM_PATH) {
        disk->full = 1;
        return;
    }
    sim_naming *naming = &disk->namings[disk->naming_count++];
    *naming = (sim_naming){.kind = kind, .victim = victim};
    strcpy(naming->path, path);
    strcpy(naming->from, from);
}

static int is_in(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/');
}

void sim_disk_folder_synced(sim_disk *disk, const char *folder)
{
    for (size_t i = 0; i < disk->naming_count; i++)
        if (is_in(disk->namings[i].path, folder)) disk->namings[i].durable = 1;
}

/* ---- Losing ---- */

/* Back to before a change of names. */
static int take_back(const sim_state *state, const sim_naming *naming)
{
    char grave[2 * SIM_PATH];
    struct stat status;
    snprintf(grave, sizeof grave, "%s/%llu", state->graves, (unsigned long long)naming->victim);
    if (naming->kind == SIM_MADE_FOLDER) return sim_remove(naming->path);
    if (naming->kind == SIM_MADE) return unlink(naming->path);
    if (naming->kind == SIM_RENAMED && rename(naming->path, naming->from)) return -1;
    if (!naming->victim) return 0;
    return lstat(naming->path, &status) == 0 ? -1 : link(grave, naming->path);
}

/* For each folder a number of changes, of those that are not durable, that the disk has. */
static int lose_names(sim_state *state, uint64_t seed)
{
    sim_disk *disk = &state->disk;
    for (size_t i = disk->naming_count; i-- > 0;) {
        const sim_naming *naming = &disk->namings[i];
        char folder[SIM_PATH];
        size_t before = 0, after = 0; /* changes in the same folder that are not durable */
        if (naming->durable) continue;
        snprintf(folder, sizeof folder, "%s", naming->path);
        *strrchr(folder, '/') = 0;
        for (size_t k = 0; k < disk->naming_count; k++) {
            const int same = !disk->namings[k].durable && is_in(disk->namings[k].path, folder);
            if (k < i) before += (size_t)same;
            if (k > i) after += (size_t)same;
        }
        const uint64_t drawn = sim_mix(
            seed ^ sim_hash_bytes(0, folder + strlen(state->folder), strlen(folder) - strlen(state->folder)));
        const size_t kept = drawn % (before + after + 2);
        if (before >= kept && take_back(state, naming)) return -1;
    }
    return 0;
}

static int damage(int fd, uint64_t size, const sim_inode *inode, uint64_t draw)
{
    const uint64_t low = inode->low, high = inode->high < size ? inode->high : size;
    static const char zeros[512];
    if (low >= high) return 0;
    switch (draw % 4) {
    case 0: return 0; /* it was written back in time */
    case 1: return ftruncate(fd, (off_t)(high == size ? low : size));
    case 2: return ftruncate(fd, (off_t)(high == size ? low + (draw >> 8) % (high - low) : size));
    default: break;
    }
    for (uint64_t at = low; at < high; at += sizeof zeros) {
        const uint64_t piece = high - at < sizeof zeros ? high - at : sizeof zeros;
        draw = sim_mix(draw);
        if ((at == low || draw % 2) && pwrite(fd, zeros, piece, (off_t)at) < 0) return -1;
    }
    return 0;
}

static sim_state *losing; /* nftw hands nothing on */
static uint64_t losing_seed;

static int lose_content(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)at;
    if (kind != FTW_F) return 0;
    const sim_inode *inode = find_inode(&losing->disk, status->st_ino);
    if (!inode) return 0;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    const uint64_t name = sim_hash_bytes(0, path + strlen(losing->folder), strlen(path) - strlen(losing->folder));
    const int failed = damage(fd, (uint64_t)status->st_size, inode, sim_mix(losing_seed ^ name));
    close(fd);
    return failed;
}

int sim_disk_lose_power(sim_state *state, uint64_t seed)
{
    losing = state;
    losing_seed = sim_mix(seed);
    if (lose_names(state, seed) || nftw(state->folder, lose_content, 16, FTW_PHYS)) return -1;
    state->disk.inode_count = state->disk.naming_count = 0;
    return 0;
}
