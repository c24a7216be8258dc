/*
 * Hashes for tables whose keys come from data. Each table draws a key of its own at random, so nobody who makes the data
 * can know which of its keys will meet in one slot, and a table takes linear time whatever it is filled with. Such hashes
 * differ from run to run: nothing that is written or learned may depend on them, nor on the order of slots.
 * For numbers that must be the same for ever there is sg_hash64 (base/rng.h).
 */
#ifndef SG_BASE_HASH_H
#define SG_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct sg_hash_key {
    uint64_t low, high, add[2];
} sg_hash_key;

sg_hash_key sg_hash_key_draw(void);

/*
 * A whole number: the upper half of a x + b modulo 2^128, for a and b of 128 bits, of which any two numbers have
 * independent, uniform values (Dietzfelbinger 1996); then mixed, so that even spacing does not survive either.
 */
static inline uint64_t sg_hash_number(const sg_hash_key *key, uint64_t x)
{
    const unsigned __int128 low = (unsigned __int128)key->low * x + key->add[0];
    uint64_t v = (uint64_t)(low >> 64) + key->high * x + key->add[1];
    v = (v ^ v >> 32) * 0x9E3779B97F4A7C15u;
    return v ^ v >> 32;
}

/* A text: SipHash-1-3. */
uint64_t sg_hash_text(const sg_hash_key *key, const char *text, size_t length);

#endif
