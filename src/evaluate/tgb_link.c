#include "evaluate/court.h"
int sg_judge_tgb(sg_court *court, scadyg_error *error)
{
    (void)court;
    return sg_fail(error, SCADYG_E_USAGE, "not yet");
}
