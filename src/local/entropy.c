/* SPDX-License-Identifier: Apache-2.0 */
/* The library's generator as entropy of a device: for simulations, and for programs that report. */
#include <string.h>

#include "base/memory.h"
#include "dusk/local.h"
#include "random/generator.h"

/* n bytes that are left. */
static inline void take(dusk_generator_entropy *e, uint8_t *bytes, size_t n)
{
    uint8_t *from = e->buffer + sizeof e->buffer - e->left;
    memcpy(bytes, from, n);
    memset(from, 0, n);
    e->left -= n;
}

static int fill(void *context, uint8_t *bytes, size_t n)
{
    dusk_generator_entropy *e = context;
    if (n == 8 && e->left >= 8) { /* nearly always: a length that the compiler knows */
        take(e, bytes, 8);
        return 0;
    }
    if (n == 4 && e->left >= 4) {
        take(e, bytes, 4);
        return 0;
    }
    while (n > 0) {
        if (e->left == 0) {
            if (dusk_generator_bytes(e->gen, e->buffer, sizeof e->buffer, NULL) != DUSK_OK) return 1;
            e->left = sizeof e->buffer;
        }
        const size_t some = n < e->left ? n : e->left;
        take(e, bytes, some);
        bytes += some;
        n -= some;
    }
    return 0;
}

dusk_entropy dusk_entropy_of(dusk_generator_entropy *context, dusk_generator *gen)
{
    context->gen = gen;
    context->left = 0;
    return (dusk_entropy){ fill, context };
}
