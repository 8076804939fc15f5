/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ATTACK_CHOICES_H
#define DUSK_ATTACK_CHOICES_H

/* Choices of an attacker: which groups to ask about, which way a coin of a game falls.
 * Repeatable from a seed (splitmix64 [Steele, Lea & Flood 2014]), and therefore never for a
 * release: nothing here protects anybody. */

#include <stdint.h>

typedef struct attack_choices {
    uint64_t state;
} attack_choices;

static inline uint64_t attack_word(attack_choices *choices)
{
    uint64_t z = choices->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif
