/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_THREADS_H
#define DUSK_DEEP_THREADS_H

/* The same work in several threads, each of which knows its number; a thread that cannot be had is made up for here. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { DEEP_THREADS_MOST = 64 };

typedef struct deep_worker {
    void (*work)(void *context, size_t number);
    void *context;
    size_t number;
    pthread_t thread;
    bool started;
} deep_worker;

static inline void *deep_worker_begin(void *argument)
{
    deep_worker *w = argument;
    w->work(w->context, w->number);
    return NULL;
}

/* work(context, 0), ..., work(context, threads - 1); 1 <= threads <= DEEP_THREADS_MOST. */
static inline void deep_work(void (*work)(void *context, size_t number), void *context, size_t threads)
{
    deep_worker w[DEEP_THREADS_MOST];
    for (size_t k = 1; k < threads; k++) {
        w[k] = (deep_worker){ .work = work, .context = context, .number = k };
        w[k].started = pthread_create(&w[k].thread, NULL, deep_worker_begin, &w[k]) == 0;
    }
    work(context, 0);
    for (size_t k = 1; k < threads; k++)
        if (w[k].started)
            pthread_join(w[k].thread, NULL);
        else
            work(context, k);
}

#endif
