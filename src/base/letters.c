/* Letters of text that came from anywhere. */
#include "base/letters.h"

size_t sg_letter(const char *text, uint32_t *letter)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    const size_t size = byte[0] < 0x80       ? 1
                        : byte[0] >> 5 == 6  ? 2
                        : byte[0] >> 4 == 14 ? 3
                        : byte[0] >> 3 == 30 ? 4
                                             : 0;
    *letter = size > 1 ? byte[0] & (0xFFU >> (size + 1)) : byte[0];
    for (size_t i = 1; i < size; i++) {
        if (byte[i] >> 6 != 2) return 0; /* the end of the text is none of these either */
        *letter = *letter << 6 | (byte[i] & 0x3F);
    }
    const int none = *letter > 0x10FFFF || *letter >> 11 == 0x1B; /* half of a pair of UTF-16 */
    return none || *letter < least[size] ? 0 : size;
}

int sg_letter_steers(uint32_t letter)
{
    return letter < 0x20 || (letter >= 0x7F && letter < 0xA0) || /* controls */
           (letter >= 0x2028 && letter <= 0x202E) ||             /* ends of lines and paragraphs; directions */
           (letter >= 0x2066 && letter <= 0x2069) || letter == 0x200E || letter == 0x200F || letter == 0x061C;
}

size_t sg_letter_shown(const char *text)
{
    uint32_t letter;
    const size_t size = sg_letter(text, &letter);
    return size && !sg_letter_steers(letter) ? size : 0;
}

int sg_text_cut(const char *text, size_t length, size_t most)
{
    if (length <= most) return (int)length;
    while (most > 0 && ((unsigned char)text[most] & 0xC0) == 0x80) most--;
    return (int)most;
}

void sg_text_calm(char *text)
{
    char *out = text;
    for (uint32_t letter; *text;) {
        const size_t size = sg_letter(text, &letter), shown = size && !sg_letter_steers(letter) ? size : 0;
        if (!shown) *out++ = '?';
        for (size_t i = 0; i < shown; i++) *out++ = text[i];
        text += size ? size : 1;
    }
    *out = 0;
}
