/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages in the man(7) macros, from the option tables; see help.h. */
#include "cli/help.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* Text as roff reads it: no line begins with a control character, dashes are
 * dashes that can be copied into a shell, backslashes are backslashes. */
static void put(FILE *file, const char *text, size_t length, bool line_start)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (line_start && (c == '.' || c == '\'')) fputs("\\&", file);
        line_start = c == '\n';
        switch (c) {
        case '\\': fputs("\\e", file); break;
        case '-': fputs("\\-", file); break;
        case '\'': fputs("\\(aq", file); break;
        case '`': fputs("\\(ga", file); break;
        case '^': fputs("\\(ha", file); break;
        case '~': fputs("\\(ti", file); break;
        default: fputc(c, file);
        }
    }
}

static void put_line(FILE *file, const char *text)
{
    put(file, text, strlen(text), true);
    fputc('\n', file);
}

static void heading(FILE *file, const char *macro, const char *text)
{
    fprintf(file, ".%s \"", macro);
    for (; *text; text++) fputc(macro[1] == 'H' ? toupper((unsigned char)*text) : *text, file);
    fputs("\"\n", file);
}

/* "dusk release" -> "dusk-release": the name of the page. */
static void page_name(char *out, size_t size, const dusk_command *command)
{
    dusk_text text;
    dusk_text_init(&text, out, size);
    for (const char *c = command->name; *c; c++) dusk_text_add(&text, "%c", *c == ' ' ? '-' : *c);
}

static void put_synopsis(FILE *file, const dusk_command *command)
{
    const char *form = command->synopsis;
    heading(file, "SH", "Synopsis");
    while (*form) {
        size_t length = strcspn(form, "\n");
        fputs(".B ", file);
        put_line(file, command->name);
        put(file, form, length, true);
        fputs("\n.br\n", file);
        form += length + (form[length] != '\0');
    }
}

static void put_option(FILE *file, const dusk_option *option)
{
    fputs(".TP\n", file);
    if (option->letter) fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", file);
    put(file, option->name, strlen(option->name), false);
    fputs("\\fR", file);
    if (option->argument) {
        fputs(" \\fI", file);
        put(file, option->argument, strlen(option->argument), false);
        fputs("\\fR", file);
    }
    fputc('\n', file);
    put(file, option->help, strlen(option->help), true);
    if (option->fallback) {
        fputs(" (default ", file);
        put(file, option->fallback, strlen(option->fallback), false);
        fputc(')', file);
    }
    fputs(".\n", file);
}

static void put_options(FILE *file, const dusk_command *command)
{
    const char *last = NULL;
    heading(file, "SH", "Options");
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!last || strcmp(last, option->heading)) heading(file, "SS", option->heading);
        last = option->heading;
        put_option(file, option);
    }
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nHelp: \\fB\\-h\\fR on one screen, \\fB\\-\\-help\\fR in "
          "full.\n",
          file);
}

/* "a b" -> "--a --b" in bold. */
static void put_names(FILE *file, const char *before, const char *list)
{
    if (!*list) return;
    fputs(before, file);
    while (*list) {
        size_t length = strcspn(list, " ");
        fputs(" \\fB\\-\\-", file);
        put(file, list, length, false);
        fputs("\\fR", file);
        list += length;
        while (*list == ' ') list++;
        fputs(*list ? "," : ".\n", file);
    }
}

static void put_command_line(FILE *file, const char *line)
{
    fputs(".RS\n.nf\n", file);
    put_line(file, line);
    fputs(".fi\n.RE\n", file);
}

static void put_operands(FILE *file, const dusk_command *command)
{
    const char *last = NULL;
    heading(file, "SH", command->operand);
    for (const dusk_operand *operand = command->operands; operand->name; operand++) {
        if (!last || strcmp(last, operand->heading)) heading(file, "SS", operand->heading);
        last = operand->heading;
        bool written = !*operand->needs && !*operand->takes; /* no word of the command line */
        fputs(".TP\n.B ", file);
        put_line(file, written ? operand->either : operand->name);
        put(file, operand->summary, strlen(operand->summary), true);
        fputs(".\n", file);
        put_names(file, "Needs", operand->needs);
        if (operand->either && !written) {
            fputs("Needs ", file);
            put(file, operand->either, strlen(operand->either), false);
            fputs(".\n", file);
        }
        put_names(file, "Takes", operand->takes);
        put_command_line(file, operand->example);
    }
}

