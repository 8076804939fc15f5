/* SPDX-License-Identifier: Apache-2.0 */
/* Making, opening and closing a ledger; its head and history. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "ledger/balance.h"
#include "ledger/format.h"

static const char *const filter_names[] = { [DUSK_FILTER_BASIC] = "basic",
                                            [DUSK_FILTER_ZCDP] = "zcdp",
                                            [DUSK_FILTER_RDP] = "rdp",
                                            [DUSK_FILTER_GDP] = "gdp" };

void dusk_ledger_options_init(dusk_ledger_options *options)
{
    *options = (dusk_ledger_options){ .size = sizeof *options, .filter = DUSK_FILTER_BASIC };
}

/* What entry 1 says: "filter=basic neighbours=add-remove epsilon=1 delta=1e-06". */
static void write_options(dusk_text *text, const dusk_ledger_options *options)
{
    dusk_text_add(text, "filter=%s neighbours=%s epsilon=", filter_names[options->filter],
                  dusk_neighbours_name(options->neighbours));
    dusk_text_number(text, options->budget.epsilon);
    dusk_text_add(text, " delta=");
    dusk_text_number(text, options->budget.delta);
}

/* The options whose text this is; the numbers are given. */
static bool read_options(dusk_ledger_options *out, const char *text, dusk_budget budget)
{
    dusk_ledger_options_init(out);
    out->budget = budget;
    for (dusk_filter_kind f = DUSK_FILTER_BASIC; f <= DUSK_FILTER_GDP; f++)
        for (dusk_neighbours n = DUSK_ADD_REMOVE; n <= DUSK_REPLACE_ONE; n++) {
            char right[160];
            dusk_text written;
            out->filter = f;
            out->neighbours = n;
            dusk_text_init(&written, right, sizeof right);
            write_options(&written, out);
            if (strcmp(text, right) == 0) return true;
        }
    return false;
}

/* ---- Making ----------------------------------------------------------------------------------- */

static dusk_status make(dusk_ledger *ledger, void *context, dusk_error *err)
{
    const dusk_ledger_options *options = context;
    char value[160], state[DUSK_FILTER_TEXT_MAX];
    dusk_text text;
    ledger_filter *filter;
    dusk_status status = ledger_format_make(ledger, err);
    if (status == DUSK_OK) status = ledger_filter_get(ledger, &filter, "", options->budget, err);
    if (status != DUSK_OK) return status;
    dusk_text_init(&text, value, sizeof value);
    write_options(&text, options);
    dusk_text_init(&text, state, sizeof state);
    dusk_filter_write(filter->filter, &text);
    ledger_entry entry = {
        .kind = DUSK_ENTRY_CREATED, .value = value, .cost = options->budget, .price = state
    };
    status = ledger_chain_append(ledger, &entry, err);
    return status == DUSK_OK ? ledger_balance_put(ledger, filter, 0, &entry, err) : status;
}

static dusk_status check_options(const dusk_ledger_options *options, dusk_error *err)
{
    dusk_filter *filter = NULL;
    if (!options || options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_ledger_options_init",
                         "the options were not made by this version");
    dusk_status status = dusk_filter_new(&filter, options->filter, options->budget, options->neighbours, err);
    dusk_filter_free(filter);
    return status;
}

/* Into a file that was just made. */
static dusk_status fill(const char *path, const dusk_ledger_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger *ledger = NULL;
    DUSK_NEW(ledger, 1);
    ledger->made_with = *options;
    ledger->made_with.budget.epsilon = fabs(options->budget.epsilon); /* -0 is 0 */
    ledger->made_with.budget.delta = fabs(options->budget.delta);
    DUSK_TRY(ledger_store_open(ledger, path, err));
    DUSK_TRY(ledger_write(ledger, make, &ledger->made_with, err));
    DUSK_TRY(ledger_store_use_log(ledger, err));
    status = ledger_store_sync_folder(path, err);
done:
    dusk_ledger_close(ledger);
    return status;
}

dusk_status dusk_ledger_create(const char *path, const dusk_ledger_options *options, dusk_error *err)
{
    dusk_status status = check_options(options, err);
    if (status == DUSK_OK) status = ledger_store_make(path, err);
    if (status != DUSK_OK) return status;
    status = fill(path, options, err);
    if (status != DUSK_OK) (void)unlink(path);
    return status;
}

