/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as 64-bit numbers: SipHash-2-4 [Aumasson & Bernstein 2012] under the key 0, 1, ..., 15 of its paper, which is public: everybody must
 * come to the same number. Two texts of a list of a million meet with probability 3e-8. */
#include "local/client.h"

#define TURN(x, b) ((x) << (b) | (x) >> (64 - (b)))

static void rounds(uint64_t v[4], int n)
{
    for (; n > 0; n--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = TURN(v[1], 13) ^ v[0];
        v[3] = TURN(v[3], 16) ^ v[2];
        v[0] = TURN(v[0], 32) + v[3];
        v[2] += v[1];
        v[1] = TURN(v[1], 17) ^ v[2];
        v[3] = TURN(v[3], 21) ^ v[0];
        v[2] = TURN(v[2], 32);
    }
}

uint64_t dusk_client_hash(const uint8_t *text, size_t n)
{
    const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
    uint64_t v[4], word;
    size_t i;
    v[0] = key[0] ^ 0x736f6d6570736575u;
    v[1] = key[1] ^ 0x646f72616e646f6du;
    v[2] = key[0] ^ 0x6c7967656e657261u;
    v[3] = key[1] ^ 0x7465646279746573u;
    for (i = 0; i + 8 <= n; i += 8) {
        word = client_get(text + i, 8);
        v[3] ^= word;
        rounds(v, 2);
        v[0] ^= word;
    }
    word = client_get(text + i, (uint32_t)(n - i)) | (uint64_t)n << 56;
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
