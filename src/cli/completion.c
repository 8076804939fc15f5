/* SPDX-License-Identifier: Apache-2.0 */
/* Completions for bash, zsh and fish from the option tables; see help.h. */
#include "cli/help.h"

#include <string.h>

/* "dusk release" -> "release"; the program itself has an empty name. */
static const char *short_name(const dusk_command *command)
{
    const char *space = strchr(command->name, ' ');
    return space ? space + 1 : "";
}

static bool wants_file(const dusk_option *option)
{
    return option->argument && (!strcmp(option->argument, "FILE") || !strcmp(option->argument, "DIR"));
}

/* "this|that" -> "this that". */
static void put_choices(FILE *file, const char *choices)
{
    for (; *choices; choices++) fputc(*choices == '|' ? ' ' : *choices, file);
}

static void put_command_names(FILE *file, const dusk_command *const *commands)
{
    for (size_t i = 1; commands[i]; i++) fprintf(file, "%s%s", i > 1 ? " " : "", short_name(commands[i]));
}

/* Text between single quotes of a shell; `special` characters get a backslash. */
static void put_quoted(FILE *file, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", file);
            continue;
        }
        if (strchr(special, *text)) fputc('\\', file);
        fputc(*text, file);
    }
}

/* "lot= epochs=" of what an operand lets be set. */
static void put_setting_names(FILE *file, const dusk_operand *operand)
{
    dusk_setting_words setting;
    for (size_t i = 0; operand->setting(operand->name, i, &setting); i++)
        fprintf(file, "%s%s=", i > 0 ? " " : "", setting.name);
}

/* Whether the operands of a command say by themselves which options there are. */
static bool tells_options(const dusk_command *command) { return dusk_option_that_sets(command) != NULL; }

static bool takes(const dusk_operand *operand, const char *option)
{
    return dusk_options_listed(operand->needs, option) || dusk_options_listed(operand->takes, option);
}

/* Whether some operands refuse the option. */
static bool is_partial(const dusk_command *command, const char *option)
{
    for (const dusk_operand *operand = command->operands; tells_options(command) && operand->name; operand++)
        if (!takes(operand, option)) return true;
    return false;
}

/* The operands that take it, `between` them. */
static void put_takers(FILE *file, const dusk_command *command, const char *option, const char *between)
{
    const char *before = "";
    for (const dusk_operand *operand = command->operands; operand->name; operand++) {
        if (!takes(operand, option)) continue;
        fprintf(file, "%s%s", before, operand->name);
        before = between;
    }
}

/* ---- bash -------------------------------------------------------------------- */

/* Settings and their values, by the operand. bash takes "=" for a word, unless it was told otherwise. */
static void bash_settings(FILE *file, const dusk_command *command)
{
    dusk_setting_words setting;
    fprintf(file, "_dusk_%s_settings()\n{\n    case ${COMP_WORDS[2]} in\n", short_name(command));
    for (const dusk_operand *operand = command->operands; operand->name; operand++) {
        if (!dusk_help_leads_settings(command, operand)) continue;
        fputs("    ", file);
        dusk_help_put_alike(file, command, operand, "|");
        fputs(")\n        case $1 in\n", file);
        for (size_t i = 0; operand->setting(operand->name, i, &setting); i++) {
            if (!setting.choices) continue;
            fprintf(file, "        %s) words='", setting.name);
            put_choices(file, setting.choices);
            fputs("' ;;\n", file);
        }
        fputs("        '') words='", file);
        put_setting_names(file, operand);
        fputs("' ;;\n        esac ;;\n", file);
    }
    fputs("    esac\n}\n", file);
}

/* After the option, with "=" or without, names; after a name and "=" values. */
static void bash_setting(FILE *file, const char *command, const char *option)
{
    fprintf(file,
            ") _dusk_%s_settings ''; compopt +o filenames -o nospace 2>/dev/null ;;\n"
            "        =) case \" ${COMP_WORDS[*]:at-4:3} \" in\n"
            "           *' --%s '*) _dusk_%s_settings \"${COMP_WORDS[at-2]#--%s}\"\n"
            "               case $words in *=) compopt +o filenames -o nospace 2>/dev/null ;; esac ;;\n"
            "           *) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
            "           esac ;;\n",
            command, option, command, option);
}

