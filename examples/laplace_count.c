/* SPDX-License-Identifier: Apache-2.0 */
/* How many people said yes, with privacy for each of them.
 *   cc laplace_count.c $(pkg-config --cflags --libs dusk) */
#include <dusk/dusk.h>
#include <stdio.h>

int main(void)
{
    const uint64_t yes = 1234; /* private: nobody may see this number itself */
    dusk_aggregate how;
    dusk_answer answer;
    dusk_error err;
    dusk_generator *gen = NULL;
    char statement[8192];

    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE; /* one person is in the data, or is not */
    how.unit = "person";
    how.epsilon = 0.5;

    if (dusk_generator_new(&gen, &err) || dusk_count_release(&answer, &how, yes, gen, &err) ||
        dusk_statement_format(&answer.statement, statement, sizeof statement, &err)) {
        fprintf(stderr, "%s (%s)\n", err.message, err.hint);
        dusk_generator_free(gen);
        return 1;
    }
    printf("about %.0f people said yes\n", answer.value);
    printf("with %g %% confidence between %.0f and %.0f\n", 100 * answer.confidence, answer.low, answer.high);
    printf("promised: %s\n", statement);
    dusk_generator_free(gen);
    return 0;
}
