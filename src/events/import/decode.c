/* Decoding: text in UTF-16 or of old Windows programs becomes UTF-8. */
#include "events/import/decode.h"

#include <stdint.h>
#include <string.h>

int sg_text_encoding(int told, const unsigned char *first, size_t size, size_t *mark)
{
    const int little = size >= 2 && first[0] == 0xFF && first[1] == 0xFE;
    const int big = size >= 2 && first[0] == 0xFE && first[1] == 0xFF;
    const int wide =
        size >= 4 && little && first[2] == 0 && first[3] == 0; /* UTF-32, which is refused by its name */
    *mark = 0;
    if (told == SG_TEXT_UTF8 || told == SG_TEXT_WINDOWS) return told;
    if ((little || big) && !wide) {
        *mark = 2;
        return little ? SG_TEXT_UTF16LE : SG_TEXT_UTF16BE;
    }
    return told == SG_TEXT_AUTO ? SG_TEXT_UTF8 : told;
}

const char *sg_text_encoding_name(int encoding)
{
    if (encoding == SG_TEXT_WINDOWS) return "Windows-1252";
    return encoding == SG_TEXT_UTF16LE || encoding == SG_TEXT_UTF16BE ? "UTF-16" : NULL;
}

/* Windows-1252 from 0x80 on; 0: there is no letter. From 0xA0 on a byte is its own number. */
static const uint16_t windows[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                     0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static uint32_t read_unit(const unsigned char *in, int big)
{
    return (uint32_t)in[big ? 0 : 1] << 8 | in[big ? 1 : 0];
}

/* The letter at in[0]; returns its bytes, 0 if they are not all there. A half of a pair is a letter by itself. */
static size_t read_letter(int encoding, const unsigned char *in, size_t size, uint32_t *letter)
{
    if (encoding == SG_TEXT_WINDOWS) {
        *letter = *in < 0x80 || *in >= 0xA0 ? *in : windows[*in - 0x80] ? windows[*in - 0x80] : 0xD800u + *in;
        return 1;
    }
    const int big = encoding == SG_TEXT_UTF16BE;
    if (size < 2) return 0;
    *letter = read_unit(in, big);
    if (*letter >> 10 != 0xD800 >> 10) return 2;
    if (size < 4) return 0;
    const uint32_t low = read_unit(in + 2, big);
    if (low >> 10 != 0xDC00 >> 10) return 2;
    *letter = 0x10000 + ((*letter & 0x3FF) << 10 | (low & 0x3FF));
    return 4;
}

static size_t write_letter(uint32_t letter, unsigned char *out)
{
    const size_t size = letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t k = size; k-- > 1; letter >>= 6) out[k] = (unsigned char)(0x80 | (letter & 63));
    out[0] = (unsigned char)(lead[size] | letter);
    return size;
}

size_t sg_text_decode(int encoding, const unsigned char *in, size_t size, size_t *used, unsigned char *out,
                      size_t room)
{
    size_t at = 0, made = 0;
    while (at < size) {
        uint32_t letter;
        unsigned char bytes[4];
        const size_t read = read_letter(encoding, in + at, size - at, &letter);
        if (!read) break;
        const size_t wrote = write_letter(letter, bytes);
        if (made + wrote > room) break;
        memcpy(out + made, bytes, wrote);
        made += wrote;
        at += read;
    }
    *used = at;
    return made;
}
