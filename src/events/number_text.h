/*
 * Numbers and their text, exactly and fast: what is printed reads back to the same value, whatever the
 * locale.
 */
#ifndef SG_EVENTS_NUMBER_TEXT_H
#define SG_EVENTS_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a decimal number (sign, point and exponent allowed) that fills the whole field; the nearest double.
 * Returns 0; -1 if it is not a number; 1 if it is not finite: nan, inf, or beyond the range of double.
 */
int sg_parse_double(const char *p, size_t length, double *value);

/*
 * Writes a number with the fewest correctly rounded digits that read back to it, and returns the length; a
 * terminator follows. Whole numbers below 2^53 have neither exponent nor point.
 */
size_t sg_print_double(double value, char buffer[32]);

/* The same for a float: the text, read as double and rounded to float, is the same float. */
size_t sg_print_float(float value, char buffer[32]);

/* Writes a whole number without terminator and returns its length. */
size_t sg_print_integer(int64_t value, char buffer[24]);

/*
 * The decimal digits behind sg_print_double for value > 0: value = 0.DIGITS * 10^(*exponent). No zeros at
 * either end. Returns how many digits there are, at most 17; a terminator follows.
 */
int sg_shortest_digits(double value, char digits[24], int *exponent);

#endif
