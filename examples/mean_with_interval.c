/* SPDX-License-Identifier: Apache-2.0 */
/* The mean of a private column and how sure it is. The bounds are knowledge
 * about the world (ages), not about these people: never take them from the
 * data. */
#include <dusk/dusk.h>
#include <stdio.h>

#define PEOPLE 1000

int main(void)
{
    double ages[PEOPLE];
    dusk_aggregate how;
    dusk_answer answer;
    dusk_error err;
    dusk_generator *gen = NULL;

    for (int i = 0; i < PEOPLE; i++) ages[i] = 18 + (i * 37) % 60; /* stands for your data */

    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.unit = "person";
    how.lower = 0;
    how.upper = 100;
    how.epsilon = 1;
    how.confidence = 0.9;

    /* Every parameter is checked before the first row is looked at, so an error
     * tells nothing about the people. */
    if (dusk_generator_new(&gen, &err) || dusk_mean_release(&answer, &how, ages, PEOPLE, gen, &err)) {
        fprintf(stderr, "%s (%s)\n", err.message, err.hint);
        dusk_generator_free(gen);
        return 1;
    }
    printf("mean age %.2f, with %g %% confidence between %.2f and %.2f\n", answer.value,
           100 * answer.confidence, answer.low, answer.high);
    printf("cost: epsilon %g\n", answer.statement.epsilon);
    dusk_generator_free(gen);
    return 0;
}
