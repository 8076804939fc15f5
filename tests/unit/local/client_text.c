/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as numbers: the test vector of the paper, and libsodium's SipHash at every length. */
#include <sodium.h>

#include "dusk/local_client.h"
#include "support.h"

static void as_the_paper_says(void **state)
{
    uint8_t text[100], key[16], hash[8];
    (void)state;
    for (uint8_t i = 0; i < 100; i++) text[i] = i;
    for (uint8_t i = 0; i < 16; i++) key[i] = i;
    assert_true(dusk_client_hash(text, 15) == 0xa129ca6149be45e5u); /* appendix A */
    for (size_t n = 0; n < 100; n++) {
        uint64_t expected = 0;
        crypto_shorthash(hash, text, n, key);
        for (int i = 0; i < 8; i++) expected |= (uint64_t)hash[i] << (8 * i);
        assert_true(dusk_client_hash(text, n) == expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_the_paper_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
