/* Completion for bash: commands, options, choices and file names, written out from the tables. */
#include "help.h"

#include <stdio.h>
#include <string.h>

static void option_words(const cli_command *command)
{
    const scadyg_option *option;
    for (size_t i = 0; (option = cli_option_at(command, i, NULL)); i++) {
        if (cli_option_hidden(option)) continue;
        printf(" --%s", option->name);
        if (option->letter) printf(" -%c", option->letter);
    }
}

/* The case of one option that takes an argument: its choices, file names, or nothing. */
static void argument_case(const cli_command *command, const scadyg_option *option)
{
    printf("        '%s --%s'", command->name, option->name);
    if (option->letter) printf(" | '%s -%c'", command->name, option->letter);
    if (cli_option_takes_file(option)) {
        printf(") return ;;\n");
        return;
    }
    printf(") words='");
    const char *entry;
    for (const cli_entries *e = command->entries; e && e->at; e++)
        for (size_t i = 0; strcmp(e->option, option->name) == 0 && (entry = e->at(i, &(const char *){NULL})); i++)
            printf(" %s", entry);
    /* NAME=..., where the names are those of the options. */
    size_t count = 0;
    const scadyg_option *table = option->kind == CLI_OPTION_EACH ? command->library_options(&count) : NULL;
    for (size_t i = 0; i < count; i++) printf(" %s=", table[i].name);
    for (const char *c = option->choices ? option->choices : ""; *c; c++) putchar(*c == '|' ? ' ' : *c);
    printf("' ;;\n");
}

static void argument_cases(void)
{
    for (size_t c = 0; c < cli_command_count; c++) {
        const scadyg_option *option;
        for (size_t i = 0; (option = cli_option_at(cli_commands[c], i, NULL)); i++)
            if (option->argument && option->kind != CLI_OPTION_LIST && !cli_option_hidden(option))
                argument_case(cli_commands[c], option);
    }
}

static void command_words(void)
{
    for (size_t i = 0; i < cli_command_count; i++) printf(" %s", cli_commands[i]->name);
}

void cli_completion(void)
{
    printf("# bash completion for scadyg. With 'complete -o default', no answer means file names.\n"
           "_scadyg()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
           "command=${COMP_WORDS[1]} words\n"
           "    COMPREPLY=()\n"
           "    # --name=value comes in three words.\n"
           "    if [[ $cur == '=' ]]; then\n"
           "        cur=''\n"
           "    elif [[ $prev == '=' ]]; then\n"
           "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '");
    command_words();
    printf(" --help --version' -- \"$cur\")\n"
           "        return\n"
           "    fi\n"
           "    case \"$command $prev\" in\n");
    argument_cases();
    printf("        'help '*) words='");
    command_words();
    printf("' ;;\n"
           "    esac\n"
           "    if [[ -z ${words+set} ]]; then\n"
           "        [[ $cur == -* ]] || return\n"
           "        case $command in\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        printf("            %s) words='", cli_commands[i]->name);
        option_words(cli_commands[i]);
        printf("' ;;\n");
    }
    printf("        esac\n"
           "    fi\n"
           "    compopt +o default 2>/dev/null\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
           "    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
           "}\n"
           "complete -o default -o bashdefault -F _scadyg scadyg\n");
}
