/* Numbers as people write them: decimal commas, signs between thousands, currencies, true and false. */
#ifndef SG_EVENTS_IMPORT_AMOUNT_H
#define SG_EVENTS_IMPORT_AMOUNT_H

#include <stddef.h>

/*
 * Reads "1234.5", "1,234.50", "1'234.50", "$12.50", "12.50 EUR", "12.50 DR", "45%", "true" and "no" (1 and 0); with decimal_comma "1.234,50" and
 * "12,5" instead. As sg_parse_double: 0, or 1: it is not finite, or -1: it is no number.
 */
int sg_parse_amount(const char *text, size_t length, int decimal_comma, double *value);

/* Whether a currency stands beside the number: a small number for which, from 1 to SG_CURRENCIES; 0: none. */
int sg_is_money(const char *text, size_t length);

#define SG_CURRENCIES 24

/* Its letters. */
const char *sg_currency(int money);

#endif
