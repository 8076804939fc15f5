/* SPDX-License-Identifier: Apache-2.0 */
/* All cores take partitions, one after the other, each adding to totals of its own; these are integers, so
 * that what they come to does not depend on who took what. Then the totals become the answer. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/bounding_inner.h"

enum { THREADS_MOST = 256, ROWS_PER_THREAD = 20000 };

/* --- the work of threads ------------------------------------------------------------------------- */

typedef struct job {
    bounding *b;
    atomic_size_t next; /* partition */
    atomic_bool stop;
} job;

typedef struct hand {
    job *job;
    bounding_worker worker;
    pthread_t thread;
    bool started;
    dusk_status status;
    dusk_error err;
} hand;

static void *work(void *context)
{
    hand *h = context;
    bounding_store *store = &h->job->b->store;
    size_t partitions = (size_t)1 << store->bits;
    while (!atomic_load(&h->job->stop)) {
        size_t p = atomic_fetch_add(&h->job->next, 1);
        if (p >= partitions) break;
        h->status = bounding_take_partition(&h->worker, &store->partition[p], store->shift, &h->err);
        if (h->status == DUSK_OK) continue;
        atomic_store(&h->job->stop, true);
        break;
    }
    return NULL;
}

/* How many threads are worth while, and have room for totals of their own. */
static unsigned count_threads(const bounding *b, size_t groups)
{
    uint64_t bytes = 0;
    long most = b->threads ? (long)b->threads : sysconf(_SC_NPROCESSORS_ONLN);
    size_t totals = groups * (b->terms * sizeof(dusk_int128) + sizeof(uint64_t)) + 1;
    for (size_t p = 0; p < (size_t)1 << b->store.bits; p++)
        for (size_t i = 0; i < b->store.partition[p].blocks; i++)
            bytes += b->store.partition[p].block[i].used;
    uint64_t rows = bytes / b->layout.stride;
    if (most > THREADS_MOST) most = THREADS_MOST;
    if (!b->threads && (uint64_t)most > 1 + rows / ROWS_PER_THREAD) most = 1 + (long)(rows / ROWS_PER_THREAD);
    if ((size_t)most > 1 + b->memory / totals) most = 1 + (long)(b->memory / totals);
    return most < 1 ? 1 : (unsigned)most;
}

/* The first hand is that of the caller. A thread that cannot be started leaves its part to the others. */
static dusk_status take_all(bounding *b, hand *hands, unsigned n, dusk_error *err)
{
    job j = { .b = b };
    dusk_status status = DUSK_OK;
    atomic_init(&j.next, 0);
    atomic_init(&j.stop, false);
    for (unsigned i = 0; i < n; i++) hands[i].job = &j;
    for (unsigned i = 1; i < n; i++)
        hands[i].started = pthread_create(&hands[i].thread, NULL, work, &hands[i]) == 0;
    work(&hands[0]);
    for (unsigned i = 1; i < n; i++)
        if (hands[i].started) pthread_join(hands[i].thread, NULL);
    for (unsigned i = 0; i < n && status == DUSK_OK; i++) {
        status = hands[i].status;
        if (status != DUSK_OK && err) *err = hands[i].err;
    }
    return status;
}

/* Everything into the first. Values that are collected stay where they are. */
static dusk_status merge(hand *hands, unsigned n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_worker *to = &hands[0].worker;
    for (unsigned i = 1; i < n; i++) {
        const bounding_worker *from = &hands[i].worker;
        for (size_t k = 0; k < to->b->terms * to->groups; k++) to->sum[k] += from->sum[k];
        for (size_t g = 0; g < to->groups; g++) to->units[g] += from->units[g];
        if (to->distinct) DUSK_TRY(group_table_merge(to->distinct, from->distinct, err));
    }
    for (uint32_t code = 0; to->distinct && code < group_table_count(to->distinct); code++) {
        query_value tuple[3];
        group_table_tuple(to->distinct, tuple, code);
        to->sum[(size_t)tuple[0].integer * to->groups + (size_t)tuple[1].integer]++;
    }
done:
    return status;
}

/* --- the answer -------------------------------------------------------------------------------------- */

/* What `bounded` does not say about itself. */
typedef struct answer {
    bounded shown; /* first */
    size_t keys, totals, text_size, values;
    char *text;
    double *value; /* of all lists */
} answer;

void bounded_free(bounded *groups)
{
    answer *a = (answer *)groups;
    if (!a) return;
    size_t n = a->shown.groups, cells = a->totals * n;
    wipe_and_free(a->shown.key, n * a->keys * sizeof *a->shown.key);
    wipe_and_free(a->shown.units, n * sizeof *a->shown.units);
    wipe_and_free(a->shown.sum, cells * sizeof *a->shown.sum);
    wipe_and_free(a->shown.collected, cells * sizeof *a->shown.collected);
    wipe_and_free(a->shown.collected_count, cells * sizeof *a->shown.collected_count);
    wipe_and_free(a->text, a->text_size);
    wipe_and_free(a->value, a->values * sizeof *a->value);
    wipe_and_free(a, sizeof *a);
}

dusk_status bounded_new(bounded **out, size_t groups, size_t keys, size_t totals, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    answer *a = NULL;
    *out = NULL;
    DUSK_NEW(a, 1);
    a->shown.groups = groups;
    a->keys = keys;
    a->totals = totals;
    DUSK_NEW(a->shown.key, groups * keys);
    DUSK_NEW(a->shown.units, groups);
    DUSK_NEW(a->shown.sum, groups * totals);
    DUSK_NEW(a->shown.collected, groups * totals);
    DUSK_NEW(a->shown.collected_count, groups * totals);
    *out = &a->shown;
    a = NULL;
done:
    if (a) bounded_free(&a->shown);
    return status;
}

