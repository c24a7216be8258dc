/* Hashes for tables whose keys come from data. */
#include "base/hash.h"

#include "base/rng.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

sg_hash_key sg_hash_key_draw(void)
{
    sg_hash_key key;
    if (getentropy(&key, sizeof key) == 0) return key;
    /* A kernel that has none: where the stack lies and what the clock says are better than what everybody knows. */
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed = (uint64_t)(uintptr_t)&key, stream = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
    return (sg_hash_key){sg_hash3(seed, stream, 0),
                         sg_hash3(seed, stream, 1),
                         {sg_hash3(seed, stream, 2), sg_hash3(seed, stream, 3)}};
}

/* ---- SipHash-1-3 (Aumasson and Bernstein) ---- */

static inline uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

typedef struct sip {
    uint64_t v[4];
} sip;

static inline sip sip_round(sip s)
{
    uint64_t a = s.v[0], b = s.v[1], c = s.v[2], d = s.v[3];
    a += b, b = rotate(b, 13) ^ a, a = rotate(a, 32);
    c += d, d = rotate(d, 16) ^ c;
    a += d, d = rotate(d, 21) ^ a;
    c += b, b = rotate(b, 17) ^ c, c = rotate(c, 32);
    return (sip){{a, b, c, d}};
}

static inline sip sip_word(sip s, uint64_t word)
{
    s.v[3] ^= word;
    s = sip_round(s);
    s.v[0] ^= word;
    return s;
}

uint64_t sg_hash_text(const sg_hash_key *key, const char *text, size_t length)
{
    sip s = {{key->low ^ 0x736F6D6570736575u, key->high ^ 0x646F72616E646F6Du, key->low ^ 0x6C7967656E657261u,
              key->high ^ 0x7465646279746573u}};
    uint64_t last = (uint64_t)length << 56;
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        s = sip_word(s, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, text, length);
    s = sip_word(s, last | rest);
    s.v[2] ^= 0xFF;
    s = sip_round(sip_round(sip_round(s)));
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}
