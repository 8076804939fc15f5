/* SPDX-License-Identifier: Apache-2.0 */
/* dusk: the program. Finds the command, lets its table read the words, and
 * runs it. Everything that is said about commands is made from their tables. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/account.h"
#include "cli/ask.h"
#include "cli/attack.h"
#include "cli/audit.h"
#include "cli/collect.h"
#include "cli/file.h"
#include "cli/help.h"
#include "cli/model.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/release.h"

typedef struct program_settings {
    bool version;
    int generate;
} program_settings;

static const dusk_option program_options[] = {
    { .name = "version",
      .letter = 'V',
      .type = DUSK_OPTION_FLAG,
      .offset = offsetof(program_settings, version),
      .heading = "Options",
      .help = "print the version" },
    { .name = "generate",
      .argument = "man|bash|zsh|fish",
      .type = DUSK_OPTION_CHOICE,
      .offset = offsetof(program_settings, generate),
      .sample = "bash",
      .heading = "Options",
      .help = "write the man pages into the folder DIR, or a shell's completions to standard output" },
    { .name = NULL },
};

static const dusk_section program_sections[] = {
    { "Description",
      "See the crowd, not the faces. Dusk answers questions about private data with differential privacy:"
      " an answer says nearly the same whether or not any one person is in the data, and every answer "
      "comes with a statement of what was promised and how.\n"
      "Noise is drawn exactly, from the operating system's entropy, on a grid fixed before the data is "
      "seen. There is no seed to set.\n"
      "Answers go to standard output and everything else to standard error, so that answers can be piped." },
    { NULL, NULL },
};

static const dusk_example program_examples[] = {
    { "release a count of 1234 people", "dusk release count --value 1234 --epsilon 1" },
    { "which mechanisms are there", "dusk release --list" },
    { "what 10000 steps of training cost", "dusk account 'poisson(0.01, gaussian(1)) * 10000' --delta 1e-6" },
    { NULL, NULL },
};

static const dusk_command program = {
    .name = "dusk",
    .summary = "differential privacy: ask questions of private data and know what the answers cost",
    .synopsis = "COMMAND [options]\n-h | --help | --version\n--generate man DIR\n--generate bash|zsh|fish",
    .options = program_options,
    .sections = program_sections,
    .examples = program_examples,
    .settings_size = sizeof(program_settings),
};

static const dusk_command *const commands[] = { &program,
                                                &dusk_init_command,
                                                &dusk_schema_command,
                                                &dusk_query_command,
                                                &dusk_explain_command,
                                                &dusk_budget_command,
                                                &dusk_train_command,
                                                &dusk_predict_command,
                                                &dusk_score_command,
                                                &dusk_collect_command,
                                                &dusk_release_command,
                                                &dusk_account_command,
                                                &dusk_audit_command,
                                                &dusk_attack_command,
                                                NULL };

static const char *command_word(const dusk_command *command) { return strchr(command->name, ' ') + 1; }

static dusk_status unknown_command(const char *word, dusk_error *err)
{
    char hint[200];
    dusk_text text;
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, word);
    for (size_t i = 1; commands[i]; i++) {
        dusk_suggestion_offer(&suggestion, command_word(commands[i]));
        for (const dusk_operand *operand = commands[i]->operands; operand && operand->name; operand++)
            if (!strcmp(operand->name, word))
                return dusk_fail(err, DUSK_ERR_ARGUMENT, operand->example, "%s is %s, not a command", word,
                                 commands[i]->noun);
    }
    dusk_text_init(&text, hint, sizeof hint);
    if (suggestion.best)
        dusk_text_add(&text, "did you mean dusk %s?", suggestion.best);
    else
        dusk_text_add(&text, "dusk -h lists the commands");
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "there is no command %.100s", word);
}

/* Close standard output, say what went wrong, give the exit code. */
static int finish(const char *name, dusk_status status, dusk_error *err)
{
    if (status == DUSK_OK) status = dusk_output_finish(err);
    return status == DUSK_OK ? DUSK_EXIT_DONE : dusk_output_error(name, err);
}

static dusk_status generate(int what, const dusk_parsed *parsed, dusk_error *err)
{
    if ((what == 0) != (parsed->operand_count == 1) || parsed->operand_count > 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk --generate man DIR, or dusk --generate bash",
                         what == 0 ? "--generate man needs one folder" : "there are words too many");
    switch (what) {
    case 0: return dusk_manual_write(commands, parsed->operands[0], err);
    case 1: dusk_completion_bash(stdout, commands); break;
    case 2: dusk_completion_zsh(stdout, commands); break;
    default: dusk_completion_fish(stdout, commands); break;
    }
    return DUSK_OK;
}