/* Options, less those that the operand refuses. */
static void bash_options(FILE *file, const dusk_command *command)
{
    fprintf(file, "_dusk_%s_options()\n{\n    words='--help -h ", short_name(command));
    for (const dusk_option *option = command->options; option->name; option++)
        if (!is_partial(command, option->name)) fprintf(file, "--%s ", option->name);
    fputs("'\n", file);
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!is_partial(command, option->name)) continue;
        fputs("    case ${COMP_WORDS[2]} in ", file);
        put_takers(file, command, option->name, "|");
        fprintf(file, ") words+='--%s ' ;; esac\n", option->name);
    }
    fputs("}\n", file);
}

static void bash_values(FILE *file, const dusk_command *command)
{
    fputs("        case $previous in\n", file);
    for (const dusk_option *option = command->options; option->name; option++) {
        if (option->type == DUSK_OPTION_FLAG) continue;
        fprintf(file, "        --%s", option->name);
        if (option->letter) fprintf(file, "|-%c", option->letter);
        if (option->type == DUSK_OPTION_CHOICE) {
            fputs(") words='", file);
            put_choices(file, dusk_option_choices(option));
            fputs("' ;;\n", file);
        } else if (option->sets) {
            bash_setting(file, short_name(command), option->name);
        } else {
            fprintf(file, ") %s; return ;;\n",
                    wants_file(option) ? "COMPREPLY=($(compgen -f -- \"$current\"))" : ":");
        }
    }
    fputs("        *) case $current in\n           -*) ", file);
    if (tells_options(command)) {
        fprintf(file, "_dusk_%s_options ;;\n", short_name(command));
        return;
    }
    fputs("words='", file);
    for (const dusk_option *option = command->options; option->name; option++)
        fprintf(file, "--%s ", option->name);
    fputs("--help -h' ;;\n", file);
}

static void bash_command(FILE *file, const dusk_command *command, const dusk_command *const *commands)
{
    fprintf(file, "    '%s')\n", short_name(command));
    bash_values(file, command);
    if (!command->operands) {
        fputs("           *) words='", file);
        put_command_names(file, commands);
        fputs("' ;;\n", file);
    } else {
        fputs("           *) if [ \"$COMP_CWORD\" -eq 2 ]; then words='", file);
        for (const dusk_operand *operand = command->operands; operand->name; operand++)
            fprintf(file, "%s%s", operand == command->operands ? "" : " ", operand->name);
        fputs("'\n              else COMPREPLY=($(compgen -f -- \"$current\")); return; fi ;;\n", file);
    }
    fputs("           esac ;;\n        esac ;;\n", file);
}

void dusk_completion_bash(FILE *file, const dusk_command *const *commands)
{
    fputs("# bash completion of dusk; made by: dusk --generate bash\n", file);
    for (size_t i = 1; commands[i]; i++)
        if (tells_options(commands[i])) {
            bash_settings(file, commands[i]);
            bash_options(file, commands[i]);
        }
    fputs("_dusk()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' "
          "command=''\n"
          "    if [ \"$COMP_CWORD\" -gt 1 ]; then command=${COMP_WORDS[1]}; fi\n"
          /* the cursor is behind "=", which is a word */
          "    local at=$COMP_CWORD\n"
          "    if [ \"$current\" = = ]; then current='' previous='=' at=$((at + 1)); fi\n"
          "    case $command in\n",
          file);
    for (size_t i = 1; commands[i]; i++) bash_command(file, commands[i], commands);
    bash_command(file, commands[0], commands);
    fputs("    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
          "complete -o filenames -F _dusk dusk\n",
          file);
}

/* ---- zsh --------------------------------------------------------------------- */

