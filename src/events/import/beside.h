/* Files beside a log: feature matrices that belong to it by their names. */
#ifndef SG_EVENTS_IMPORT_BESIDE_H
#define SG_EVENTS_IMPORT_BESIDE_H

/*
 * For "DIR/ml_X.csv.gz" and ending ".npy": the first of "DIR/ml_X.npy", "DIR/ml_X.npy.gz", "DIR/ml_X.npy.zst" that
 * exists. *found is NULL if none does; free it. Returns -1 without memory.
 */
int sg_find_beside(const char *path, const char *ending, char **found);

#endif
