/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on a source have in common. */
#include "cli/ask.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

void ask_begin(void)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGXFSZ, &ignore, NULL);
}

dusk_status ask_open(dusk_source **out, const dusk_parsed *parsed, const char *example, dusk_error *err)
{
    ask_begin();
    if (parsed->operand_count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, example, "say which source: a file that dusk init made");
    return dusk_source_open(out, parsed->operands[0], err);
}

static void write_delta(char text[DUSK_DECIMAL_SIZE], double delta,
                        void (*write)(char[DUSK_DECIMAL_SIZE], double, int))
{
    write(text, delta, 6);
    for (int digits = 7; digits <= 17 && delta < 1 && !strcmp(text, "1"); digits++)
        write(text, delta, digits);
}

static void write_budget(char text[ASK_BUDGET_SIZE], dusk_budget budget,
                         void (*write)(char[DUSK_DECIMAL_SIZE], double, int))
{
    char epsilon[DUSK_DECIMAL_SIZE], delta[DUSK_DECIMAL_SIZE];
    write(epsilon, budget.epsilon, 6);
    write_delta(delta, budget.delta, write);
    if (budget.delta > 0)
        snprintf(text, ASK_BUDGET_SIZE, "epsilon %s, delta %s", epsilon, delta);
    else
        snprintf(text, ASK_BUDGET_SIZE, "epsilon %s", epsilon);
}

void ask_budget_up(char text[ASK_BUDGET_SIZE], dusk_budget budget)
{
    write_budget(text, budget, dusk_decimal_up);
}

void ask_delta_up(char text[ASK_BUDGET_SIZE], double delta) { write_delta(text, delta, dusk_decimal_up); }

void ask_budget_down(char text[ASK_BUDGET_SIZE], dusk_budget budget)
{
    write_budget(text, budget, dusk_decimal_down);
}

void ask_word(char out[ASK_WORD_SIZE], const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:=@%,";
    size_t n = 0;
    if (*word && !word[strspn(word, plain)]) {
        snprintf(out, ASK_WORD_SIZE, "%s", word);
        return;
    }
    out[n++] = '\'';
    for (; *word && n + 6 < ASK_WORD_SIZE; word++) {
        if (*word == '\'') n += (size_t)snprintf(out + n, ASK_WORD_SIZE - n, "'\\'");
        out[n++] = *word;
    }
    out[n++] = '\'';
    out[n] = '\0';
}

const char *ask_analyst(const char *named)
{
    const char *who = getenv("DUSK_ANALYST");
    if (named) return named;
    return who && *who ? who : "owner";
}

static void print_left(const dusk_spending *analyst, const dusk_spending *total, const char *name)
{
    char left[ASK_BUDGET_SIZE], all[ASK_BUDGET_SIZE];
    ask_budget_down(left, analyst->left);
    ask_budget_down(all, total->left);
    if (analyst->limited)
        dusk_output_note("left", "%s for %s; %s in all", left, name, all);
    else
        dusk_output_note("left", "%s", all);
}

void ask_print_receipt(const dusk_receipt *receipt, const dusk_query_options *options)
{
    char cost[ASK_BUDGET_SIZE];
    ask_budget_up(cost, receipt->cost);
    if (receipt->shared)
        dusk_output_note("cost", "%s, charged to %s; nothing to the total: this was answered before", cost,
                         options->analyst);
    else if (receipt->cached)
        dusk_output_note("cost", "nothing: this was answered before");
    else
        dusk_output_note("cost", "%s, charged to %s", cost, options->analyst);
    print_left(&receipt->analyst, &receipt->total, options->analyst);
}
