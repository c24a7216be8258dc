/* Decoding: text in UTF-16, as Excel writes it, or of old Windows programs becomes UTF-8. */
#ifndef SG_EVENTS_IMPORT_DECODE_H
#define SG_EVENTS_IMPORT_DECODE_H

#include <stddef.h>

/* As --encoding names them; AUTO: what the first bytes say, else UTF-8. */
enum { SG_TEXT_AUTO, SG_TEXT_UTF8, SG_TEXT_UTF16LE, SG_TEXT_UTF16BE, SG_TEXT_WINDOWS };

#define SG_TEXT_MARK 4 /* first bytes of a text that are looked at */

/* The encoding of a text that begins so, where `told` is told. *mark is the size of its byte order mark, if that is to go. */
int sg_text_encoding(int told, const unsigned char *first, size_t size, size_t *mark);

/* "UTF-16", "Windows-1252"; NULL: it is taken as it is. */
const char *sg_text_encoding_name(int encoding);

/*
 * Decodes as much as there is whole and as there is room for; *used bytes of it. Returns how many bytes it made. Half of a
 * pair of UTF-16 becomes what UTF-8 has no place for, so that it is found where text is checked.
 */
size_t sg_text_decode(int encoding, const unsigned char *in, size_t size, size_t *used, unsigned char *out,
                      size_t room);

#endif
