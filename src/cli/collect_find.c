/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list: finding them, and in a simulation whether the right ones were found; see collect.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect.h"

#define KEEP 100

double collect_cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

dusk_status collect_check_finds(const collect_job *job, dusk_randomiser mechanism, dusk_error *err)
{
    static const char *const options[] = { "length", "step", "alphabet", "rate" };
    if (dusk_randomiser_finds(mechanism)) return DUSK_OK;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (collect_given(job, options[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                             "--%s is for texts on no list, and %s finds none", options[i],
                             dusk_randomiser_name((uint32_t)mechanism));
    return DUSK_OK;
}

dusk_status collect_find(const collect_job *job, const dusk_tally *tally, dusk_string_found **out, size_t *n,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_find_options options;
    dusk_string_found *found = NULL;
    dusk_find_options_init(&options);
    if (job->settings->alphabet) options.alphabet = job->settings->alphabet;
    options.rate = job->settings->rate;
    options.keep = collect_given(job, "top") && job->settings->top > KEEP ? (size_t)job->settings->top : KEEP;
    DUSK_NEW(found, options.keep);
    DUSK_TRY(dusk_tally_find(tally, &options, found, options.keep, n, err));
    *out = found;
    found = NULL;
done:
    dusk_deallocate(found);
    return status;
}

dusk_status collect_cut(collect_values *values, uint32_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    collect_values cut = { .weighed = values->weighed };
    bool known;
    for (size_t i = 0; i < values->count; i++) {
        if (strlen(values->name[i]) > length) values->name[i][length] = '\0';
        DUSK_TRY(collect_values_add(&cut, values->name[i], values->weight[i], &known, err));
    }
    collect_values_free(values);
    *values = cut;
    cut = (collect_values){ .count = 0 };
done:
    collect_values_free(&cut);
    return status;
}

struct ranked {
    uint64_t people;
    size_t value;
};

static int more_people(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->people != y->people) return x->people > y->people ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

dusk_status collect_search_once(collect_search *search, const collect_job *job, const dusk_tally *tally,
                                const collect_values *values, const uint64_t *people, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_string_found *found = NULL;
    struct ranked *order = NULL;
    bool *hit = NULL;
    size_t n = 0, there = 0, hits = 0;
    const size_t top = search->top < values->count ? search->top : values->count;
    const double before = collect_cpu();
    DUSK_TRY(collect_find(job, tally, &found, &n, err));
    search->seconds += collect_cpu() - before;
    DUSK_NEW(order, values->count);
    DUSK_NEW(hit, values->count);
    for (size_t i = 0; i < n; i++) {
        const size_t at = collect_values_find(values, found[i].text);
        if (at == SIZE_MAX || people[at] == 0) continue;
        hit[at] = true;
        there++;
    }
    for (size_t i = 0; i < values->count; i++) order[i] = (struct ranked){ people[i], i };
    qsort(order, values->count, sizeof *order, more_people);
    for (size_t i = 0; i < top; i++) hits += hit[order[i].value];
    search->recall += (double)hits / (double)top;
    search->precision += n ? (double)there / (double)n : 1;
    search->texts += (double)n;
    search->top = top;
    search->runs++;
done:
    dusk_deallocate(found);
    dusk_deallocate(order);
    dusk_deallocate(hit);
    return status;
}
