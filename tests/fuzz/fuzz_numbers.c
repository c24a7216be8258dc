/* Any text as a number or a date: what is understood, printed and read again is the same. */
#include "fuzz/fuzz.h"

#include "events/number_text.h"
#include "scadyg.h"

#include <math.h>
#include <string.h>

static void times(const char *text)
{
    for (int kind = SCADYG_TIME_NUMBER; kind <= SCADYG_TIME_DATETIME; kind++) {
        double time, again;
        scadyg_error error = {0};
        int status = scadyg_time_parse(kind, text, &time, &error);
        PROMISE(status == SCADYG_OK || (error.status == status && error.message[0]));
        if (status) continue;
        PROMISE(isfinite(time));
        char printed[64], human[64];
        scadyg_time_text(kind, time, printed);
        scadyg_time_human(kind, time, human);
        PROMISE(memchr(printed, 0, sizeof printed) && memchr(human, 0, sizeof human));
        PROMISE(scadyg_time_parse(kind, printed, &again, NULL) == SCADYG_OK);
        PROMISE(again == time);
    }
}

static void numbers(const char *text, size_t size)
{
    double value, again;
    char printed[32];
    int status = sg_parse_double(text, size, &value);
    if (status == 0) {
        /* The system's own reader, which is slow but trusted. It takes more than we do (hexadecimal, spaces).
         */
        char *end;
        double expected = strtod(text, &end);
        PROMISE(end == text + size && value == expected && signbit(value) == signbit(expected));
        size_t length = sg_print_double(value, printed);
        PROMISE(length < sizeof printed && sg_parse_double(printed, length, &again) == 0);
        PROMISE(memcmp(&again, &value, sizeof value) == 0 || again == value);
        float narrow = (float)value;
        if (isfinite(narrow)) {
            length = sg_print_float(narrow, printed);
            PROMISE(sg_parse_double(printed, length, &again) == 0 && (float)again == narrow);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 400) return 0;
    char *text = malloc(size + 1);
    PROMISE(text);
    if (size) memcpy(text, data, size);
    text[size] = 0;
    if (!memchr(text, 0, size)) times(text);
    numbers(text, size);
    if (size == sizeof(double)) {
        double value;
        memcpy(&value, data, sizeof value);
        char printed[64];
        for (int kind = SCADYG_TIME_NUMBER; kind <= SCADYG_TIME_DATETIME && isfinite(value); kind++) {
            double again;
            scadyg_time_text(kind, value, printed);
            PROMISE(scadyg_time_parse(kind, printed, &again, NULL) == SCADYG_OK && again == value);
        }
    }
    free(text);
    return 0;
}
