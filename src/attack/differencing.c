/* SPDX-License-Identifier: Apache-2.0 */
/* Differencing: the answer about a group with somebody, less the one without. */
#include <math.h>

#include "attack/choices.h"
#include "base/error.h"
#include "base/mutant.h"
#include "dusk/attack_releases.h"

bool dusk_differencing_guess(double with, double without, double amount)
{
    double difference = with - without;
    return fabs(difference - amount) < fabs(difference);
}

dusk_status dusk_differencing_play(dusk_guesses *out, dusk_answer_twice *answer, void *context, double amount,
                                   uint64_t trials, double confidence, uint64_t seed, dusk_error *err)
{
    attack_choices choices = { seed };
    uint64_t right = 0;
    dusk_guesses none;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_guesses_count(&none, 0, trials, confidence, err)); /* before anything is drawn */
    if (!(fabs(amount) > 0 && isfinite(amount)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1 for a count",
                         "what a person adds must be a number other than 0");
    for (uint64_t i = 0; i < trials; i++) {
        double answers[2];
        bool there = attack_word(&choices) >> 63;
        DUSK_TRY(answer(context, answers, there, err));
        right += dusk_differencing_guess(answers[0], answers[1], amount) == there;
    }
    status = dusk_guesses_count(out, right, trials, confidence, err);
done:
    return status;
}