/* '(-e --epsilon)'{-e,--epsilon}'[help]:E:action' */
static void zsh_option(FILE *file, const dusk_command *command, const dusk_option *option)
{
    const char *equals = option->type == DUSK_OPTION_FLAG ? "" : "=";
    fputs(option->type == DUSK_OPTION_LIST ? "        '*'" : "        ", file); /* may come again */
    if (option->letter)
        fprintf(file, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
                *equals ? "+" : "", option->name, equals);
    else
        fprintf(file, "'--%s%s[", option->name, equals);
    put_quoted(file, option->help, "[]:");
    fputc(']', file);
    if (option->type == DUSK_OPTION_CHOICE) {
        fprintf(file, ":%s:(", option->name);
        put_choices(file, dusk_option_choices(option));
        fputc(')', file);
    } else if (option->sets) {
        fprintf(file, ":%s:_dusk_%s_settings", option->name, short_name(command));
    } else if (option->argument) {
        fprintf(file, ":%s:%s", option->name, wants_file(option) ? "_files" : "");
    }
    fputs("' \\\n", file);
}

/* Called with the words from the command on: the operand is the second. */
static void zsh_settings(FILE *file, const dusk_command *command)
{
    dusk_setting_words setting;
    fprintf(file, "_dusk_%s_settings()\n{\n    local name=''\n", short_name(command));
    fputs("    if compset -P '*='; then name=${${IPREFIX%=}##*=}; fi\n    case $words[2] in\n", file);
    for (const dusk_operand *operand = command->operands; operand->name; operand++) {
        if (!dusk_help_leads_settings(command, operand)) continue;
        fputs("    ", file);
        dusk_help_put_alike(file, command, operand, "|");
        fputs(")\n        case $name in\n", file);
        for (size_t i = 0; operand->setting(operand->name, i, &setting); i++) {
            if (!setting.choices) continue;
            fprintf(file, "        %s) compadd -- ", setting.name);
            put_choices(file, setting.choices);
            fputs(" ;;\n", file);
        }
        fputs("        '') compadd -S '' -- ", file);
        put_setting_names(file, operand);
        fputs(" ;;\n        esac ;;\n", file);
    }
    fputs("    esac\n}\n\n", file);
}

static void zsh_command(FILE *file, const dusk_command *command)
{
    fprintf(file, "_dusk_%s()\n{\n", short_name(command));
    fprintf(file, "    local -a operands\n    operands=(\n");
    for (const dusk_operand *operand = command->operands; operand && operand->name; operand++) {
        fprintf(file, "        '%s:", operand->name);
        put_quoted(file, operand->summary, ":");
        fputs("'\n", file);
    }
    fputs("    )\n", file);
    if (tells_options(command)) fputs("    local -a partial\n    partial=()\n", file);
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!is_partial(command, option->name)) continue;
        fputs("    case $words[2] in\n    ", file);
        put_takers(file, command, option->name, "|");
        fputs(") partial+=( \\\n", file);
        zsh_option(file, command, option);
        fputs("        ) ;;\n    esac\n", file);
    }
    fprintf(file, "    _arguments -s -S%s \\\n", tells_options(command) ? " $partial" : "");
    for (const dusk_option *option = command->options; option->name; option++)
        if (!is_partial(command, option->name)) zsh_option(file, command, option);
    fputs("        '(- *)'{-h,--help}'[help]' \\\n"
          "        '1:operand:{_describe operand operands}' \\\n"
          "        '*:file:_files'\n}\n\n",
          file);
}

void dusk_completion_zsh(FILE *file, const dusk_command *const *commands)
{
    fputs("#compdef dusk\n# zsh completion of dusk; made by: dusk --generate zsh\n\n", file);
    for (size_t i = 1; commands[i]; i++) {
        if (dusk_option_that_sets(commands[i])) zsh_settings(file, commands[i]);
        zsh_command(file, commands[i]);
    }
    fputs("_dusk()\n{\n    local -a commands\n    commands=(\n", file);
    for (size_t i = 1; commands[i]; i++) {
        fprintf(file, "        '%s:", short_name(commands[i]));
        put_quoted(file, commands[i]->summary, ":");
        fputs("'\n", file);
    }
    fputs("    )\n    if (( CURRENT > 2 )); then\n        local command=$words[2]\n"
          "        shift words\n        (( CURRENT-- ))\n"
          "        (( $+functions[_dusk_$command] )) && _dusk_$command\n        return\n    fi\n"
          "    _arguments -S \\\n",
          file);
    for (const dusk_option *option = commands[0]->options; option->name; option++)
        zsh_option(file, commands[0], option);
    fputs("        '(- *)'{-h,--help}'[help]' \\\n        '1:command:{_describe command commands}'\n}\n\n"
          "_dusk \"$@\"\n",
          file);
}

