/*
 * Failing calls at will. A test program linked with tests/robust/faults.c and the linker's --wrap option for
 * each function below sends the library's calls of them through here, where the n-th one can be made to fail.
 */
#ifndef TESTS_ROBUST_FAULTS_H
#define TESTS_ROBUST_FAULTS_H

enum {
    FAULTS_MEMORY = 1, /* malloc, calloc, realloc, posix_memalign, strdup, strndup: as if memory were out */
    FAULTS_WRITE = 2,  /* write, pwrite, ftruncate, fsync, linkat, rename: ENOSPC or EIO; also writes cut short */
    FAULTS_OPEN = 4,   /* open, openat: EMFILE */
    FAULTS_READ = 8,   /* read, pread, mmap, fstat: EIO, ENOMEM */
    FAULTS_NO_TMPFILE = 16 /* not a failure: no unnamed files, as on file systems that have none */
};

/* From now on calls of these kinds are counted and the n-th fails (n = 0: none); with `on` all later ones
 * too. */
void faults_arm(unsigned kinds, long n, int on);

/* Stops, and says how many calls were made to fail. */
long faults_disarm(void);

/* The name of the function that failed first. */
const char *faults_name(void);

#endif
