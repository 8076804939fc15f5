/* SPDX-License-Identifier: Apache-2.0 */
/* What a first operand needs and takes; see operands.h. */
#include "cli/operands.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

dusk_status dusk_operand_find(const dusk_operand **out, const dusk_command *command,
                              const dusk_parsed *parsed, const char *list, dusk_error *err)
{
    const char *noun = strchr(command->noun, ' ') + 1; /* without its article */
    char hint[200];
    dusk_text text;
    dusk_suggestion suggestion;
    dusk_text_init(&text, hint, sizeof hint);
    if (parsed->operand_count == 0) {
        dusk_text_add(&text, "%s shows them all", list);
        return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "say which %s to use", noun);
    }
    const char *typed = parsed->operands[0];
    dusk_suggestion_init(&suggestion, typed);
    for (const dusk_operand *one = command->operands; one->name; one++) {
        if (!strcmp(one->name, typed)) {
            *out = one;
            return DUSK_OK;
        }
        dusk_suggestion_offer(&suggestion, one->name);
        if (one->also && dusk_options_listed(one->also, typed)) {
            suggestion.best = one->name;
            suggestion.distance = 0;
        }
    }
    if (suggestion.best) dusk_text_add(&text, "did you mean %s? ", suggestion.best);
    dusk_text_add(&text, "%s shows them all", list);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "there is no %s %.100s", noun, typed);
}

/* ---- Needs --------------------------------------------------------------------- */

/* A word as a shell reads it. */
static void add_word(dusk_text *text, const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_./:=,+%@", *c)) plain = false;
    dusk_text_add(text, plain ? " %s" : strchr(word, '\'') ? " \"%s\"" : " '%s'", word);
}

/* The options the operand needs and was not given, `before` each name. */
static size_t add_missing(const dusk_operand *operand, const dusk_command *command, const dusk_parsed *parsed,
                          dusk_text *text, const char *before, bool samples)
{
    size_t count = 0;
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!dusk_options_listed(operand->needs, option->name)) continue;
        if (dusk_options_given(command, parsed, option->name)) continue;
        dusk_text_add(text, "%s--%s", count || samples ? before : "", option->name);
        if (samples && option->sample) dusk_text_add(text, " %s", option->sample);
        count++;
    }
    return count;
}

/* The secret option that `word` gives a value to, or NULL; *apart: the value is the next word. */
static const dusk_option *secret_of(const dusk_command *command, const char *word, bool *apart)
{
    for (const dusk_option *option = command->options; option->name; option++) {
        size_t length = strlen(option->name);
        if (!option->secret) continue;
        bool by_name = !strncmp(word, "--", 2) && !strncmp(word + 2, option->name, length) &&
                       (!word[2 + length] || word[2 + length] == '=');
        bool by_letter = option->letter && word[0] == '-' && word[1] == option->letter;
        *apart = by_name ? !word[2 + length] : !word[2];
        if (by_name || by_letter) return option;
    }
    return NULL;
}

/* The words that were typed up to `--`, secret ones hidden, and the missing options. */
static void build_hint(const dusk_operand *operand, const dusk_command *command, const dusk_parsed *parsed,
                       char *hint, size_t size)
{
    dusk_text text;
    bool apart = false;
    int i = 0;
    dusk_text_init(&text, hint, size);
    dusk_text_add(&text, "%s", command->name);
    for (; i < parsed->argc && strcmp(parsed->argv[i], "--") != 0; i++) {
        const dusk_option *secret = secret_of(command, parsed->argv[i], &apart);
        if (secret) {
            dusk_text_add(&text, " --%s ...", secret->name);
            if (apart) i++;
        } else {
            add_word(&text, parsed->argv[i]);
        }
    }
    add_missing(operand, command, parsed, &text, " ", true);
    for (; i < parsed->argc; i++) add_word(&text, parsed->argv[i]);
    if (text.overflow) {
        dusk_text_init(&text, hint, size);
        dusk_text_add(&text, "%s", operand->example);
    }
}

static dusk_status check_needs(const dusk_operand *operand, const dusk_command *command,
                               const dusk_parsed *parsed, dusk_error *err)
{
    char missing[200], hint[256];
    dusk_text text;
    dusk_text_init(&text, missing, sizeof missing);
    if (!add_missing(operand, command, parsed, &text, ", ", false)) return DUSK_OK;
    build_hint(operand, command, parsed, hint, sizeof hint);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s needs %s", operand->name, missing);
}

dusk_status dusk_operand_check(const dusk_operand *operand, const dusk_command *command,
                               const dusk_parsed *parsed, const char *everywhere, dusk_error *err)
{
    for (const dusk_option *option = command->options; option->name; option++) {
        if (!dusk_options_given(command, parsed, option->name)) continue;
        if (dusk_options_listed(everywhere, option->name)) continue;
        if (dusk_options_listed(operand->needs, option->name)) continue;
        if (dusk_options_listed(operand->takes, option->name)) continue;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, operand->example, "%s does not take --%s", operand->name,
                         option->name);
    }
    return check_needs(operand, command, parsed, err);
}
