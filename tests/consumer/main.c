/* A program of somebody else's: it uses every public header, and what it is linked with is all of the library. */
#include <scadyg.h>
#if __has_include(<scadyg_lab.h>)
#include <scadyg_lab.h>
#endif
#if __has_include(<scadyg_live.h>)
#include <scadyg_live.h>
#endif
#include <stdio.h>

int main(int count, char **arguments)
{
    /* Named, so that a static library has to bring what these need. */
    void (*volatile train)(void) = (void (*)(void))scadyg_train;
    void (*volatile import)(void) = (void (*)(void))scadyg_import;
    scadyg_events *events = NULL;
    scadyg_error error;
    if (!train || !import || count != 2) return 1;
    if (scadyg_events_open("missing.events", &events, &error) != SCADYG_E_IO) return 2;
    if (scadyg_events_open(arguments[1], &events, &error)) return 3;
    printf("%s %d\n", scadyg_version(), (int)scadyg_events_shape(events)->events);
    scadyg_events_close(events);
    return 0;
}
