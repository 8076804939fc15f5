/* SPDX-License-Identifier: Apache-2.0 */
/* Watch a daily count and raise the alarm when it is high: every day is asked,
 * only the alarms are paid for. */
#include <dusk/dusk.h>
#include <stdio.h>

int main(void)
{
    const double sick[] = { 12, 9, 15, 11, 230, 14, 10, 260, 13, 8 }; /* private, per day */
    const size_t days = sizeof sick / sizeof sick[0];
    dusk_sparse_vector_options options;
    dusk_sparse_vector *watch = NULL;
    dusk_generator *gen = NULL;
    dusk_error err;
    int failed = 1;

    dusk_sparse_vector_options_init(&options);
    options.sensitivity = 1; /* a person is counted once a day */
    options.threshold = 120;
    options.hits = 2;         /* stop after two alarms */
    options.monotonic = true; /* one more person makes no count smaller */
    options.epsilon = 1;
    if (dusk_generator_new(&gen, &err) || dusk_sparse_vector_new(&watch, &options, gen, &err)) goto done;

    for (size_t day = 0; day < days && dusk_sparse_vector_hits_left(watch) > 0; day++) {
        bool above;
        if (dusk_sparse_vector_release(watch, &above, NULL, sick[day], gen, &err)) goto done;
        printf("day %zu: %s\n", day + 1, above ? "ALARM" : "quiet");
    }
    failed = 0;
done:
    if (failed) fprintf(stderr, "%s (%s)\n", err.message, err.hint);
    dusk_sparse_vector_free(watch);
    dusk_generator_free(gen);
    return failed;
}