/* ---- fish -------------------------------------------------------------------- */

static void fish_option(FILE *file, const dusk_command *command, const dusk_option *option,
                        const char *condition)
{
    fprintf(file, "complete -c dusk -n '%s", condition);
    if (is_partial(command, option->name)) {
        fputs("; and __fish_seen_subcommand_from ", file);
        put_takers(file, command, option->name, " ");
    }
    fprintf(file, "' -l %s", option->name);
    if (option->letter) fprintf(file, " -s %c", option->letter);
    if (option->type == DUSK_OPTION_CHOICE) {
        fputs(" -x -a '", file);
        put_choices(file, dusk_option_choices(option));
        fputc('\'', file);
    } else if (option->type != DUSK_OPTION_FLAG) {
        fputs(wants_file(option) ? " -r -F" : " -x", file);
    }
    fputs(" -d '", file);
    /* fish knows \' and \\ between single quotes, and nothing else */
    for (const char *c = option->help; *c; c++) {
        if (*c == '\'' || *c == '\\') fputc('\\', file);
        fputc(*c, file);
    }
    fputs("'\n", file);
}

static void fish_word(FILE *file, const char *condition, const char *word, const char *says)
{
    fprintf(file, "complete -c dusk -n '%s' -f -a %s -d '", condition, word);
    for (const char *c = says; *c; c++) {
        if (*c == '\'' || *c == '\\') fputc('\\', file);
        fputc(*c, file);
    }
    fputs("'\n", file);
}

/* "lot=", and where there are choices "sampler=poisson", of the operands that are named on the line. */
static void fish_settings(FILE *file, const dusk_command *command, const char *condition)
{
    const dusk_option *option = dusk_option_that_sets(command);
    dusk_setting_words setting;
    for (const dusk_operand *operand = command->operands; option && operand->name; operand++) {
        if (!dusk_help_leads_settings(command, operand)) continue;
        fprintf(file, "complete -c dusk -n '%s; and __fish_seen_subcommand_from ", condition);
        dusk_help_put_alike(file, command, operand, " ");
        fprintf(file, "' -l %s -x -a '", option->name);
        for (size_t i = 0; operand->setting(operand->name, i, &setting); i++) {
            const char *choice = setting.choices ? setting.choices : "";
            do {
                const size_t length = strcspn(choice, "|");
                fprintf(file, "%s=%.*s ", setting.name, (int)length, choice);
                choice += length + (choice[length] != '\0');
            } while (*choice);
        }
        fputs("'\n", file);
    }
}

void dusk_completion_fish(FILE *file, const dusk_command *const *commands)
{
    fputs("# fish completion of dusk; made by: dusk --generate fish\n", file);
    for (size_t i = 1; commands[i]; i++) {
        char condition[128], first[192];
        const char *name = short_name(commands[i]);
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", name);
        snprintf(first, sizeof first, "test (count (commandline -opc)) -eq 2; and %s", condition);
        fish_word(file, "__fish_use_subcommand", name, commands[i]->summary);
        for (const dusk_operand *operand = commands[i]->operands; operand && operand->name; operand++)
            fish_word(file, first, operand->name, operand->summary);
        for (const dusk_option *option = commands[i]->options; option->name; option++)
            fish_option(file, commands[i], option, condition);
        if (commands[i]->operands) fish_settings(file, commands[i], condition);
    }
    for (const dusk_option *option = commands[0]->options; option->name; option++)
        fish_option(file, commands[0], option, "__fish_use_subcommand");
    fputs("complete -c dusk -s h -l help -d 'help'\n", file);
}
