/* Text that grows by lines, for reports to a person. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sg_add_line(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t used = *text ? strlen(*text) : 0;
    char *grown = realloc(*text, used + (size_t)length + 2);
    if (!grown) return -1;
    va_start(arguments, format);
    vsnprintf(grown + used, (size_t)length + 1, format, arguments);
    va_end(arguments);
    memcpy(grown + used + length, "\n", 2);
    *text = grown;
    return 0;
}
