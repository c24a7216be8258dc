/*
 * Letters of text that came from anywhere. What a person is shown, in a line or on a page, holds only letters: nothing
 * that steers a terminal, ends a line, or turns the direction in which the words around it are read.
 */
#ifndef SG_BASE_LETTERS_H
#define SG_BASE_LETTERS_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of the first letter of a text that is not empty, and its number; 0 bytes if they are no UTF-8. */
size_t sg_letter(const char *text, uint32_t *letter);

/* Whether a letter steers what shows it instead of being shown. */
int sg_letter_steers(uint32_t letter);

/* Bytes at the beginning of a text, not empty, that may be shown as they are: those of one letter, or 0. */
size_t sg_letter_shown(const char *text);

/* How many of `length` bytes are shown where at most `most` are to be: no letter by half. For "%.*s". */
int sg_text_cut(const char *text, size_t length, size_t most);

/* Puts a question mark in the place of everything that may not be shown; the text may become shorter. */
void sg_text_calm(char *text);

#endif
