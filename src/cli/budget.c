/* SPDX-License-Identifier: Apache-2.0 */
/* dusk budget: what was spent on a source, by whom, for what; limits; and whether the record is
 * whole. Nothing here looks at data. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"
#include "base/error.h"
#include "cli/ask.h"

#define EXAMPLE "dusk budget clinic.dusk"

typedef struct budget_settings {
    bool history, verify, total, json, csv;
    const char *grant;
    double epsilon, delta;
} budget_settings;

#define AT(field) .offset = offsetof(budget_settings, field)
/* clang-format off */
static const dusk_option budget_options[] = {
    { .name = "history", .letter = 'l', .type = DUSK_OPTION_FLAG, AT(history), .heading = "Question", .help = "every entry since the beginning" },
    { .name = "verify", .type = DUSK_OPTION_FLAG, AT(verify), .heading = "Question",
      .help = "read everything and prove that nothing was removed or altered; exit code 6 if something was" },
    { .name = "grant", .argument = "ANALYST", .type = DUSK_OPTION_STRING, AT(grant), .sample = "ana", .heading = "Limits",
      .help = "give an analyst a limit of --epsilon and --delta within the total, or change it" },
    { .name = "total", .type = DUSK_OPTION_FLAG, AT(total), .heading = "Limits",
      .help = "change the total to --epsilon and --delta; raising it weakens the promise, and the record says so" },
    { .name = "epsilon", .letter = 'e', .argument = "E", .type = DUSK_OPTION_NUMBER, AT(epsilon), .sample = "1", .heading = "Limits", .help = "the new limit" },
    { .name = "delta", .letter = 'd', .argument = "D", .type = DUSK_OPTION_NUMBER, AT(delta), .sample = "1e-7", .heading = "Limits",
      .help = "the new limit (default: that of the total)" },
    { .name = "json", .letter = 'j', .type = DUSK_OPTION_FLAG, AT(json), .heading = "Output", .help = "one JSON object; --history: one a line" },
    { .name = "csv", .type = DUSK_OPTION_FLAG, AT(csv), .heading = "Output", .help = "--history as comma-separated values" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section budget_sections[] = {
    { "Description",
      "Show the total and every analyst's share of it, list what was spent and on what, set limits, or "
      "verify "
      "the record. Charges are never taken back. Entries are chained by hashes: keep the last hash that "
      "--verify prints somewhere else, and nobody can rewrite what was before it.\n"
      "What is left is what one further query may cost at most.\n"
      "Nobody is asked to prove a name: a limit holds an analyst who asks through somebody else. Who can "
      "write the file can take any name, and is held by the total alone." },
    { NULL, NULL },
};

static const dusk_example budget_examples[] = {
    { "where the budget stands", EXAMPLE },
    { "ana may spend 1 of it", "dusk budget clinic.dusk --grant ana --epsilon 1" },
    { NULL, NULL },
};

static dusk_status check(const budget_settings *s, const dusk_parsed *parsed, dusk_error *err)
{
    int questions = s->history + s->verify + s->total + (s->grant != NULL);
    bool limits = s->total || s->grant;
    if (parsed->operand_count > 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE, "there are words too many");
    if (questions > 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one away",
                         "--history, --verify, --grant and --total do not go together");
    if (limits && !(s->epsilon >= 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --epsilon 1",
                         "--epsilon must be given, and be at least 0: the new limit");
    if (!limits && (!isnan(s->epsilon) || !isnan(s->delta)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk budget FILE --grant ana --epsilon 1",
                         "--epsilon and --delta go with --grant or --total");
    if (!isnan(s->delta) && !(s->delta >= 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-7",
                         "--delta must be at least 0 and below 1");
    if (s->csv && (!s->history || s->json))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk budget FILE --history --csv",
                         "--csv goes with --history, and not with --json");
    return DUSK_OK;
}

/* --- where it stands --------------------------------------------------------------------------- */

typedef struct printer {
    dusk_json json;
    bool machine;
    bool csv;
} printer;

static void print_spending(const char *name, const dusk_spending *spending)
{
    char limit[ASK_BUDGET_SIZE], spent[ASK_BUDGET_SIZE], left[ASK_BUDGET_SIZE];
    ask_budget_down(limit, spending->limit);
    ask_budget_up(spent, spending->spent);
    ask_budget_down(left, spending->left);
    ask_print_padded(name, 12, false);
    printf(" %-30s %-30s %-30s %" PRIu64 "\n", spending->limited ? limit : "(the total)", spent, left,
           spending->charges);
}

static void json_spending(dusk_json *json, const char *name, const dusk_spending *spending)
{
    dusk_json_open(json, '{');
    dusk_json_string_field(json, "analyst", name);
    dusk_json_bool_field(json, "limited", spending->limited);
    dusk_json_number_field(json, "limit_epsilon", spending->limit.epsilon);
    dusk_json_number_field(json, "limit_delta", spending->limit.delta);
    dusk_json_number_field(json, "spent_epsilon", spending->spent.epsilon);
    dusk_json_number_field(json, "spent_delta", spending->spent.delta);
    dusk_json_number_field(json, "left_epsilon", spending->left.epsilon);
    dusk_json_number_field(json, "left_delta", spending->left.delta);
    dusk_json_number_field(json, "share", spending->share);
    dusk_json_number_field(json, "charges", (double)spending->charges);
    dusk_json_close(json, '}');
}

static dusk_status visit_analyst(void *context, const char *analyst, const dusk_spending *spending,
                                 dusk_error *err)
{
    printer *p = context;
    (void)err;
    if (p->machine)
        json_spending(&p->json, analyst, spending);
    else
        print_spending(analyst, spending);
    return DUSK_OK;
}

static dusk_status show(dusk_ledger *ledger, printer *p, dusk_error *err)
{
    static const char *const filters[] = { "", "basic", "zcdp", "rdp", "gdp" };
    dusk_status status = DUSK_OK;
    dusk_spending total;
    dusk_ledger_options made;
    dusk_ledger_made_with(ledger, &made);
    DUSK_TRY(dusk_ledger_spending(ledger, &total, NULL, err));
    if (p->machine) {
        dusk_json_open(&p->json, '{');
        dusk_json_string_field(&p->json, "filter", filters[made.filter]);
        dusk_json_string_field(&p->json, "neighbours", dusk_neighbours_name(made.neighbours));
        dusk_json_key(&p->json, "total");
        json_spending(&p->json, "", &total);
        dusk_json_key(&p->json, "analysts");
        dusk_json_open(&p->json, '[');
    } else {
        printf("%-12s %-30s %-30s %-30s %s\n", "", "limit", "spent", "left", "charges");
        print_spending("total", &total);
    }
    DUSK_TRY(dusk_ledger_analysts(ledger, visit_analyst, p, err));
    if (p->machine) {
        dusk_json_close(&p->json, ']');
        dusk_json_close(&p->json, '}');
        putchar('\n');
    } else {
        printf("charges add up by the %s filter, %s\n", filters[made.filter],
               dusk_neighbours_name(made.neighbours));
    }
done:
    return status;
}

/* --- history ------------------------------------------------------------------------------------ */

static const char *kind_name(dusk_entry_kind kind)
{
    static const char *const names[] = { "",        "created",  "declared", "granted",
                                         "charged", "answered", "recalled" };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

static void format_time(char text[32], int64_t seconds)
{
    time_t t = (time_t)seconds;
    struct tm utc;
    if (!gmtime_r(&t, &utc) || !strftime(text, 32, "%Y-%m-%d %H:%M:%S", &utc)) snprintf(text, 32, "?");
}

static void json_entry(printer *p, const dusk_entry *entry, const char *when)
{
    char hash[65];
    p->json = (dusk_json){ .file = stdout };
    for (int i = 0; i < 32; i++) snprintf(hash + 2 * i, 3, "%02x", entry->hash[i]);
    dusk_json_open(&p->json, '{');
    dusk_json_number_field(&p->json, "number", (double)entry->number);
    dusk_json_string_field(&p->json, "time", when);
    dusk_json_string_field(&p->json, "kind", kind_name(entry->kind));
    dusk_json_string_field(&p->json, "subject", entry->subject);
    dusk_json_string_field(&p->json, "value", entry->value);
    dusk_json_string_field(&p->json, "purpose", entry->purpose);
    dusk_json_number_field(&p->json, "charge", entry->charge ? (double)entry->charge : NAN);
    dusk_json_number_field(&p->json, "epsilon", entry->cost.epsilon);
    dusk_json_number_field(&p->json, "delta", entry->cost.delta);
    dusk_json_string_field(&p->json, "hash", hash);
    dusk_json_close(&p->json, '}');
    putchar('\n');
}

static void csv_entry(const dusk_entry *entry, const char *when)
{
    const char *texts[] = { when, kind_name(entry->kind), entry->subject, entry->value, entry->purpose };
    printf("%" PRIu64, entry->number);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        putchar(',');
        ask_print_field(stdout, texts[i] ? texts[i] : "");
    }
    putchar(',');
    if (entry->charge) printf("%" PRIu64, entry->charge);
    putchar(',');
    dusk_print_number(stdout, entry->cost.epsilon);
    putchar(',');
    dusk_print_number(stdout, entry->cost.delta);
    putchar('\n');
}

/* One line for people. What a charge was for says more than its event. */
static void text_entry(const dusk_entry *entry, const char *when)
{
    char cost[ASK_BUDGET_SIZE];
    printf("%4" PRIu64 "  %s  %-9s", entry->number, when, kind_name(entry->kind));
    ask_budget_up(cost, entry->cost);
    switch (entry->kind) {
    case DUSK_ENTRY_CHARGED:
        printf("%s: %s for ", entry->subject, cost);
        dusk_print_tame(stdout, entry->purpose ? entry->purpose : entry->value);
        break;
    case DUSK_ENTRY_RECALLED:
        printf("%s: the answer to %" PRIu64, entry->subject, entry->charge);
        if (entry->cost.epsilon > 0) printf(", %s", cost);
        break;
    case DUSK_ENTRY_ANSWERED: printf("the answer to %" PRIu64, entry->charge); break;
    default:
        printf("%s%s", entry->subject ? entry->subject : "", entry->subject && entry->subject[0] ? ": " : "");
        dusk_print_tame(stdout, entry->value ? entry->value : "(taken back)");
    }
    putchar('\n');
}

static dusk_status visit_entry(void *context, const dusk_entry *entry, dusk_error *err)
{
    printer *p = context;
    char when[32];
    (void)err;
    format_time(when, entry->time);
    if (p->machine)
        json_entry(p, entry, when);
    else if (p->csv)
        csv_entry(entry, when);
    else
        text_entry(entry, when);
    return DUSK_OK;
}

/* --- the rest ------------------------------------------------------------------------------------- */

/* The record alone: damaged facts need not make a source. Some damage is seen as soon as it is opened. */
static dusk_status verify(const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger *ledger = NULL;
    uint64_t number;
    uint8_t hash[32];
    DUSK_TRY(dusk_ledger_open(&ledger, path, err));
    DUSK_TRY(dusk_ledger_verify(ledger, err));
    DUSK_TRY(dusk_ledger_head(ledger, &number, hash, err));
    printf("%" PRIu64 " entries, whole and unaltered; the last one is ", number);
    for (int i = 0; i < 32; i++) printf("%02x", hash[i]);
    putchar('\n');
done:
    if (status == DUSK_ERR_CORRUPT) err->status = status = DUSK_ERR_CHECK;
    dusk_ledger_close(ledger);
    return status;
}

static dusk_status set_limit(dusk_ledger *ledger, const budget_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_spending total;
    dusk_budget limit;
    DUSK_TRY(dusk_ledger_spending(ledger, &total, NULL, err));
    limit = (dusk_budget){ s->epsilon, isnan(s->delta) ? total.limit.delta : s->delta };
    status = s->total ? dusk_ledger_set_total(ledger, limit, err)
                      : dusk_ledger_grant(ledger, s->grant, limit, err);
done:
    return status;
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    const budget_settings *s = settings;
    dusk_status status = DUSK_OK;
    dusk_source *source = NULL;
    printer p = { .json = { .file = stdout }, .machine = s->json, .csv = s->csv };
    dusk_ledger *ledger;
    DUSK_TRY(check(s, parsed, err));
    if (s->verify && parsed->operand_count > 0) return verify(parsed->operands[0], err);
    DUSK_TRY(ask_open(&source, parsed, EXAMPLE, err));
    ledger = dusk_source_ledger(source);
    if (s->history) {
        if (s->csv) puts("number,time,kind,subject,value,purpose,charge,epsilon,delta");
        status = dusk_ledger_history(ledger, 1, visit_entry, &p, err);
    } else {
        if (s->total || s->grant) DUSK_TRY(set_limit(ledger, s, err));
        status = show(ledger, &p, err);
    }
done:
    dusk_source_close(source);
    return status;
}

const dusk_command dusk_budget_command = {
    .name = "dusk budget",
    .summary = "what was spent on a source and what is left; limits, history, verification",
    .synopsis =
        "FILE.dusk [--history | --verify] [--json | --csv]\n"
        "FILE.dusk --grant ANALYST --epsilon E [--delta D]\nFILE.dusk --total --epsilon E [--delta D]",
    .options = budget_options,
    .sections = budget_sections,
    .examples = budget_examples,
    .settings_size = sizeof(budget_settings),
    .run = run,
};
