/* SPDX-License-Identifier: Apache-2.0 */
/* Normal numbers, two for two words [Box & Muller 1958]. */
#include "learn/normals.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/generator.h"

dusk_status learn_uniform(double *out, dusk_generator *gen, dusk_error *err)
{
    uint64_t word;
    dusk_status status = dusk_generator_words(gen, &word, 1, 64, err);
    if (status == DUSK_OK) *out = learn_part_of(word);
    return status;
}

dusk_status learn_normals(double *out, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < n; i += 2) {
        uint64_t word[2];
        DUSK_TRY(dusk_generator_words(gen, word, 2, 64, err));
        double radius = sqrt(-2 * log(learn_part_of(word[0]))), angle = 2 * M_PI * learn_part_of(word[1]);
        out[i] = radius * cos(angle);
        if (i + 1 < n) out[i + 1] = radius * sin(angle);
    }
done:
    return status;
}
