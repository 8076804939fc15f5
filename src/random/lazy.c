/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform numbers with lazily drawn digits; see lazy.h. */
#include "random/lazy.h"

#include "base/memory.h"

void dusk_lazy_init(dusk_lazy *u, unsigned width) { *u = (dusk_lazy){ .width = width }; }

void dusk_lazy_clear(dusk_lazy *u)
{
    if (u->more) dusk_wipe(u->more, u->room * sizeof *u->more);
    dusk_deallocate(u->more);
    dusk_wipe(u, sizeof *u);
}

static dusk_status reserve(dusk_lazy *u, uint32_t words, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *larger = NULL;
    if (words <= u->room) return DUSK_OK;
    DUSK_NEW(larger, 2 * (size_t)words);
    for (uint32_t i = 0; i < u->room; i++) larger[i] = u->more[i];
    if (u->more) dusk_wipe(u->more, u->room * sizeof *u->more);
    dusk_deallocate(u->more);
    u->more = larger;
    u->room = 2 * words;
done:
    return status;
}

/* Put `bits` mantissa digits (top bits of word) behind the `count` known ones. */
static dusk_status append_mantissa(dusk_lazy *u, uint64_t word, unsigned bits, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    while (bits) {
        unsigned at = u->count % 64, take = 64 - at < bits ? 64 - at : bits;
        uint64_t piece = word >> at;
        if (u->count < 64) {
            u->first |= piece;
        } else {
            DUSK_TRY(reserve(u, u->count / 64, err));
            u->more[u->count / 64 - 1] |= piece;
        }
        u->count += take;
        bits -= take;
        word = take < 64 ? word << take : 0;
    }
done:
    return status;
}

dusk_status dusk_lazy_append(dusk_lazy *u, uint64_t word, unsigned bits, dusk_error *err)
{
    if (bits < 64) word &= ~(UINT64_MAX >> bits);
    if (!u->leading) {
        unsigned zeros = word ? (unsigned)__builtin_clzll(word) : bits;
        u->zeros += zeros;
        if (zeros == bits) return DUSK_OK;
        u->leading = true;
        bits -= zeros + 1;
        word = bits ? word << (zeros + 1) : 0;
    }
    return append_mantissa(u, word, bits, err);
}

dusk_status dusk_lazy_refine(dusk_lazy *u, dusk_generator *gen, dusk_error *err)
{
    uint64_t word;
    dusk_status status = dusk_generator_words(gen, &word, 1, u->width, err);
    return status == DUSK_OK ? dusk_lazy_append(u, word, u->width, err) : status;
}

void dusk_lazy_enclose(const dusk_lazy *u, dusk_interval *out)
{
    /* one bit for the leading one, count for the digits, one spare: exact */
    mpfr_prec_t exact = (mpfr_prec_t)u->count + 66;
    mpfr_t low, high;
    mpfr_inits2(exact, low, high, (mpfr_ptr)0);
    if (!u->leading) {
        mpfr_set_zero(low, 1);
        mpfr_set_ui_2exp(high, 1, -(mpfr_exp_t)u->zeros, MPFR_RNDN);
    } else {
        mpfr_set_ui(low, 1, MPFR_RNDN);
        for (uint32_t i = 0; i * 64 < u->count; i++) {
            mpfr_set_ui_2exp(high, i ? u->more[i - 1] : u->first, -64 * ((mpfr_exp_t)i + 1), MPFR_RNDN);
            mpfr_add(low, low, high, MPFR_RNDN);
        }
        mpfr_set_ui_2exp(high, 1, -(mpfr_exp_t)u->count, MPFR_RNDN);
        mpfr_add(high, low, high, MPFR_RNDN);
        mpfr_div_2ui(low, low, u->zeros + 1, MPFR_RNDN);
        mpfr_div_2ui(high, high, u->zeros + 1, MPFR_RNDN);
    }
    mpfr_set(out->lo, low, MPFR_RNDD);
    mpfr_set(out->hi, high, MPFR_RNDU);
    mpfr_clears(low, high, (mpfr_ptr)0);
}
