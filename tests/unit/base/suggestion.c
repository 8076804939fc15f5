/* SPDX-License-Identifier: Apache-2.0 */
/* Which of some words is meant: a third of the letters may be wrong, or the word is cut short. */
#include "base/suggestion.h"

#include "support.h"

static const char *nearest(const char *typed)
{
    static const char *const known[] = { "optimiser", "learning_rate", "lot", "epochs" };
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, typed);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) dusk_suggestion_offer(&suggestion, known[i]);
    return suggestion.best;
}

static void near_words(void **state)
{
    (void)state;
    assert_string_equal(nearest("optimizer"), "optimiser");
    assert_string_equal(nearest("learning-rate"), "learning_rate");
    assert_string_equal(nearest("learn"), "learning_rate");
    assert_string_equal(nearest("epcohs"), "epochs"); /* neighbours swapped */
    assert_string_equal(nearest("lit"), "lot");
    assert_string_equal(nearest("lr"), "learning_rate"); /* initials */
}

static void far_words(void **state)
{
    (void)state;
    assert_null(nearest("momentum"));
    assert_null(nearest("ln"));
    assert_null(nearest("lrx"));
    assert_null(nearest(""));
    assert_null(nearest("a word of more than thirty-two letters, which is far from all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(near_words), cmocka_unit_test(far_words) };
    return cmocka_run_group_tests_name("suggestion", tests, NULL, NULL);
}
