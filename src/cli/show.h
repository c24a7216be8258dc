/* What show shows, in its forms. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <jansson.h>

#include "session.h"

/* NULL without memory. */
json_t *show_json(const cli_session *session);

/* verbose: every option, not only those that differ from the defaults. */
void show_print(const cli_session *session, int verbose);

/* The node-specific matrix W_x at the session's time: session->predictor is open. Returns an exit code. */
int show_weights(const cli_call *call, const cli_session *session, const char *id);

#endif
