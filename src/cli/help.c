/* SPDX-License-Identifier: Apache-2.0 */
/* The help on the screen; see help.h. Lines are broken at 80 columns whatever
 * the terminal: the text reads the same in a log, a test and a window. */
#include "cli/help.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

#define WIDTH 80
#define OPTION_COLUMN 26

const char *const dusk_exit_meanings[][2] = {
    { "0", "done" },
    { "2", "the command line is wrong; the hint says what to type instead" },
    { "3", "the input or the query cannot be used" },
    { "4", "the budget refused" },
    { "5", "the environment failed: files, memory, entropy" },
    { "6", "what was checked does not hold: an audit found a violation" },
    { "70", "a bug in dusk" },
    { NULL, NULL },
};

/* Words of one paragraph from column `at` on, later lines indented. */
static void wrap(FILE *file, const char *text, size_t length, size_t indent, size_t at)
{
    const char *end = text + length;
    size_t column = at;
    while (text < end) {
        while (text < end && *text == ' ') text++;
        size_t word = 0;
        while (text + word < end && text[word] != ' ') word++;
        if (!word) break;
        if (column > indent && column + 1 + word > WIDTH) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        fwrite(text, 1, word, file);
        column += word;
        text += word;
    }
    fputc('\n', file);
}

static void paragraphs(FILE *file, const char *text, size_t indent)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(file, "%*s", (int)indent, "");
        wrap(file, text, length, indent, indent);
        text += length;
        if (*text) text++;
        if (*text) fputc('\n', file);
    }
}

/* From the end of what stands at the left, at column `at`, to the right column: on the next line where there is no room. */
static void go_right(FILE *file, size_t at)
{
    if (at + 2 > OPTION_COLUMN)
        fprintf(file, "\n%*s", OPTION_COLUMN, "");
    else
        fprintf(file, "%*s", (int)(OPTION_COLUMN - at), "");
}

/* With `brief` only the first clause of its help. */
static void print_option(FILE *file, const dusk_option *option, bool brief)
{
    char left[200], right[1024];
    dusk_text text;
    dusk_text_init(&text, left, sizeof left);
    if (option->letter)
        dusk_text_add(&text, "  -%c, --%s", option->letter, option->name);
    else
        dusk_text_add(&text, "      --%s", option->name);
    if (option->argument) dusk_text_add(&text, " %s", option->argument);
    size_t at = text.length;
    dusk_text_init(&text, right, sizeof right);
    dusk_text_add(&text, "%.*s", (int)(brief ? strcspn(option->help, ";") : strlen(option->help)),
                  option->help);
    if (option->fallback) dusk_text_add(&text, " (default %s)", option->fallback);
    fputs(left, file);
    go_right(file, at);
    wrap(file, right, text.length, OPTION_COLUMN, OPTION_COLUMN);
}

void dusk_help_row(FILE *file, const char *name, const char *says)
{
    fprintf(file, "  %s", name);
    go_right(file, 2 + strlen(name));
    wrap(file, says, strlen(says), OPTION_COLUMN, OPTION_COLUMN);
}

static void print_help_option(FILE *file)
{
    fprintf(file, "  -h, --help%*sthis help: -h on one screen, --help in full\n", OPTION_COLUMN - 12, "");
}

static void print_usage(FILE *file, const dusk_command *command)
{
    const char *form = command->synopsis, *before = "usage: ";
    while (*form) {
        size_t length = strcspn(form, "\n");
        fprintf(file, "%s%s", before, command->name);
        wrap(file, form, length, 9, strlen(before) + strlen(command->name));
        form += length + (form[length] != '\0');
        before = "       ";
    }
}

/* Names of the operands under each heading. */
static void print_operand_names(FILE *file, const dusk_command *command)
{
    const dusk_operand *operand = command->operands;
    while (operand && operand->name) {
        char names[512];
        dusk_text text;
        const char *heading = operand->heading;
        dusk_text_init(&text, names, sizeof names);
        for (; operand->name && !strcmp(operand->heading, heading); operand++)
            dusk_text_add(&text, "%s ", operand->name);
        const int column = fprintf(file, "  %-12s", heading); /* beyond 14: a space comes first */
        wrap(file, names, text.length, 14, column > 14 ? (size_t)column : 14);
    }
    if (command->note) paragraphs(file, command->note, 2);
}

/* "Mechanisms" -> "MECHANISM". */
static void print_operand_word(FILE *file, const dusk_command *command)
{
    for (const char *c = command->operand; c[0] && c[1]; c++) fputc(toupper((unsigned char)*c), file);
}

void dusk_help_short(FILE *file, const dusk_command *command)
{
    char rest[1024];
    dusk_text text;
    const dusk_option *option = command->options;
    const char *heading = option->heading;
    dusk_text_init(&text, rest, sizeof rest);
    print_usage(file, command);
    fprintf(file, "%s\n\n", command->summary);
    if (command->operands) {
        fprintf(file, "%s\n", command->operand);
        print_operand_names(file, command);
        fputc('\n', file);
    }
    for (; option->name && !strcmp(option->heading, heading); option++) print_option(file, option, true);
    for (; option->name; option++) dusk_text_add(&text, "--%s ", option->name);
    print_help_option(file);
    if (text.length) {
        fputs("  more: ", file);
        wrap(file, rest, text.length, 8, 8);
    }
    fprintf(file, "\nexample\n  $ %s\n", command->examples[0].command);
    if (!command->operands) return;
    fprintf(file, "\n%s ", command->name);
    print_operand_word(file, command);
    fputs(" -h tells about one of them.\n", file);
}

