/* SPDX-License-Identifier: Apache-2.0 */
/* Charges through a filter: a charge must not cost more because of those before
 * it, so that the times of a single one stay the same down the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/accounting.h"

enum { DIFFERENT = 64 };

typedef struct setup {
    dusk_filter_kind kind;
    size_t charges;
    size_t events;    /* how many different ones, in turn */
    const char *form; /* of the text, with the number of the event */
} setup;

typedef struct job {
    const setup *setup;
    dusk_event *event;
} job;

static void charge_all(void *context)
{
    const job *j = context;
    const setup *s = j->setup;
    const dusk_budget budget = { 1e6, 1e-6 };
    dusk_filter *filter = NULL;
    dusk_error err;
    bench_require(dusk_filter_new(&filter, s->kind, budget, DUSK_ADD_REMOVE, &err), &err);
    for (size_t i = 0; i < s->charges; i++)
        bench_require(dusk_filter_charge(filter, &j->event[i % s->events], &err), &err);
    bench_keep(dusk_filter_spent(filter));
    dusk_filter_free(filter);
}

static void add_all(void *context)
{
    const job *j = context;
    volatile double sum = 0;
    for (size_t i = 0; i < j->setup->charges; i++)
        if (sum + 1e-6 <= 1e6) sum = sum + 1e-6;
}

static void run_filter(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    job j = { s, bench_allocate(s->events, sizeof *j.event) };
    (void)gen;
    for (size_t i = 0; i < s->events; i++) {
        char text[64];
        dusk_error err;
        snprintf(text, sizeof text, s->form, 10 + i);
        bench_require(dusk_event_parse(&j.event[i], text, &err), &err);
    }
    *out = bench_cost(bench_compare(charge_all, add_all, &j), (double)s->charges);
    free(j.event);
}

#define FILTER(title, text, kind_, charges_, events_, form_)                                                 \
    {                                                                                                        \
        .name = "filter/" title, .what = text, .unit = "ns/charge", .floor = "an addition", .aim = "",       \
        .run = run_filter, .setup = &(const setup)                                                           \
        {                                                                                                    \
            .kind = kind_, .charges = charges_, .events = events_, .form = form_                             \
        }                                                                                                    \
    }

const bench_case bench_filter_cases[] = {
    FILTER("basic/1e5", "1e5 equal charges", DUSK_FILTER_BASIC, 100000, 1, "pure(%zue-6)"),
    FILTER("zcdp/1e5", "1e5 equal charges", DUSK_FILTER_ZCDP, 100000, 1, "gaussian(%zue3)"),
    FILTER("gdp/1e5", "1e5 equal charges", DUSK_FILTER_GDP, 100000, 1, "gaussian(%zue3)"),
    FILTER("rdp/1e4", "1e4 equal charges", DUSK_FILTER_RDP, 10000, 1, "gaussian(%zue3)"),
    FILTER("rdp/1e5", "1e5 equal charges", DUSK_FILTER_RDP, 100000, 1, "gaussian(%zue3)"),
    FILTER("rdp/1e6", "1e6 equal charges", DUSK_FILTER_RDP, 1000000, 1, "gaussian(%zue3)"),
    FILTER("rdp/different/1e3", "1e3 charges, each priced anew", DUSK_FILTER_RDP, 1000, DIFFERENT,
           "gaussian(%zue3)"),
    FILTER("rdp/different/1e4", "1e4 charges, each priced anew", DUSK_FILTER_RDP, 10000, DIFFERENT,
           "gaussian(%zue3)"),
    { .name = NULL },
};
