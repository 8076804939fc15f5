/* SPDX-License-Identifier: Apache-2.0 */
/* Generators that play a coin tape, and the walk over all tapes: the law of a
 * sampler as exact sums of powers of two, without statistics. Test builds
 * only. What a sampler does with probability below the undecided mass is not
 * seen. */
#include "random/tape.h"

#ifdef DUSK_TESTING
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/state.h"

/* Coins at..at+bits-1 of a tape as the top bits of a word; 1 <= bits <= 64. */
static uint64_t read_coins(const uint64_t *tape, unsigned at, unsigned bits)
{
    unsigned i = at / 64, shift = at % 64;
    uint64_t word = tape[i] << shift;
    if (shift + bits > 64) word |= tape[i + 1] >> (64 - shift);
    return bits < 64 ? word & ~(UINT64_MAX >> bits) : word;
}

/* Nothing is taken when the request as a whole does not fit. */
static dusk_status check_left(dusk_tape *tape, size_t coins, dusk_error *err)
{
    size_t left = tape->length - tape->taken;
    tape->missing = coins > left ? coins - left : 0;
    if (tape->missing == 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ENTROPY, "give the test a longer tape", "the coin tape has run out");
}

dusk_status dusk_tape_words(dusk_tape *tape, uint64_t *out, size_t n, unsigned bits, dusk_error *err)
{
    dusk_status status = check_left(tape, n * bits, err);
    for (size_t i = 0; i < n; i++) {
        out[i] = status == DUSK_OK ? read_coins(tape->bits, tape->taken, bits) : 0;
        if (status == DUSK_OK) tape->taken += bits;
    }
    return status;
}

dusk_status dusk_tape_bytes(dusk_tape *tape, unsigned char *out, size_t n, dusk_error *err)
{
    dusk_status status = check_left(tape, n * 8, err);
    for (size_t i = 0; i < n; i++) {
        out[i] = status == DUSK_OK ? (unsigned char)(read_coins(tape->bits, tape->taken, 8) >> 56) : 0;
        if (status == DUSK_OK) tape->taken += 8;
    }
    return status;
}

dusk_status dusk_generator_new_tape(dusk_generator **out, const uint64_t *bits, unsigned length,
                                    dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_generator *gen = NULL;

    *out = NULL;
    DUSK_NEW(gen, 1);
    gen->is_tape = true;
    gen->tape = (dusk_tape){ .bits = bits, .length = length };
    *out = gen;
done:
    return status;
}

void dusk_generator_rewind(dusk_generator *gen, const uint64_t *bits, unsigned length)
{
    gen->tape = (dusk_tape){ .bits = bits ? bits : gen->tape.bits, .length = length };
}

unsigned dusk_generator_taken(const dusk_generator *gen) { return gen->tape.taken; }

double dusk_tape_weight(const dusk_generator *gen) { return ldexp(1.0, -(int)gen->tape.taken); }

/* 2^32 continuations at once take minutes; more would never end. */
enum { WALK_WORDS = 16, WALK_MOST = 32 };

typedef struct walk {
    dusk_generator *gen;
    unsigned depth;
    dusk_tape_run *run;
    void *context;
    double undecided;
    uint64_t bits[WALK_WORDS];
} walk;

static void write_coin(uint64_t *tape, unsigned at, uint64_t coin)
{
    uint64_t mask = (uint64_t)1 << (63 - at % 64);
    tape[at / 64] = coin ? tape[at / 64] | mask : tape[at / 64] & ~mask;
}

/* Run on the first `length` coins; where that is too short, on all their
 * continuations by as many coins as the sampler asked for in vain. One that
 * is false without having asked counts as undecided, so that it is noticed. */
static void walk_from(walk *w, unsigned length)
{
    dusk_generator_rewind(w->gen, w->bits, length);
    if (w->run(w->gen, w->context)) return;
    size_t missing = w->gen->tape.missing;
    if (missing == 0 || missing > WALK_MOST || missing > w->depth - length) {
        w->undecided += ldexp(1.0, -(int)length);
        return;
    }
    for (uint64_t more = 0; more >> missing == 0; more++) {
        for (unsigned i = 0; i < missing; i++) write_coin(w->bits, length + i, more >> (missing - 1 - i) & 1);
        walk_from(w, length + (unsigned)missing);
    }
}

double dusk_tape_walk(unsigned depth, dusk_tape_run *run, void *context)
{
    walk w = { .depth = depth, .run = run, .context = context };
    if (depth > 64 * WALK_WORDS || dusk_generator_new_tape(&w.gen, w.bits, 0, NULL) != DUSK_OK) return 1;
    walk_from(&w, 0);
    dusk_generator_free(w.gen);
    return w.undecided;
}
#else
typedef int dusk_tapes_are_absent; /* a translation unit may not be empty */
#endif
