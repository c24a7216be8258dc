/* Lines: an input cut into lines, for small tables read in one go. */
#include "events/import/lines.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int sg_lines_read(sg_input *input, sg_take_line *take, void *context, scadyg_error *error)
{
    char *buffer = sg_alloc(SG_LINE_LONGEST + 1, 1); /* one more: the byte behind the last line */
    int status = buffer ? SCADYG_OK : sg_fail_memory(error, "a table"), ended = 0;
    size_t have = 0;
    uint64_t number = 0;
    while (!status && !ended) {
        size_t got = 0, at = 0;
        status = sg_input_read(input, buffer + have, SG_LINE_LONGEST - have, &got, error);
        ended = got < SG_LINE_LONGEST - have;
        have += got;
        if (number == 0 && have >= 3 && memcmp(buffer, "\xEF\xBB\xBF", 3) == 0) at = 3;
        const size_t begin = at;
        while (!status && at < have) {
            const char *newline = memchr(buffer + at, '\n', have - at);
            if (!newline && !ended) break;
            size_t end = newline ? (size_t)(newline - buffer) : have, length = end - at;
            if (length && buffer[end - 1] == '\r') length--;
            status = take(context, buffer + at, length, ++number, error);
            at = end + (newline != NULL);
        }
        if (!status && at == begin && !ended)
            status = sg_fail(error, SCADYG_E_INPUT, "%s:%llu:1: the line is too long", sg_input_name(input),
                             (unsigned long long)number + 1);
        if (at == begin) at = 0; /* the mark stays until a line has been taken */
        memmove(buffer, buffer + at, have - at);
        have -= at;
    }
    free(buffer);
    return status;
}
