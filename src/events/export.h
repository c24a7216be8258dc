/* Export: the name of the second file, which import looks for too. */
#ifndef SG_EVENTS_EXPORT_H
#define SG_EVENTS_EXPORT_H

/*
 * The name of the node features beside an exported or imported file: F.nodes.csv for F.csv, with the same .gz
 * or .zst at the end; for another name F, F.nodes.csv. To be freed; NULL: no memory.
 */
char *sg_nodes_path(const char *path);

#endif
