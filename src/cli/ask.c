/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on a source have in common. */
#include "cli/ask.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/decimal.h"

dusk_status ask_open(dusk_source **out, const dusk_parsed *parsed, const char *example, dusk_error *err)
{
    if (parsed->operand_count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, example, "say which source: a file that dusk init made");
    return dusk_source_open(out, parsed->operands[0], err);
}

static void write_budget(char text[ASK_BUDGET_SIZE], dusk_budget budget,
                         void (*write)(char[DUSK_DECIMAL_SIZE], double, int))
{
    char epsilon[DUSK_DECIMAL_SIZE], delta[DUSK_DECIMAL_SIZE];
    write(epsilon, budget.epsilon, 6);
    write(delta, budget.delta, 6);
    if (budget.delta > 0)
        snprintf(text, ASK_BUDGET_SIZE, "epsilon %s, delta %s", epsilon, delta);
    else
        snprintf(text, ASK_BUDGET_SIZE, "epsilon %s", epsilon);
}

void ask_budget_up(char text[ASK_BUDGET_SIZE], dusk_budget budget)
{
    write_budget(text, budget, dusk_decimal_up);
}

void ask_budget_down(char text[ASK_BUDGET_SIZE], dusk_budget budget)
{
    write_budget(text, budget, dusk_decimal_down);
}

const char *ask_analyst(const char *named)
{
    const char *who = getenv("DUSK_ANALYST");
    if (named) return named;
    return who && *who ? who : "owner";
}

void ask_print_spending(const dusk_spending *analyst, const dusk_spending *total, const char *name)
{
    char left[ASK_BUDGET_SIZE], all[ASK_BUDGET_SIZE];
    ask_budget_down(left, analyst->left);
    ask_budget_down(all, total->left);
    if (analyst->limited)
        dusk_output_note("left", "%s for %s; %s in all", left, name, all);
    else
        dusk_output_note("left", "%s", all);
}

dusk_status ask_print_left(dusk_source *source, const dusk_query_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_spending total, analyst;
    char cost[ASK_BUDGET_SIZE];
    DUSK_TRY(dusk_ledger_spending(dusk_source_ledger(source), &total, NULL, err));
    DUSK_TRY(dusk_ledger_spending(dusk_source_ledger(source), &analyst, options->analyst, err));
    ask_budget_up(cost, (dusk_budget){ options->epsilon, options->delta });
    dusk_output_note("cost", "%s, charged to %s", cost, options->analyst);
    ask_print_spending(&analyst, &total, options->analyst);
done:
    return status;
}