static void print_program_help(FILE *file, dusk_help_kind kind)
{
    if (kind == DUSK_HELP_LONG)
        dusk_help_long(file, &program);
    else
        fputs("usage: dusk COMMAND [options]\n"
              "Differential privacy: ask questions of private data and know what the answers cost.\n",
              file);
    fputs("\nCommands\n", file);
    for (size_t i = 1; commands[i]; i++)
        fprintf(file, "  %-10s %s\n", command_word(commands[i]), commands[i]->summary);
    if (kind == DUSK_HELP_LONG) return;
    fprintf(file, "\nexample\n  $ %s\n\n", program_examples[0].command);
    fputs("dusk COMMAND -h tells about a command, dusk --help everything, dusk --version the version.\n",
          file);
}

/* The words do not begin with a command. */
static int run_program(int argc, char **argv)
{
    program_settings settings;
    dusk_parsed parsed;
    dusk_error err = { .status = DUSK_OK };
    dusk_status status = dusk_options_parse(&program, &settings, &parsed, argc, argv, &err);
    if (status == DUSK_OK && parsed.help)
        print_program_help(stdout, parsed.help);
    else if (status == DUSK_OK && settings.version)
        printf("dusk %s\n", dusk_version());
    else if (status == DUSK_OK && settings.generate >= 0)
        status = generate(settings.generate, &parsed, &err);
    else if (status == DUSK_OK && parsed.operand_count)
        status = unknown_command(parsed.operands[0], &err);
    else if (status == DUSK_OK) {
        print_program_help(stderr, DUSK_HELP_SHORT);
        return DUSK_EXIT_USAGE;
    }
    return finish("dusk", status, &err);
}

static const dusk_operand *find_operand(const dusk_command *command, const dusk_parsed *parsed)
{
    for (const dusk_operand *operand = command->operands; operand && operand->name; operand++)
        if (parsed->operand_count && !strcmp(operand->name, parsed->operands[0])) return operand;
    return NULL;
}

static void print_help(const dusk_command *command, const dusk_parsed *parsed)
{
    const dusk_operand *operand = find_operand(command, parsed);
    if (operand)
        dusk_help_operand(stdout, command, operand, parsed->help == DUSK_HELP_SHORT);
    else if (parsed->help == DUSK_HELP_SHORT)
        dusk_help_short(stdout, command);
    else
        dusk_help_long(stdout, command);
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* What an option or an operand names, and is read. */
static dusk_status keep_read(const dusk_outputs *outputs, const dusk_option *option, const void *at,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool names = option->argument && dusk_options_listed("FILE FILE|FOLDER", option->argument);
    if (option->writes || !names) return DUSK_OK;
    if (option->type == DUSK_OPTION_STRING)
        return dusk_outputs_keep_rows(outputs, *(const char *const *)at, err);
    const dusk_option_list *list = at;
    for (size_t i = 0; option->type == DUSK_OPTION_LIST && i < list->count && status == DUSK_OK; i++)
        status = dusk_outputs_keep_rows(outputs, list->word[i], err);
    return status;
}

/* No command writes to a file that it reads, or twice to one. */
static dusk_status keep_files(const dusk_command *command, const void *settings, const dusk_parsed *parsed,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_outputs outputs = { .count = 0 };
    for (size_t i = 0; command->options[i].name; i++)
        if (command->options[i].writes && parsed->given[i])
            dusk_outputs_add(&outputs,
                             *(const char *const *)((const char *)settings + command->options[i].offset));
    DUSK_TRY(dusk_outputs_check(&outputs, err));
    for (size_t i = 0; command->options[i].name; i++)
        if (parsed->given[i])
            DUSK_TRY(keep_read(&outputs, &command->options[i],
                               (const char *)settings + command->options[i].offset, err));
    for (size_t i = command->operands ? 1 : 0; i < parsed->operand_count; i++)
        DUSK_TRY(dusk_outputs_keep_rows(&outputs, parsed->operands[i], err));
done:
    return status;
}

static int run_command(const dusk_command *command, int argc, char **argv)
{
    dusk_parsed parsed;
    dusk_error err = { .status = DUSK_OK };
    void *settings = malloc(command->settings_size);
    dusk_status status = settings ? dusk_options_parse(command, settings, &parsed, argc, argv, &err)
                                  : dusk_fail(&err, DUSK_ERR_MEMORY, "", "out of memory");
    if (status == DUSK_OK && parsed.help)
        print_help(command, &parsed);
    else if (status == DUSK_OK && (status = keep_files(command, settings, &parsed, &err)) == DUSK_OK)
        status = command->run(settings, &parsed, &err);
    free(settings);
    return finish(command->name, status, &err);
}

int main(int argc, char **argv)
{
    dusk_train_begin();
    for (size_t i = 1; argc > 1 && commands[i]; i++)
        if (!strcmp(argv[1], command_word(commands[i]))) return run_command(commands[i], argc - 2, argv + 2);
    return run_program(argc - 1, argv + 1);
}
