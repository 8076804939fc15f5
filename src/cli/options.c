/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser; see options.h. Numbers are strict: the whole word, finite,
 * in the C locale. What was typed as a value is not repeated in messages, since
 * it may be private. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"

bool dusk_parse_number(const char *text, double *out)
{
    char *end = NULL;
    if (!text[0] || isspace((unsigned char)text[0])) return false;
    double x = strtod(text, &end);
    if (*end || !isfinite(x)) return false;
    *out = x;
    return true;
}

bool dusk_parse_whole(const char *text, int64_t low, int64_t high, int64_t *out)
{
    char *end = NULL;
    if (!text[0] || isspace((unsigned char)text[0])) return false;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (*end || errno || x < low || x > high) return false;
    *out = x;
    return true;
}

size_t dusk_parse_list(const char *text, char separator, double *out, size_t capacity)
{
    size_t n = 0;
    for (;;) {
        char word[64];
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (n == capacity || length >= sizeof word) return 0;
        memcpy(word, text, length);
        word[length] = '\0';
        if (!dusk_parse_number(word, &out[n])) return 0;
        n++;
        if (!end) return n;
        text = end + 1;
    }
}

bool dusk_options_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = length ? list : NULL; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

const dusk_option *dusk_options_find(const dusk_command *command, const char *name, size_t *row)
{
    for (size_t i = 0; command->options[i].name; i++)
        if (!strcmp(command->options[i].name, name)) {
            if (row) *row = i;
            return &command->options[i];
        }
    return NULL;
}

const dusk_option *dusk_option_that_sets(const dusk_command *command)
{
    for (const dusk_option *option = command->options; option->name; option++)
        if (option->sets) return option;
    return NULL;
}

bool dusk_options_given(const dusk_command *command, const dusk_parsed *parsed, const char *name)
{
    size_t row = 0;
    return dusk_options_find(command, name, &row) && parsed->given[row];
}

/* ---- Values ------------------------------------------------------------------ */

const char *dusk_option_choices(const dusk_option *option)
{
    return option->choices ? option->choices : option->argument;
}

/* Which word of "this|that" is `text`, or -1. */
static int find_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *at = choices; at; index++) {
        const char *bar = strchr(at, '|');
        size_t size = bar ? (size_t)(bar - at) : strlen(at);
        if (size == length && !strncmp(at, text, size)) return index;
        at = bar ? bar + 1 : NULL;
    }
    return -1;
}

/* Infinities and NaN too: what a private number is must not decide about errors. */
static bool parse_any(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && !*end;
}

static dusk_status refuse_value(const dusk_option *option, dusk_error *err)
{
    char hint[200];
    dusk_text text;
    dusk_text_init(&text, hint, sizeof hint);
    dusk_text_add(&text, "for example --%s %s", option->name, option->sample);
    if (option->type == DUSK_OPTION_CHOICE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s must be one of %s", option->name,
                         dusk_option_choices(option));
    if (option->type == DUSK_OPTION_NUMBER)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s must be a finite number", option->name);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s must be a whole number from %lld to %lld",
                     option->name, (long long)option->low, (long long)option->high);
}

static dusk_status store_word(dusk_option_list *list, const dusk_option *option, const char *value,
                              dusk_error *err)
{
    if (list->count == DUSK_OPTION_LIST_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give fewer", "--%s is given more than %d times",
                         option->name, DUSK_OPTION_LIST_MAX);
    list->word[list->count++] = value;
    return DUSK_OK;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && !strcasecmp(text + length - size, end);
}

