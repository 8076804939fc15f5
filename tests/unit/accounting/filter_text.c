/* SPDX-License-Identifier: Apache-2.0 */
/* Sums as text: the same bits come back, whatever was charged, and no other text is taken. */
#include <math.h>
#include <stdio.h>

#include "accounting/filter.h"
#include "support.h"

static dusk_event event_of(const char *text)
{
    dusk_event event;
    if (dusk_event_parse(&event, text, NULL) != DUSK_OK) fail_msg("%s", text);
    return event;
}

static dusk_filter *filter_of(dusk_filter_kind kind, double epsilon)
{
    dusk_filter *filter = NULL;
    assert_int_equal(dusk_filter_new(&filter, kind, (dusk_budget){ epsilon, 1e-6 }, DUSK_ADD_REMOVE, NULL),
                     DUSK_OK);
    return filter;
}

static void text_of(const dusk_filter *filter, char out[DUSK_FILTER_TEXT_MAX])
{
    dusk_text text;
    dusk_text_init(&text, out, DUSK_FILTER_TEXT_MAX);
    dusk_filter_write(filter, &text);
    assert_false(text.overflow);
}

static dusk_event any_event(dusk_filter_kind kind, uint64_t *seed)
{
    static const char *const forms[] = { [DUSK_FILTER_BASIC] = "approx(%.17g, %.17g)",
                                         [DUSK_FILTER_ZCDP] = "zcdp(%.17g, %.17g)",
                                         [DUSK_FILTER_RDP] = "pure(%.17g) + zcdp(%.17g)",
                                         [DUSK_FILTER_GDP] = "gdp(%.17g) + gdp(%.17g)" };
    char text[96];
    double x = ldexp((double)(splitmix64(seed) >> 11), -60), y = ldexp((double)(splitmix64(seed) >> 11), -80);
    snprintf(text, sizeof text, forms[kind], x + 1e-9, y + 1e-12);
    return event_of(text);
}

/* A filter that is written and read between charges has the sums of one that is not. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *whole = filter_of(kind, 3), *stored = filter_of(kind, 3);
        char text[DUSK_FILTER_TEXT_MAX], again[DUSK_FILTER_TEXT_MAX];
        bool other;
        text_of(stored, text);
        for (int i = 0; i < 60; i++) {
            dusk_event event = any_event(kind, &seed);
            dusk_price price, read;
            char paid[DUSK_FILTER_TEXT_MAX];
            dusk_text out;
            assert_int_equal(dusk_filter_price(stored, &price, &event, 0, NULL), DUSK_OK);
            dusk_text_init(&out, paid, sizeof paid);
            dusk_price_write(stored, &price, &out);
            assert_true(dusk_price_read(stored, &read, paid));
            assert_memory_equal(&price, &read, sizeof price);
            dusk_filter_clear(stored);
            assert_true(dusk_filter_read(stored, &other, text));
            assert_false(other);
            bool fits = dusk_filter_fits(stored, &read);
            dusk_status status = dusk_filter_charge(whole, &event, NULL);
            assert_int_equal(status, fits ? DUSK_OK : DUSK_ERR_BUDGET);
            if (fits) dusk_filter_add(stored, &read);
            assert_memory_equal(&whole->meter.sum, &stored->meter.sum, sizeof price);
            text_of(stored, text);
            text_of(whole, again);
            assert_string_equal(text, again);
        }
        assert_true(dusk_filter_spent(whole) == dusk_filter_spent(stored) && dusk_filter_spent(whole) > 0);
        dusk_filter_free(whole);
        dusk_filter_free(stored);
    }
}

/* Every text with one byte changed is refused or means other numbers; none crashes. */
static void no_other_text(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *filter = filter_of(kind, 1), *before = filter_of(kind, 1);
        dusk_event event = event_of("zcdp(0.001)");
        char text[DUSK_FILTER_TEXT_MAX], back[DUSK_FILTER_TEXT_MAX];
        bool other;
        if (kind == DUSK_FILTER_BASIC || kind == DUSK_FILTER_GDP) event = event_of("pure(0.01)");
        assert_int_equal(dusk_filter_charge(filter, &event, NULL), DUSK_OK);
        text_of(filter, text);
        *before = *filter;
        for (size_t i = 0; text[i]; i++)
            for (int c = 0; c < 256; c += 1 + (c > 130) * 13) {
                char kept = text[i];
                if ((char)c == kept) continue;
                text[i] = (char)c;
                if (!dusk_filter_read(filter, &other, text) || other) {
                    assert_memory_equal(&filter->meter.sum, &before->meter.sum, sizeof before->meter.sum);
                } else {
                    text_of(filter, back);
                    assert_string_equal(back, text);
                }
                filter->meter.sum = before->meter.sum;
                text[i] = kept;
            }
        static const char *const wrong[] = { "",
                                             " ",
                                             "0",
                                             "0000000000000000 ",
                                             "7ff8000000000000",
                                             "-",
                                             "8000000000000000 8000000000000000",
                                             "000000000000000G 0000000000000000" };
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
            assert_false(dusk_filter_read(filter, &other, wrong[i]));
        dusk_filter_free(filter);
        dusk_filter_free(before);
    }
}

