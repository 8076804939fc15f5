/* SPDX-License-Identifier: Apache-2.0 */
/* Choose the most popular drink without showing how popular any of them is.
 * One person moves each score by at most 1, and all in the same direction. */
#include <dusk/dusk.h>
#include <stdio.h>

int main(void)
{
    static const char *const drinks[] = { "tea", "coffee", "water", "milk" };
    const double votes[] = { 40, 52, 11, 3 }; /* private */
    const size_t n = sizeof votes / sizeof votes[0];
    dusk_selection selection;
    dusk_event event;
    dusk_error err;
    dusk_generator *gen = NULL;
    size_t best;
    double shortfall;
    char text[4096];
    int failed = 1;

    if (dusk_generator_new(&gen, &err)) goto done;
    if (dusk_selection_init(&selection, DUSK_SELECT_PERMUTE_AND_FLIP, 1, true, 1, &err)) goto done;
    if (dusk_selection_release(&selection, &best, votes, n, gen, &err)) goto done;
    if (dusk_selection_interval(&selection, &shortfall, 1, n, 0.95, &err)) goto done;
    if (dusk_selection_event(&selection, 1, &event, &err)) goto done;
    if (dusk_event_format(&event, text, sizeof text, &err)) goto done;

    printf("%s; with 95 %% confidence at most %.1f votes behind the winner\n", drinks[best], shortfall);
    printf("released: %s\n", text);
    failed = 0;
done:
    if (failed) fprintf(stderr, "%s (%s)\n", err.message, err.hint);
    dusk_generator_free(gen);
    return failed;
}