dusk_status bounded_own_texts(bounded *groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    answer *a = (answer *)groups;
    query_value *key = a->shown.key;
    size_t at = 0, size = 0;
    for (size_t i = 0; i < groups->groups * a->keys; i++)
        if (key[i].text) size += key[i].length + 1;
    DUSK_NEW(a->text, size);
    a->text_size = size;
    for (size_t i = 0; i < groups->groups * a->keys; i++) {
        if (!key[i].text) continue;
        memcpy(a->text + at, key[i].text, key[i].length);
        key[i].text = a->text + at;
        at += key[i].length + 1;
    }
done:
    return status;
}

static void sort_values(double *x, double *spare, size_t n)
{
    double *from = x, *to = spare;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t middle = n - at < width ? n : at + width, end = n - at < 2 * width ? n : at + 2 * width;
            size_t i = at, j = middle;
            for (size_t k = at; k < end; k++)
                to[k] = j == end || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != x) memcpy(x, from, n * sizeof *x);
}

/* Lists of collected values, sorted, so that they do not tell which thread took what. shown[g] is where
 * group g went. */
static dusk_status write_lists(answer *a, const hand *hands, unsigned n, const uint32_t *shown,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t cells = a->totals * a->shown.groups, at = 0;
    double *spare = NULL;

    for (unsigned i = 0; i < n; i++) a->values += hands[i].worker.kept_count;
    DUSK_NEW(a->value, a->values);
    DUSK_NEW(spare, a->values);
    for (unsigned i = 0; i < n; i++)
        for (size_t k = 0; k < hands[i].worker.kept_count; k++) {
            const bounding_kept *kept = &hands[i].worker.kept[k];
            a->shown.collected_count[kept->total * a->shown.groups + shown[kept->group]]++;
        }
    for (size_t c = 0; c < cells; c++) {
        if (a->shown.collected_count[c]) a->shown.collected[c] = a->value + at;
        at += a->shown.collected_count[c];
        a->shown.collected_count[c] = 0;
    }
    for (unsigned i = 0; i < n; i++)
        for (size_t k = 0; k < hands[i].worker.kept_count; k++) {
            const bounding_kept *kept = &hands[i].worker.kept[k];
            size_t c = kept->total * a->shown.groups + shown[kept->group];
            a->shown.collected[c][a->shown.collected_count[c]++] = kept->value;
        }
    for (size_t c = 0; c < cells; c++) sort_values(a->shown.collected[c], spare, a->shown.collected_count[c]);
done:
    wipe_and_free(spare, spare ? a->values * sizeof *spare : 0);
    return status;
}

/* place[code] of each group, NULL: its code. Public groups are all shown, in their order; private ones
 * where some unit is left. */
static dusk_status write_answer(bounded **out, const bounding *b, const hand *hands, unsigned n,
                                const uint32_t *place, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_worker *w = &hands[0].worker;
    bounded *made = NULL;
    uint32_t *code = NULL, *shown = NULL;
    size_t groups = 0;

    DUSK_NEW(code, w->groups);
    DUSK_NEW(shown, w->groups);
    for (size_t g = 0; g < w->groups; g++) code[place ? place[g] : g] = (uint32_t)g;
    for (size_t g = 0; g < w->groups; g++) {
        if (!b->public_groups && !w->units[g]) continue;
        code[groups] = code[g];
        shown[g] = (uint32_t)groups++;
    }
    DUSK_TRY(bounded_new(&made, groups, b->keys, b->terms, err));
    for (size_t g = 0; g < w->groups; g++) {
        if (!b->public_groups && !w->units[g]) continue;
        made->units[shown[g]] = w->units[g];
        for (size_t t = 0; t < b->terms; t++) made->sum[t * groups + shown[g]] = w->sum[t * w->groups + g];
    }
    for (size_t g = 0; b->keys && g < groups; g++)
        group_table_tuple(b->groups, made->key + g * b->keys, code[g]);
    DUSK_TRY(bounded_own_texts(made, err));
    DUSK_TRY(write_lists((answer *)made, hands, n, shown, err));
    *out = made;
    made = NULL;
done:
    wipe_and_free(code, code ? w->groups * sizeof *code : 0);
    wipe_and_free(shown, shown ? w->groups * sizeof *shown : 0);
    bounded_free(made);
    return status;
}

dusk_status bounding_finish(bounding *b, bounded **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t groups = b->keys ? group_table_count(b->groups) : 1;
    uint32_t *place = NULL;
    hand *hands = NULL;
    unsigned n = 0;

    *out = NULL;
    if (b->failed || b->finished)
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a bounding is finished once, and not after a failure");
    b->finished = true;
    bounding_store_close(&b->store);
    n = count_threads(b, groups);
    if (!b->public_groups) {
        DUSK_NEW(place, groups);
        DUSK_TRY(group_table_order(b->groups, place, err));
    }
    DUSK_NEW(hands, n);
    for (unsigned i = 0; i < n; i++) {
        DUSK_TRY(bounding_worker_init(&hands[i].worker, b, place, groups, err));
        hands[i].worker.share = b->memory / 2 / n;
    }
    DUSK_TRY(take_all(b, hands, n, err));
    DUSK_TRY(merge(hands, n, err));
    DUSK_TRY(write_answer(out, b, hands, n, place, err));
done:
    for (unsigned i = 0; hands && i < n; i++) bounding_worker_clear(&hands[i].worker);
    dusk_deallocate(hands);
    wipe_and_free(place, place ? groups * sizeof *place : 0);
    return status;
}