/* Sums of kind rdp belong to their orders. */
static void other_orders(void **state)
{
    (void)state;
    dusk_filter *one = filter_of(DUSK_FILTER_RDP, 1), *two = filter_of(DUSK_FILTER_RDP, 2);
    dusk_event event = event_of("gaussian(100)");
    char text[DUSK_FILTER_TEXT_MAX];
    bool other;
    assert_int_equal(dusk_filter_charge(one, &event, NULL), DUSK_OK);
    text_of(one, text);
    assert_true(dusk_filter_read(two, &other, text));
    assert_true(other);
    assert_true(dusk_filter_spent(two) == 0);
    dusk_filter_free(one);
    dusk_filter_free(two);
}

/* Beyond the budget nothing fits, not even what costs nothing; the share says how far. */
static void beyond(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_BASIC; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *filter = filter_of(kind, 0.5);
        dusk_event large = event_of("pure(5)"), none = event_of("pure(0)");
        dusk_price price;
        assert_int_equal(dusk_filter_price(filter, &price, &large, 0, NULL), DUSK_OK);
        assert_false(dusk_filter_fits(filter, &price));
        dusk_filter_add(filter, &price);
        assert_true(dusk_filter_share_up(filter) > 1 && dusk_filter_spent(filter) == 1);
        assert_int_equal(dusk_filter_price(filter, &price, &none, 0, NULL), DUSK_OK);
        assert_false(dusk_filter_fits(filter, &price));
        dusk_filter_free(filter);
    }
}

/* What was spent is at least what the whole composition costs, and near it. */
static void epsilon_spent(void **state)
{
    (void)state;
    for (dusk_filter_kind kind = DUSK_FILTER_ZCDP; kind <= DUSK_FILTER_GDP; kind++) {
        dusk_filter *filter = filter_of(kind, 2);
        dusk_event event = event_of("gaussian(40)");
        dusk_composition *all = NULL;
        dusk_account account;
        double epsilon = -1;
        assert_int_equal(dusk_composition_new(&all, DUSK_ADD_REMOVE, NULL), DUSK_OK);
        for (int i = 0; i < 64; i++) {
            assert_int_equal(dusk_filter_charge(filter, &event, NULL), DUSK_OK);
            assert_int_equal(dusk_composition_add(all, &event, 1, NULL), DUSK_OK);
        }
        assert_int_equal(dusk_filter_epsilon_up(filter, &epsilon, 1e-6, NULL), DUSK_OK);
        assert_int_equal(dusk_account_epsilon(&account, all, 1e-6, DUSK_BEST, NULL), DUSK_OK);
        assert_true(epsilon >= account.bound.upper && epsilon < 1.5 * account.bound.upper);
        dusk_composition_free(all);
        dusk_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_bits), cmocka_unit_test(no_other_text),
                                        cmocka_unit_test(other_orders), cmocka_unit_test(beyond),
                                        cmocka_unit_test(epsilon_spent) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
