/* Text that grows by lines, for reports to a person. */
#ifndef SG_BASE_TEXT_H
#define SG_BASE_TEXT_H

/* Appends a formatted line and a newline to *text (NULL: begins it). Returns -1 without memory. */
int sg_add_line(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
