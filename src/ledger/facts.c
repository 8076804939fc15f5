/* SPDX-License-Identifier: Apache-2.0 */
/* Declared facts. The table `fact` says which entry declares what holds now; the value is read
 * from that entry, and checked against its hash. */
#include <stdio.h>
#include <string.h>

#include "ledger/chain.h"
#include "ledger/names.h"

typedef struct declaration {
    const dusk_fact *fact;
    size_t n;
} declaration;

static dusk_status declare(dusk_ledger *ledger, const dusk_fact *fact, dusk_error *err)
{
    char subject[2 * LEDGER_SUBJECT_MAX + 2];
    ledger_cursor cursor;
    snprintf(subject, sizeof subject, "%s %s", fact->subject, fact->property);
    ledger_entry entry = { .kind = DUSK_ENTRY_DECLARED, .subject = subject, .value = fact->value };
    dusk_status status = ledger_chain_append(ledger, &entry, err);
    if (status != DUSK_OK) return status;
    ledger_cursor_open(&cursor, ledger, LEDGER_FACT_PUT);
    ledger_bind_whole(&cursor, entry.number);
    ledger_bind_text(&cursor, fact->subject);
    ledger_bind_text(&cursor, fact->property);
    return ledger_cursor_run(&cursor, err);
}

static dusk_status declare_all(dusk_ledger *ledger, void *context, dusk_error *err)
{
    const declaration *d = context;
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < d->n && status == DUSK_OK; i++) status = declare(ledger, &d->fact[i], err);
    return status;
}

dusk_status dusk_ledger_declare_all(dusk_ledger *ledger, const dusk_fact *facts, size_t n, dusk_error *err)
{
    declaration d = { facts, n };
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < n && status == DUSK_OK; i++) {
        status = ledger_check_subject(facts[i].subject, err);
        if (status == DUSK_OK) status = ledger_check_property(facts[i].property, err);
        if (status == DUSK_OK && facts[i].value)
            status = ledger_check_text(facts[i].value, "value of a fact", LEDGER_TEXT_MAX, err);
    }
    if (status != DUSK_OK || n == 0) return status;
    return ledger_write(ledger, declare_all, &d, err);
}

dusk_status dusk_ledger_declare(dusk_ledger *ledger, const char *subject, const char *property,
                                const char *value, dusk_error *err)
{
    const dusk_fact fact = { subject, property, value };
    return dusk_ledger_declare_all(ledger, &fact, 1, err);
}

/* "subject property" is what the entry says. */
static bool is_about(const ledger_entry *entry, const dusk_fact *fact)
{
    size_t n = strlen(fact->subject);
    return entry->kind == DUSK_ENTRY_DECLARED && strncmp(entry->subject, fact->subject, n) == 0 &&
           entry->subject[n] == ' ' && strcmp(entry->subject + n + 1, fact->property) == 0;
}

typedef struct visit {
    dusk_fact_visitor *visitor;
    void *context;
} visit;

static dusk_status visit_row(const ledger_cursor *cursor, const visit *v, dusk_error *err)
{
    dusk_fact fact;
    ledger_entry entry;
    if (!ledger_column_text(cursor, 17, &fact.subject) || !ledger_column_text(cursor, 18, &fact.property))
        return ledger_fail_corrupt(cursor->ledger, err, "a fact has no name");
    dusk_status status = ledger_entry_read(cursor, &entry, err);
    if (status != DUSK_OK) return status;
    if (!is_about(&entry, &fact))
        return ledger_fail_corrupt(cursor->ledger, err, "entry %llu does not declare the fact it stands for",
                                   (unsigned long long)entry.number);
    fact.value = entry.value;
    return fact.value ? v->visitor(v->context, &fact, err) : DUSK_OK;
}

static dusk_status visit_all(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_cursor cursor;
    bool row;
    ledger_cursor_open(&cursor, ledger, LEDGER_FACT_ALL);
    dusk_status status = ledger_cursor_step(&cursor, &row, err);
    while (status == DUSK_OK && row) {
        status = visit_row(&cursor, context, err);
        if (status == DUSK_OK) status = ledger_cursor_step(&cursor, &row, err);
    }
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status dusk_ledger_facts(dusk_ledger *ledger, dusk_fact_visitor *visitor, void *context, dusk_error *err)
{
    visit v = { visitor, context };
    return ledger_read(ledger, visit_all, &v, err);
}