static void put_settings(FILE *file, const dusk_command *command)
{
    const dusk_option *option = dusk_option_that_sets(command);
    dusk_setting_words setting;
    if (!option) return;
    heading(file, "SH", "Settings");
    fprintf(file,
            "What \\fB\\-\\-%s\\fR \\fINAME=VALUE\\fR may set. The same list, of one alone, is that of\n",
            option->name);
    char line[128];
    snprintf(line, sizeof line, "%s %s --help", command->name, command->operands->name);
    put_command_line(file, line);
    for (const dusk_operand *operand = command->operands; operand->name; operand++) {
        if (!dusk_help_leads_settings(command, operand)) continue;
        fputs(".SS \"", file);
        dusk_help_put_alike(file, command, operand, ", ");
        fputs("\"\n", file);
        for (size_t i = 0; operand->setting(operand->name, i, &setting); i++) {
            fputs(".TP\n.B ", file);
            put_line(file, setting.name);
            put_line(file, setting.says);
        }
    }
}

static void put_sections(FILE *file, const dusk_command *command)
{
    for (const dusk_section *section = command->sections; section->heading; section++) {
        const char *text = section->text;
        heading(file, "SH", section->heading);
        while (*text) {
            size_t length = strcspn(text, "\n");
            put(file, text, length, true);
            text += length + (text[length] != '\0');
            fputs(*text ? "\n.PP\n" : "\n", file);
        }
    }
}

static void put_end(FILE *file, const dusk_command *command, const dusk_command *const *commands)
{
    heading(file, "SH", "Exit status");
    for (size_t i = 0; dusk_exit_meanings[i][0]; i++)
        fprintf(file, ".TP\n.B %s\n%s.\n", dusk_exit_meanings[i][0], dusk_exit_meanings[i][1]);
    heading(file, "SH", "Examples");
    for (const dusk_example *example = command->examples; example->command; example++) {
        fputs(".PP\n", file);
        put(file, example->says, strlen(example->says), true);
        fputs(":\n", file);
        put_command_line(file, example->command);
    }
    const char *before = "";
    for (size_t i = 0; commands[i]; i++) {
        char name[64];
        if (commands[i] == command) continue;
        if (!before[0]) heading(file, "SH", "See also");
        page_name(name, sizeof name, commands[i]);
        fprintf(file, "%s.BR ", before);
        put(file, name, strlen(name), false);
        fputs(" (1)", file);
        before = ",\n";
    }
    fputc('\n', file);
}

/* What the program can do; the first of `commands` is the program itself. */
static void put_commands(FILE *file, const dusk_command *const *commands)
{
    heading(file, "SH", "Commands");
    for (size_t i = 1; commands[i]; i++) {
        fputs(".TP\n.B ", file);
        put_line(file, commands[i]->name);
        put_line(file, commands[i]->summary);
    }
}

static void put_page(FILE *file, const dusk_command *command, const dusk_command *const *commands)
{
    char name[64];
    page_name(name, sizeof name, command);
    fputs(".\\\" Made by dusk \\-\\-generate man from the option tables.\n", file);
    fputs(".TH ", file);
    for (const char *c = name; *c; c++) fputc(toupper((unsigned char)*c), file);
    fprintf(file, " 1 \"\" \"dusk %s\" \"Dusk manual\"\n", DUSK_VERSION);
    fputs(".nh\n.ad l\n", file); /* an option that is broken in two cannot be searched for */
    heading(file, "SH", "Name");
    put(file, name, strlen(name), true);
    fputs(" \\- ", file);
    put_line(file, command->summary);
    put_synopsis(file, command);
    put_sections(file, command);
    if (command == commands[0]) put_commands(file, commands);
    if (command->operands) put_operands(file, command);
    put_options(file, command);
    if (command->operands) put_settings(file, command);
    put_end(file, command, commands);
}

dusk_status dusk_manual_write(const dusk_command *const *commands, const char *folder, dusk_error *err)
{
    for (size_t i = 0; commands[i]; i++) {
        char name[64], path[4096];
        dusk_text text;
        page_name(name, sizeof name, commands[i]);
        dusk_text_init(&text, path, sizeof path);
        dusk_text_add(&text, "%s/%s.1", folder, name);
        FILE *file = text.overflow ? NULL : fopen(path, "w");
        if (file) put_page(file, commands[i], commands);
        bool failed = !file || ferror(file) != 0;
        if ((file && fclose(file) != 0) || failed)
            return dusk_fail(err, DUSK_ERR_IO, "give a folder that exists and can be written",
                             "cannot write %.150s: %s", path, strerror(errno));
    }
    return DUSK_OK;
}