/* It is no word of the command line but a form within one. */
static bool is_written(const dusk_operand *operand) { return !*operand->needs && !*operand->takes; }

static void print_options(FILE *file, const dusk_command *command)
{
    const char *heading = NULL;
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!heading || strcmp(heading, option->heading)) fprintf(file, "\n%s\n", option->heading);
        heading = option->heading;
        print_option(file, option, false);
    }
    print_help_option(file);
}

void dusk_help_list(FILE *file, const dusk_command *command)
{
    const char *heading = NULL;
    for (const dusk_operand *operand = command->operands; operand->name; operand++) {
        char needs[200];
        dusk_text text;
        dusk_text_init(&text, needs, sizeof needs);
        if (!heading || strcmp(heading, operand->heading))
            fprintf(file, "%s%s\n", heading ? "\n" : "", operand->heading);
        heading = operand->heading;
        for (const char *at = operand->needs; *at;) {
            size_t length = strcspn(at, " ");
            dusk_text_add(&text, "%s--%.*s", text.length ? " " : "", (int)length, at);
            at += length + (at[length] != '\0');
        }
        if (operand->either) dusk_text_add(&text, "%s%s", text.length ? " " : "", operand->either);
        if (is_written(operand))
            fprintf(file, "  %-31s  %s\n", needs, operand->summary);
        else
            fprintf(file, "  %-19s  %-38s  %s\n", operand->name, needs, operand->summary);
    }
}

void dusk_help_long(FILE *file, const dusk_command *command)
{
    print_usage(file, command);
    fprintf(file, "%s\n", command->summary);
    if (command->operands) {
        fprintf(file, "\n%s, and %s\n\n", command->operand,
                is_written(command->operands) ? "how each is written" : "what each must be given");
        dusk_help_list(file, command);
    }
    print_options(file, command);
    for (const dusk_section *section = command->sections; section->heading; section++) {
        fprintf(file, "\n%s\n", section->heading);
        paragraphs(file, section->text, 2);
    }
    fputs("\nExit status\n", file);
    for (size_t i = 0; dusk_exit_meanings[i][0]; i++)
        fprintf(file, "  %-3s %s\n", dusk_exit_meanings[i][0], dusk_exit_meanings[i][1]);
    fputs("\nExamples\n", file);
    for (const dusk_example *example = command->examples; example->command; example++)
        fprintf(file, "%s  # %s\n  $ %s\n", example == command->examples ? "" : "\n", example->says,
                example->command);
}

/* The options of `list` in the order of the table; where `first` is not NULL, those of it, in brief, and the names of the others. */
static void print_listed(FILE *file, const dusk_command *command, const char *heading, const char *list,
                         const char *first)
{
    char rest[1024];
    dusk_text text;
    bool any = false;
    dusk_text_init(&text, rest, sizeof rest);
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!dusk_options_listed(list, option->name)) continue;
        if (!any) fprintf(file, "\n%s\n", heading);
        any = true;
        if (!first || dusk_options_listed(first, option->name))
            print_option(file, option, first != NULL);
        else
            dusk_text_add(&text, "--%s ", option->name);
    }
    if (text.length) {
        fputs("  more: ", file);
        wrap(file, rest, text.length, 8, 8);
    }
}

void dusk_help_words(FILE *file, const char *heading, const char *words)
{
    fprintf(file, "\n%s\n  ", heading);
    wrap(file, words, strlen(words), 2, 2);
}

void dusk_help_operand(FILE *file, const dusk_command *command, const dusk_operand *operand, bool brief)
{
    const char *first = brief ? operand->first : NULL;
    if (is_written(operand)) {
        fprintf(file, "%s: %s\n\nexample\n  $ %s\n", operand->either, operand->summary, operand->example);
        fprintf(file, "\n%s -h has the options, %s --help tells everything.\n", command->name, command->name);
        return;
    }
    fprintf(file, "usage: %s %s %s\n", command->name, operand->name,
            operand->usage ? operand->usage : "[options] [FILE]");
    paragraphs(file, operand->summary, 0);
    print_listed(file, command, "needs", operand->needs, first ? operand->needs : NULL);
    if (operand->either) fprintf(file, "%s      %s\n", *operand->needs ? "" : "\nneeds\n", operand->either);
    print_listed(file, command, "takes", operand->takes, first);
    if (operand->details) operand->details(file, operand->name, first != NULL);
    fprintf(file, "\nexample\n  $ %s\n", operand->example);
    if (first)
        fprintf(file, "\n%s %s --help says what each is, %s --help tells everything.\n", command->name,
                operand->name, command->name);
    else
        fprintf(file, "\n%s --help tells everything.\n", command->name);
}

static bool same_settings(const dusk_operand *a, const dusk_operand *b)
{
    dusk_setting_words one, other;
    if (!a->setting || !b->setting) return false;
    for (size_t i = 0;; i++) {
        const bool more = a->setting(a->name, i, &one);
        if (more != b->setting(b->name, i, &other)) return false;
        if (!more) return true;
        if (strcmp(one.name, other.name) != 0 || strcmp(one.says, other.says) != 0) return false;
    }
}

bool dusk_help_leads_settings(const dusk_command *command, const dusk_operand *operand)
{
    for (const dusk_operand *at = command->operands; at != operand; at++)
        if (same_settings(at, operand)) return false;
    return operand->setting != NULL;
}

void dusk_help_put_alike(FILE *file, const dusk_command *command, const dusk_operand *operand,
                         const char *between)
{
    const char *before = "";
    for (const dusk_operand *at = command->operands; at->name; at++) {
        if (!same_settings(at, operand)) continue;
        fprintf(file, "%s%s", before, at->name);
        before = between;
    }
}
