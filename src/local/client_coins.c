/* SPDX-License-Identifier: Apache-2.0 */
/* Coins of devices; see client.h. */
#include "base/mutant.h"
#include "local/client.h"

#ifdef DUSK_TESTING
uint64_t (*dusk_client_script)(void *context, uint32_t ways, uint64_t p, unsigned lanes);
void *dusk_client_script_context;
#endif

static int words(dusk_entropy *entropy, uint64_t *out)
{
    uint8_t bytes[8];
    if (entropy->fill(entropy->context, bytes, sizeof bytes)) return DUSK_CLIENT_NO_ENTROPY;
    *out = client_word(bytes) | (uint64_t)client_word(bytes + 4) << 32;
    return 0;
}

DUSK_PROVEN(client_coin)
int client_coin(dusk_entropy *entropy, uint64_t p)
{
    uint64_t word;
#ifdef DUSK_TESTING
    if (dusk_client_script) return (int)dusk_client_script(dusk_client_script_context, 0, p, 1);
#endif
    if (words(entropy, &word)) return -1;
    return DUSK_MUTATE(CLIENT_COIN_ONE_MORE, word < p, word <= p);
}

/* All lanes compare their digits with those of p, the highest first; a lane is decided at the first digit that differs. Digits are tossed
 * until no lane is open, or p has no further digit, and then a lane that is equal is not below. */
DUSK_PROVEN(client_coins)
int client_coins(dusk_entropy *entropy, uint64_t *out, uint64_t p, unsigned lanes)
{
    uint64_t open = lanes < 64 ? ((uint64_t)1 << lanes) - 1 : ~(uint64_t)0, below = 0, digits;
#ifdef DUSK_TESTING
    if (dusk_client_script) {
        *out = dusk_client_script(dusk_client_script_context, 0, p, lanes);
        return 0;
    }
#endif
    for (; open && p; p <<= 1) {
        if (words(entropy, &digits)) return DUSK_CLIENT_NO_ENTROPY;
        if (p >> 63) {
            below |= open & ~digits;
            open &= digits;
        } else {
            open &= ~digits;
        }
    }
    *out = DUSK_MUTATE(CLIENT_COINS_KEEP_OPEN, below, below | open);
    return 0;
}

/* Lemire 2019: the high half of a product, and the few words that would make it uneven are thrown away. */
DUSK_PROVEN(client_below)
int client_below(dusk_entropy *entropy, uint32_t *out, uint32_t n)
{
    uint8_t bytes[4];
    uint64_t product;
    uint32_t uneven;
#ifdef DUSK_TESTING
    if (dusk_client_script) {
        *out = (uint32_t)dusk_client_script(dusk_client_script_context, n, 0, 0);
        return 0;
    }
#endif
    do {
        if (entropy->fill(entropy->context, bytes, sizeof bytes)) return DUSK_CLIENT_NO_ENTROPY;
        product = (uint64_t)client_word(bytes) * n;
        uneven = (uint32_t)product < n ? (uint32_t)(0 - n) % n : 0; /* seldom: a division */
        uneven = DUSK_MUTATE(CLIENT_BELOW_KEEPS_ALL, uneven, 0);
    } while ((uint32_t)product < uneven);
    *out = (uint32_t)(product >> 32);
    return 0;
}

int client_part(dusk_entropy *entropy, uint32_t *out, uint32_t part, uint32_t n)
{
    uint32_t below;
#ifdef DUSK_TESTING
    if (dusk_client_script) {
        *out = (uint32_t)dusk_client_script(dusk_client_script_context, n, part, 1);
        return 0;
    }
#endif
    if (client_below(entropy, &below, n)) return DUSK_CLIENT_NO_ENTROPY;
    *out = below < part;
    return 0;
}
