/* The command line as it is, under another name than main. */
int sim_tool(int argc, char **argv);
#define main sim_tool
#include "../../../tools/cli/main.c"
