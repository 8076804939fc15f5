/* SPDX-License-Identifier: Apache-2.0 */
/* One generator a thread, by fork: threads draw at the same time without a lock
 * (the thread sanitizer looks), and no two draw the same. */
#include <pthread.h>
#include <string.h>

#include "random/noise_additive.h"
#include "support.h"

#define THREADS 4
#define DRAWS 20000

typedef struct worker {
    pthread_t thread;
    dusk_generator *gen;
    int64_t noise[DRAWS];
    dusk_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    dusk_additive laplace;
    dusk_additive_init(&laplace, DUSK_ADDITIVE_LAPLACE, 0x1p40, DUSK_WIDTH_FULL);
    w->status = dusk_additive_fill(&laplace, w->noise, DRAWS, w->gen, NULL);
    return NULL;
}

static void test_threads(void **state)
{
    static worker workers[THREADS];
    dusk_generator *parent;
    (void)state;
    assert_int_equal(dusk_generator_new(&parent, NULL), DUSK_OK);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(dusk_generator_fork(&workers[i].gen, parent, NULL), DUSK_OK);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].status, DUSK_OK);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(workers[i].noise, workers[j].noise, sizeof workers[i].noise);
        dusk_generator_free(workers[i].gen);
    }
    dusk_generator_free(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
