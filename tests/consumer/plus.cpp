// The headers are C++ too.
#include <scadyg.h>
#if __has_include(<scadyg_lab.h>)
#include <scadyg_lab.h>
#endif
#if __has_include(<scadyg_live.h>)
#include <scadyg_live.h>
#endif
int main()
{
    return scadyg_version() == nullptr;
}