/* ---- Opening ----------------------------------------------------------------------------------- */

/* The first entry says how the file was made; the last one and the total must be whole. */
static dusk_status look(dusk_ledger *ledger, void *context, dusk_error *err)
{
    ledger_cursor cursor = { 0 };
    ledger_entry first;
    ledger_balance total;
    uint64_t number;
    uint8_t hash[LEDGER_HASH];
    dusk_status status = DUSK_OK;
    (void)context;
    DUSK_TRY(ledger_chain_find(&cursor, ledger, &first, 1, DUSK_ENTRY_CREATED, err));
    if (!first.value || !read_options(&ledger->made_with, first.value, first.cost)) {
        status = ledger_fail_corrupt(ledger, err, "entry 1 does not say how it was made");
        goto done;
    }
    DUSK_TRY(ledger_chain_last(ledger, &number, hash, err));
    DUSK_TRY(ledger_balance_read(ledger, &total, "", err));
done:
    ledger_cursor_close(&cursor);
    return status;
}

dusk_status dusk_ledger_open(dusk_ledger **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger *ledger = NULL;
    *out = NULL;
    DUSK_NEW(ledger, 1);
    DUSK_TRY(ledger_store_open(ledger, path, err));
    DUSK_TRY(ledger_format_check(ledger, err));
    DUSK_TRY(ledger_store_use_log(ledger, err));
    DUSK_TRY(ledger_read(ledger, look, NULL, err));
    DUSK_TRY(ledger_refresh(ledger, err));
    *out = ledger;
    ledger = NULL;
done:
    dusk_ledger_close(ledger);
    return status;
}

void dusk_ledger_close(dusk_ledger *ledger)
{
    if (!ledger) return;
    ledger_store_close(ledger);
    dusk_filter_free(ledger->total.filter);
    for (size_t i = 0; i < LEDGER_FILTERS; i++) dusk_filter_free(ledger->own[i].filter);
    dusk_deallocate(ledger);
}

void dusk_ledger_made_with(const dusk_ledger *ledger, dusk_ledger_options *out) { *out = ledger->made_with; }

/* ---- History ----------------------------------------------------------------------------------- */

typedef struct visit {
    uint64_t first;
    dusk_entry_visitor *visitor;
    void *context;
} visit;

static dusk_status show(void *context, const ledger_entry *e, dusk_error *err)
{
    const visit *v = context;
    bool costs = e->kind == DUSK_ENTRY_CHARGED || e->kind == DUSK_ENTRY_RECALLED;
    dusk_entry entry = { .number = e->number,
                         .kind = (dusk_entry_kind)e->kind,
                         .time = e->time,
                         .subject = e->subject,
                         .value = e->value,
                         .purpose = e->purpose,
                         .charge = e->charge };
    if (costs) entry.cost = e->cost;
    memcpy(entry.hash, e->hash, sizeof entry.hash);
    return v->visitor(v->context, &entry, err);
}

static dusk_status show_all(dusk_ledger *ledger, void *context, dusk_error *err)
{
    const visit *v = context;
    return ledger_chain_walk(ledger, v->first, show, context, err);
}

dusk_status dusk_ledger_history(dusk_ledger *ledger, uint64_t first, dusk_entry_visitor *visitor,
                                void *context, dusk_error *err)
{
    visit v = { first <= INT64_MAX ? first : INT64_MAX, visitor, context };
    return ledger_read(ledger, show_all, &v, err);
}

typedef struct head {
    uint64_t number;
    uint8_t hash[LEDGER_HASH];
} head;

static dusk_status read_head(dusk_ledger *ledger, void *context, dusk_error *err)
{
    head *h = context;
    return ledger_chain_last(ledger, &h->number, h->hash, err);
}

dusk_status dusk_ledger_head(dusk_ledger *ledger, uint64_t *number, uint8_t hash[32], dusk_error *err)
{
    head h;
    dusk_status status = ledger_read(ledger, read_head, &h, err);
    if (status != DUSK_OK) return status;
    *number = h.number;
    memcpy(hash, h.hash, sizeof h.hash);
    return DUSK_OK;
}