/* A drawing is not to be taken for another kind of picture, nor "-" for standard output. */
static dusk_status check_written(const dusk_option *option, const char *value, dusk_error *err)
{
    static const char *const others[] = { ".png", ".jpg",  ".jpeg", ".gif", ".webp", ".bmp",
                                          ".tif", ".tiff", ".pdf",  ".ps",  ".eps" };
    char hint[200];
    snprintf(hint, sizeof hint, "for example --%s %s", option->name, option->sample);
    if (!strcmp(value, "-"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s writes a file, and - is no name of one",
                         option->name);
    for (size_t i = 0; ends_in(option->sample, ".svg") && i < sizeof others / sizeof *others; i++)
        if (ends_in(value, others[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s draws SVG, and no %s", option->name,
                             others[i] + 1);
    return DUSK_OK;
}

static dusk_status store(const dusk_option *option, void *settings, const char *value, dusk_error *err)
{
    void *at = (char *)settings + option->offset;
    switch (option->type) {
    case DUSK_OPTION_FLAG: *(bool *)at = true; return DUSK_OK;
    case DUSK_OPTION_STRING:
        *(const char **)at = value;
        return option->writes ? check_written(option, value, err) : DUSK_OK;
    case DUSK_OPTION_LIST: return store_word(at, option, value, err);
    case DUSK_OPTION_NUMBER:
        if (dusk_parse_number(value, at) || (option->secret && parse_any(value, at))) return DUSK_OK;
        break;
    case DUSK_OPTION_WHOLE:
        if (dusk_parse_whole(value, option->low, option->high, at)) return DUSK_OK;
        break;
    case DUSK_OPTION_CHOICE:
        *(int *)at = find_choice(dusk_option_choices(option), value);
        if (*(int *)at >= 0) return DUSK_OK;
        break;
    }
    return refuse_value(option, err);
}

static dusk_status store_defaults(const dusk_command *command, void *settings, dusk_error *err)
{
    memset(settings, 0, command->settings_size);
    for (const dusk_option *option = command->options; option->name; option++) {
        void *at = (char *)settings + option->offset;
        if (option->type == DUSK_OPTION_NUMBER) *(double *)at = NAN;
        if (option->type == DUSK_OPTION_CHOICE) *(int *)at = -1;
        if (option->fallback && store(option, settings, option->fallback, err))
            return dusk_fail(err, DUSK_ERR_INTERNAL, "", "the default of --%s is not valid", option->name);
    }
    return DUSK_OK;
}

/* ---- Words ------------------------------------------------------------------- */

typedef struct word_reader {
    const dusk_command *command;
    void *settings;
    dusk_parsed *parsed;
    int next; /* the word to read next */
} word_reader;

static dusk_status unknown_option(const dusk_command *command, const char *name, dusk_error *err)
{
    char hint[200];
    dusk_text text;
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, name);
    dusk_suggestion_offer(&suggestion, "help");
    for (const dusk_option *option = command->options; option->name; option++)
        dusk_suggestion_offer(&suggestion, option->name);
    dusk_text_init(&text, hint, sizeof hint);
    if (!strcmp(name, "seed"))
        dusk_text_add(&text, "there is none: noise that can be drawn again is not private");
    else if (suggestion.best)
        dusk_text_add(&text, "did you mean --%s?", suggestion.best);
    else
        dusk_text_add(&text, "%s -h lists the options", command->name);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "there is no option %s%.60s", name[1] ? "--" : "-", name);
}

/* The option is known; `attached` is its value when it came in the same word. */
static dusk_status take_option(word_reader *reader, size_t row, const char *attached, dusk_error *err)
{
    const dusk_option *option = &reader->command->options[row];
    dusk_parsed *parsed = reader->parsed;
    const char *value = attached;
    if (parsed->given[row] && option->type != DUSK_OPTION_LIST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give it once", "--%s is given twice", option->name);
    if (option->type == DUSK_OPTION_FLAG) {
        if (attached)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "it is on when it is there", "--%s takes no value",
                             option->name);
    } else if (!value) {
        bool there = reader->next < parsed->argc && strncmp(parsed->argv[reader->next], "--", 2) != 0;
        if (!there) {
            char hint[200];
            dusk_text text;
            dusk_text_init(&text, hint, sizeof hint);
            dusk_text_add(&text, "for example --%s %s", option->name, option->sample);
            return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "--%s needs a value", option->name);
        }
        value = parsed->argv[reader->next++];
    }
    parsed->given[row] = true;
    return store(option, reader->settings, value, err);
}

static dusk_status take_long(word_reader *reader, const char *word, dusk_error *err)
{
    char name[64];
    size_t row = 0;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    dusk_text text;
    dusk_text_init(&text, name, sizeof name);
    dusk_text_add(&text, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
    if (!strcmp(name, "help")) {
        reader->parsed->help = DUSK_HELP_LONG;
        return DUSK_OK;
    }
    if (length >= sizeof name || !dusk_options_find(reader->command, name, &row))
        return unknown_option(reader->command, name, err);
    return take_option(reader, row, equals ? equals + 1 : NULL, err);
}

static dusk_status take_short(word_reader *reader, const char *letters, dusk_error *err)
{
    if (letters[0] == 'h' && !letters[1]) {
        reader->parsed->help = DUSK_HELP_SHORT;
        return DUSK_OK;
    }
    const dusk_option *options = reader->command->options;
    for (size_t row = 0; options[row].name; row++)
        if (options[row].letter == letters[0])
            return take_option(reader, row, letters[1] ? letters + 1 : NULL, err);
    return unknown_option(reader->command, letters, err);
}

static dusk_status take_operand(word_reader *reader, const char *word, dusk_error *err)
{
    dusk_parsed *parsed = reader->parsed;
    if (parsed->operand_count == DUSK_OPERANDS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "quote words that belong together",
                         "there are too many words on the command line");
    parsed->operands[parsed->operand_count++] = word;
    return DUSK_OK;
}

dusk_status dusk_options_parse(const dusk_command *command, void *settings, dusk_parsed *parsed, int argc,
                               char **argv, dusk_error *err)
{
    dusk_status status = store_defaults(command, settings, err);
    word_reader reader = { .command = command, .settings = settings, .parsed = parsed };
    bool options_end = false;
    *parsed = (dusk_parsed){ .argc = argc, .argv = argv };
    while (status == DUSK_OK && reader.next < argc && !parsed->help) {
        const char *word = argv[reader.next++];
        if (options_end || word[0] != '-' || !word[1])
            status = take_operand(&reader, word, err);
        else if (word[1] != '-')
            status = take_short(&reader, word + 1, err);
        else if (word[2])
            status = take_long(&reader, word + 2, err);
        else if (command->runs_program) {
            if (reader.next < argc) parsed->program = argv + reader.next; /* argv ends in NULL */
            break;
        } else
            options_end = true;
    }
    return status;
}
