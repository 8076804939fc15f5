/* SPDX-License-Identifier: Apache-2.0 */
/* Events: what is accepted, sums and repetitions in normal form, and their
 * price by basic composition. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "accounting/event.h"
#include "accounting/gaussian.h"
#include "support.h"

static void assert_refused(dusk_status status, const dusk_error *err, const char *word)
{
    assert_int_equal(status, DUSK_ERR_ARGUMENT);
    assert_int_equal(err->status, DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err->message, word));
    assert_true(strlen(err->hint) > 0);
}

static const char *text_of(const dusk_event *event)
{
    static char text[8192];
    assert_int_equal(dusk_event_format(event, text, sizeof text, NULL), DUSK_OK);
    return text;
}

static dusk_event event_of(const char *text)
{
    dusk_event event;
    dusk_error err = { .message = "" };
    if (dusk_event_parse(&event, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return event;
}

static double epsilon_of(const char *text, double delta)
{
    dusk_event event = event_of(text);
    double epsilon = -1;
    assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, delta, NULL), DUSK_OK);
    assert_true(epsilon >= 0);
    return epsilon;
}

static void constructors(void **state)
{
    dusk_event e;
    (void)state;
#define MAKES(call, text)                                                                                    \
    assert_int_equal(call, DUSK_OK);                                                                         \
    assert_string_equal(text_of(&e), text)
    MAKES(dusk_event_pure(&e, 0, NULL), "pure(0)");
    MAKES(dusk_event_pure(&e, -0.0, NULL), "pure(0)");
    MAKES(dusk_event_approx(&e, 0.5, 1e-6, NULL), "approx(0.5, 1e-06)");
    MAKES(dusk_event_zcdp(&e, 0.25, NULL), "zcdp(0.25)");
    MAKES(dusk_event_gdp(&e, 1, NULL), "gdp(1)");
    MAKES(dusk_event_laplace(&e, 2, NULL), "laplace(2)");
    MAKES(dusk_event_gaussian(&e, 0.1, NULL), "gaussian(0.1)");
    MAKES(dusk_event_discrete_laplace(&e, 2, 1, NULL), "discrete_laplace(2)");
    MAKES(dusk_event_discrete_laplace(&e, 2, 3, NULL), "discrete_laplace(2, 3)");
    MAKES(dusk_event_discrete_gaussian(&e, 2, UINT64_MAX, NULL),
          "discrete_gaussian(2, 18446744073709551615)");
    MAKES(dusk_event_randomized_response(&e, 1, 2, NULL), "randomized_response(1, 2)");
    MAKES(dusk_event_exponential(&e, 1, NULL), "exponential(1)");
    MAKES(dusk_event_permute_and_flip(&e, 1, NULL), "permute_and_flip(1)");
    MAKES(dusk_event_noisy_max(&e, 1, NULL), "noisy_max(1)");
    MAKES(dusk_event_svt(&e, 0.5, 1, 3, NULL), "svt(0.5, 1, 3)");
    MAKES(dusk_event_metric(&e, 0.01, 200, NULL), "metric(0.01, 200)");
    MAKES(dusk_event_metric(&e, 0, -0.0, NULL), "metric(0, 0)");
    MAKES(dusk_event_approximate_zcdp(&e, 1, 0, NULL), "zcdp(1)");
    MAKES(dusk_event_approximate_zcdp(&e, 1, 0.5, NULL), "zcdp(1, 0.5)");
    MAKES(dusk_event_mcdp(&e, 1, 2, NULL), "mcdp(1, 2)");
    MAKES(dusk_event_tcdp(&e, 1, 2, NULL), "tcdp(1, 2)");
    MAKES(dusk_event_staircase(&e, 1, 0.25, NULL), "staircase(1, 0.25)");
    MAKES(dusk_event_svt_gaussian(&e, 1, 2, 3, NULL), "svt_gaussian(1, 2, 3)");
    MAKES(dusk_event_threshold_monitor(&e, 0.5, 20, NULL), "threshold_monitor(0.5, 20)");
    MAKES(dusk_event_tree(&e, 1, 1024, NULL), "tree(1, 1024)");
    MAKES(dusk_event_matrix(&e, 1, 2, NULL), "matrix(1, 2)");
    MAKES(dusk_event_shuffle(&e, 1000, 0, NULL), "shuffle(1000, 0)");
    MAKES(dusk_event_shuffle_response(&e, 1000, 3, 0.5, NULL), "shuffle_response(1000, 3, 0.5)");
#undef MAKES
}

/* A wrapper may be made of itself. */
static void wrappers(void **state)
{
    dusk_event e = event_of("pure(1) + gaussian(2) * 3"), parts[2] = { e, event_of("laplace(1)") };
    (void)state;
    assert_int_equal(dusk_event_poisson(&e, 0.5, &e, NULL), DUSK_OK);
    assert_int_equal(dusk_event_without_replacement(&e, 3, 4, &e, NULL), DUSK_OK);
    assert_int_equal(dusk_event_repeat(&e, &e, 7, NULL), DUSK_OK);
    assert_int_equal(dusk_event_with_replacement(&e, 4, 3, &e, NULL), DUSK_OK);
    assert_int_equal(dusk_event_group(&e, 2, &e, NULL), DUSK_OK);
    assert_int_equal(dusk_event_select_best(&e, -0.0, 0.5, &e, NULL), DUSK_OK);
    assert_int_equal(dusk_event_select_poisson(&e, 10, &e, NULL), DUSK_OK);
    assert_string_equal(text_of(&e),
                        "select_poisson(10, select_best(0, 0.5, group(2, with_replacement(4, 3, "
                        "without_replacement(3, 4, poisson(0.5, pure(1) + gaussian(2) * 3)) * 7))))");
    assert_int_equal(dusk_event_parallel(&e, parts, 2, NULL), DUSK_OK);
    assert_string_equal(text_of(&e), "parallel(pure(1) + gaussian(2) * 3, laplace(1))");
    dusk_event again = event_of(text_of(&e));
    assert_memory_equal(&e, &again, sizeof e);
}

static void tables(void **state)
{
    const double order[] = { 1.5, 2, 1e300 }, epsilon[] = { 0, 1, 0.5 };
    const double one[] = { 0, 0.5, 1 }, two[] = { 0.9, 0.2, -0.0 };
    const double loss[] = { -1, -0.0, 1 }, p[] = { 0.125, 0.25, 0.5 };
    double many[DUSK_EVENT_NODES_MAX];
    dusk_event e;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_event_rdp(&e, order, epsilon, 3, NULL), DUSK_OK);
    assert_string_equal(text_of(&e), "rdp(1.5: 0, 2: 1, 1e+300: 0.5)");
    assert_int_equal(dusk_event_fdp(&e, one, two, 3, NULL), DUSK_OK);
    assert_string_equal(text_of(&e), "fdp(0: 0.9, 0.5: 0.2, 1: 0)");
    assert_int_equal(dusk_event_pld(&e, loss, p, 3, 0, NULL), DUSK_OK);
    assert_string_equal(text_of(&e), "pld(-1: 0.125, 0: 0.25, 1: 0.5)");
    assert_int_equal(dusk_event_pld(&e, loss, p, 3, 0.125, NULL), DUSK_OK);
    assert_string_equal(text_of(&e), "pld(-1: 0.125, 0: 0.25, 1: 0.5, inf: 0.125)");
    dusk_event again = event_of(text_of(&e));
    assert_memory_equal(&e, &again, sizeof e);
    assert_refused(dusk_event_pld(&e, loss, p, 3, 0.2, &err), &err, "more than 1");
    assert_refused(dusk_event_pld(&e, loss, p, 3, -0.2, &err), &err, "probability");
    assert_refused(dusk_event_pld(&e, loss, p, 3, NAN, &err), &err, "probability");
    assert_refused(dusk_event_pld(&e, loss, p, 0, 0, &err), &err, "at least one point");
    assert_refused(dusk_event_rdp(&e, NULL, NULL, 0, &err), &err, "at least one point");
    assert_refused(dusk_event_rdp(&e, one, epsilon, 3, &err), &err, "orders");
    assert_refused(dusk_event_fdp(&e, one, one, 3, &err), &err, "type II");
    for (int i = 0; i < DUSK_EVENT_NODES_MAX; i++) many[i] = 2 + i;
    assert_int_equal(dusk_event_rdp(&e, many, many, DUSK_EVENT_NODES_MAX - 1, &err), DUSK_OK);
    assert_refused(dusk_event_rdp(&e, many, many, DUSK_EVENT_NODES_MAX, &err), &err, "128 different parts");
    for (int i = 0; i < DUSK_EVENT_NODES_MAX; i++) many[i] = NAN;
    assert_refused(dusk_event_rdp(&e, many, many, 5, &err), &err, "orders");
    assert_refused(dusk_event_fdp(&e, many, many, 5, &err), &err, "type I");
    assert_refused(dusk_event_pld(&e, many, many, 5, 0, &err), &err, "probability");
}

/* What is wrapped must still be written and read back. */
static void too_deep_or_too_large(void **state)
{
    dusk_event e = event_of("pure(1)"), wide = e, next, parts[64];
    dusk_error err;
    (void)state;
    for (int i = 0; i < DUSK_EVENT_DEPTH_MAX; i++)
        assert_int_equal(i % 2 ? dusk_event_group(&e, 2, &e, NULL) : dusk_event_parallel(&e, &e, 1, NULL),
                         DUSK_OK);
    dusk_event again = event_of(text_of(&e));
    assert_memory_equal(&e, &again, sizeof e);
    assert_refused(dusk_event_group(&e, 2, &e, &err), &err, "64 deep");
    assert_refused(dusk_event_parallel(&e, &e, 1, &err), &err, "64 deep");
    assert_memory_equal(&e, &again, sizeof e);
    for (int i = 2; i <= DUSK_EVENT_NODES_MAX; i++) {
        assert_int_equal(dusk_event_pure(&next, i, NULL), DUSK_OK);
        assert_int_equal(dusk_event_add(&wide, &wide, &next, NULL), DUSK_OK);
    }
    assert_refused(dusk_event_poisson(&wide, 0.5, &wide, &err), &err, "128 different parts");
    assert_refused(dusk_event_parallel(&wide, &wide, 1, &err), &err, "128 different parts");
    for (int i = 0; i < 64; i++) parts[i] = next;
    assert_int_equal(dusk_event_parallel(&e, parts, 63, NULL), DUSK_OK);
    assert_refused(dusk_event_parallel(&e, parts, 64, &err), &err, "128 different parts");
    assert_refused(dusk_event_parallel(&e, parts, 0, &err), &err, "no events");
}

/* Wrappers are the same only when what they wrap is. */
static void equal_trees(void **state)
{
    dusk_event a = event_of("poisson(0.5, gaussian(1)) * 2"), b = event_of("poisson(0.5, gaussian(2))"), sum;
    (void)state;
    assert_int_equal(dusk_event_add(&sum, &a, &b, NULL), DUSK_OK);
    assert_string_equal(text_of(&sum), "poisson(0.5, gaussian(1)) * 2 + poisson(0.5, gaussian(2))");
    b = event_of("poisson(0.5, gaussian(1) * 2) + poisson(0.5, gaussian(1)) * 3");
    assert_int_equal(dusk_event_add(&sum, &a, &b, NULL), DUSK_OK);
    assert_string_equal(text_of(&sum), "poisson(0.5, gaussian(1)) * 5 + poisson(0.5, gaussian(1) * 2)");
}

static void bad_parameters(void **state)
{
    const double bad[] = { -1, -DBL_TRUE_MIN, NAN, INFINITY, -INFINITY };
    dusk_event e, good = event_of("pure(1)");
    dusk_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double x = bad[i];
        assert_refused(dusk_event_pure(&e, x, &err), &err, "epsilon");
        assert_refused(dusk_event_approx(&e, x, 0, &err), &err, "epsilon");
        assert_refused(dusk_event_approx(&e, 1, x, &err), &err, "delta");
        assert_refused(dusk_event_zcdp(&e, x, &err), &err, "rho");
        assert_refused(dusk_event_gdp(&e, x, &err), &err, "mu");
        assert_refused(dusk_event_laplace(&e, x, &err), &err, "scale");
        assert_refused(dusk_event_gaussian(&e, x, &err), &err, "sigma");
        assert_refused(dusk_event_discrete_laplace(&e, x, 1, &err), &err, "scale");
        assert_refused(dusk_event_discrete_gaussian(&e, x, 1, &err), &err, "sigma");
        assert_refused(dusk_event_randomized_response(&e, x, 2, &err), &err, "epsilon");
        assert_refused(dusk_event_exponential(&e, x, &err), &err, "epsilon");
        assert_refused(dusk_event_permute_and_flip(&e, x, &err), &err, "epsilon");
        assert_refused(dusk_event_noisy_max(&e, x, &err), &err, "epsilon");
        assert_refused(dusk_event_svt(&e, x, 1, 1, &err), &err, "epsilon_threshold");
        assert_refused(dusk_event_svt(&e, 1, x, 1, &err), &err, "epsilon_queries");
        assert_refused(dusk_event_metric(&e, x, 1, &err), &err, "epsilon");
        assert_refused(dusk_event_metric(&e, 1, x, &err), &err, "distance");
        assert_refused(dusk_event_approximate_zcdp(&e, x, 1, &err), &err, "rho");
        assert_refused(dusk_event_approximate_zcdp(&e, 1, x, &err), &err, "xi");
        assert_refused(dusk_event_mcdp(&e, x, 1, &err), &err, "mu");
        assert_refused(dusk_event_mcdp(&e, 1, x, &err), &err, "tau");
        assert_refused(dusk_event_tcdp(&e, x, 2, &err), &err, "rho");
        assert_refused(dusk_event_tcdp(&e, 1, x, &err), &err, "omega");
        assert_refused(dusk_event_staircase(&e, x, 0.5, &err), &err, "epsilon");
        assert_refused(dusk_event_staircase(&e, 1, x, &err), &err, "gamma");
        assert_refused(dusk_event_svt_gaussian(&e, x, 1, 1, &err), &err, "sigma_threshold");
        assert_refused(dusk_event_threshold_monitor(&e, x, 1, &err), &err, "epsilon");
        assert_refused(dusk_event_svt_gaussian(&e, 1, x, 1, &err), &err, "sigma_queries");
        assert_refused(dusk_event_tree(&e, x, 1, &err), &err, "sigma");
        assert_refused(dusk_event_matrix(&e, x, 1, &err), &err, "sigma");
        assert_refused(dusk_event_matrix(&e, 1, x, &err), &err, "column_norm");
        assert_refused(dusk_event_shuffle(&e, 1, x, &err), &err, "epsilon");
        assert_refused(dusk_event_shuffle_response(&e, 1, 2, x, &err), &err, "epsilon");
        assert_refused(dusk_event_poisson(&e, x, &good, &err), &err, "rate");
        if (x != -DBL_TRUE_MIN) assert_refused(dusk_event_select_best(&e, x, 0.5, &good, &err), &err, "eta");
        assert_refused(dusk_event_select_best(&e, 1, x, &good, &err), &err, "gamma");
        assert_refused(dusk_event_select_poisson(&e, x, &good, &err), &err, "mu");
    }
    assert_refused(dusk_event_gaussian(&e, 0, &err), &err, "sigma");
    assert_refused(dusk_event_approx(&e, 1, 1, &err), &err, "delta");
    assert_refused(dusk_event_discrete_laplace(&e, 1, 0, &err), &err, "sensitivity");
    assert_refused(dusk_event_discrete_gaussian(&e, 1, 0, &err), &err, "sensitivity");
    assert_refused(dusk_event_randomized_response(&e, 1, 1, &err), &err, "answers");
    assert_refused(dusk_event_svt(&e, 1, 1, 0, &err), &err, "hits");
    assert_refused(dusk_event_metric(&e, 1e200, 1e200, &err), &err, "distance");
    assert_refused(dusk_event_svt_gaussian(&e, 1, 1, 0, &err), &err, "queries");
    assert_refused(dusk_event_threshold_monitor(&e, 1, 0, &err), &err, "contributions");
    assert_refused(dusk_event_tree(&e, 1, 0, &err), &err, "items");
    assert_refused(dusk_event_shuffle(&e, 0, 1, &err), &err, "reports");
    assert_refused(dusk_event_shuffle_response(&e, 0, 2, 1, &err), &err, "reports");
    assert_refused(dusk_event_shuffle_response(&e, 1, 1, 1, &err), &err, "answers");
    assert_refused(dusk_event_poisson(&e, 1 + DBL_EPSILON, &good, &err), &err, "rate");
    assert_refused(dusk_event_without_replacement(&e, 0, 1, &good, &err), &err, "sample");
    assert_refused(dusk_event_without_replacement(&e, 2, 1, &good, &err), &err, "sample");
    assert_refused(dusk_event_with_replacement(&e, 0, 1, &good, &err), &err, "draws");
    assert_refused(dusk_event_with_replacement(&e, 1, 0, &good, &err), &err, "units");
    assert_refused(dusk_event_group(&e, 0, &good, &err), &err, "size");
    assert_refused(dusk_event_select_best(&e, 1, 1, &good, &err), &err, "gamma");
}

static void sums_and_repetitions(void **state)
{
    dusk_event a = event_of("laplace(2)"), b = event_of("gaussian(1) + laplace(2) * 3"), sum;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_event_add(&sum, &a, &b, NULL), DUSK_OK);
    assert_string_equal(text_of(&sum), "laplace(2) * 4 + gaussian(1)");
    assert_int_equal(dusk_event_add(&a, &a, &a, NULL), DUSK_OK);
    assert_string_equal(text_of(&a), "laplace(2) * 2");
    assert_int_equal(dusk_event_repeat(&sum, &sum, 10, NULL), DUSK_OK);
    assert_string_equal(text_of(&sum), "laplace(2) * 40 + gaussian(1) * 10");
    assert_refused(dusk_event_repeat(&sum, &sum, 0, &err), &err, "times");
    assert_refused(dusk_event_repeat(&sum, &sum, UINT64_MAX, &err), &err, "2^62");
    assert_int_equal(dusk_event_repeat(&a, &a, UINT64_C(1) << 61, NULL), DUSK_OK);
    assert_string_equal(text_of(&a), "laplace(2) * 4611686018427387904");
    assert_refused(dusk_event_repeat(&a, &a, 2, &err), &err, "2^62");
    assert_refused(dusk_event_add(&a, &a, &a, &err), &err, "2^62");
    assert_string_equal(text_of(&a), "laplace(2) * 4611686018427387904");
}

static void too_many_parts(void **state)
{
    dusk_event sum = event_of("pure(1)"), next, wide;
    dusk_error err;
    (void)state;
    for (int i = 2; i <= DUSK_EVENT_NODES_MAX; i++) {
        assert_int_equal(dusk_event_pure(&next, i, NULL), DUSK_OK);
        assert_int_equal(dusk_event_add(&sum, &sum, &next, NULL), DUSK_OK);
    }
    assert_int_equal(dusk_event_add(&sum, &sum, &next, NULL), DUSK_OK); /* counted with its equal */
    next = event_of("pure(0.5)");
    assert_refused(dusk_event_add(&sum, &sum, &next, &err), &err, "parts");

    /* Long numbers: refused before the text form outgrows 8192 bytes. */
    dusk_status status =
        dusk_event_svt(&wide, 1.2345678901234567e-300, 1.2345678901234567e-300, UINT64_MAX, NULL);
    for (int i = 1; i < DUSK_EVENT_NODES_MAX && status == DUSK_OK; i++) {
        assert_true(strlen(text_of(&wide)) < 8192);
        assert_int_equal(dusk_event_svt(&next, 1.2345678901234567e-300, 1.2345678901234567e-200 * i,
                                        UINT64_MAX - (uint64_t)i, NULL),
                         DUSK_OK);
        status = dusk_event_add(&wide, &wide, &next, &err);
    }
    assert_refused(status, &err, "8191 bytes");
    assert_refused(dusk_event_repeat(&wide, &wide, UINT64_C(1) << 60, &err), &err, "8191 bytes");
}

static void never_made(void **state)
{
    dusk_event zero, bad = event_of("pure(1)"), good = bad, out;
    dusk_error err;
    double epsilon = 7;
    char text[64];
    (void)state;
    memset(&zero, 0, sizeof zero);
    memset(&bad, 0xff, sizeof bad);
    assert_refused(dusk_event_add(&out, &zero, &good, &err), &err, "never made");
    assert_refused(dusk_event_add(&out, &good, &bad, &err), &err, "never made");
    assert_refused(dusk_event_repeat(&out, &bad, 1, &err), &err, "never made");
    assert_refused(dusk_event_format(&zero, text, sizeof text, &err), &err, "never made");
    assert_refused(dusk_event_epsilon_up(&bad, &epsilon, 0, &err), &err, "never made");
    assert_refused(dusk_event_epsilon_up(&good, &epsilon, 1, &err), &err, "delta");
    assert_refused(dusk_event_epsilon_up(&good, &epsilon, -1, &err), &err, "delta");
    assert_refused(dusk_event_epsilon_up(&good, &epsilon, NAN, &err), &err, "delta");
    assert_true(epsilon == 7);
}

/* Any word of a good event overwritten: read or refused, never worse. */
static void forged(void **state)
{
    const dusk_event good =
        event_of("parallel(pure(1), rdp(2: 1, 3: 2)) + poisson(0.5, pure(2)) + svt(1, 2, 3)");
    const uint64_t words[] = {
        0, 1, 2, 3, 128, 129, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX, 0x3ff0000000000000
    };
    char text[DUSK_EVENT_TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < 1 + 6 * 12; i++)
        for (size_t j = 0; j < 2 * sizeof words / sizeof *words; j++) {
            dusk_event bad = good, again;
            bad.opaque[i] =
                j % 2 ? words[j / 2] : bad.opaque[i] + words[j / 2] * (UINT64_C(1) << 32) + words[j / 2];
            dusk_status status = dusk_event_format(&bad, text, sizeof text, NULL);
            if (status == DUSK_OK)
                assert_int_equal(dusk_event_parse(&again, text, NULL), DUSK_OK);
            else
                assert_int_equal(status, DUSK_ERR_ARGUMENT);
        }
}

/* A25 in the list of attacks: tiny spends must not vanish. */
static void many_tiny_spends(void **state)
{
    (void)state;
    assert_true(epsilon_of("pure(1e-12) * 1000000000", 0) >= 1e-3);
    assert_true(epsilon_of("pure(1e-12) * 1000000000", 0) <= 1e-3 * (1 + 1e-15));
    assert_true(epsilon_of("pure(5e-324) * 4611686018427387904", 0) >= 0x1p-1012);
    assert_true(epsilon_of("pure(1) + pure(5e-324)", 0) > 1);
    assert_true(fma(epsilon_of("laplace(3)", 0), 3, -1) >= 0);
    assert_true(fma(epsilon_of("discrete_laplace(7, 3)", 0), 7, -3) >= 0);
}

static void pure_prices(void **state)
{
    (void)state;
    assert_true(epsilon_of("pure(0) * 10", 0) == 0);
    assert_true(epsilon_of("pure(0.5) * 4", 0) == 2);
    assert_true(epsilon_of("laplace(2) * 4 + pure(1)", 1e-6) == 3);
    assert_true(epsilon_of("discrete_laplace(2, 6)", 1e-6) == 3);
    assert_true(epsilon_of("randomized_response(1, 4)", 0) == 1);
    assert_true(epsilon_of("exponential(1) + permute_and_flip(2) + noisy_max(4)", 0) == 7);
    assert_true(epsilon_of("svt(0.5, 1, 10) * 2", 0) == 3);
    assert_true(epsilon_of("metric(0.25, 4) * 3", 0) == 3);
    double product = epsilon_of("metric(0.1, 0.1)", 0.5);
    assert_true(fma(0.1, 0.1, -product) <= 0 && product < 0.010000000000000004);
    assert_true(epsilon_of("pure(1e308) * 1000", 0) == INFINITY);
}

/* One part given all of delta, by its exact curve. */
static void single_prices(void **state)
{
    const double delta = 0x1p-10;
    (void)state;
    double laplace = epsilon_of("laplace(1)", delta),
           response = epsilon_of("randomized_response(1, 4)", delta);
    assert_true(laplace >= 1 + 2 * log1p(-delta) - 1e-15 && laplace <= 1 + 2 * log1p(-delta) + 1e-15);
    assert_true(epsilon_of("laplace(1000)", 0.1) == 0);
    /* delta(eps) = (e^1 - e^eps) / (e^1 + 3) */
    assert_true(fabs((M_E - exp(response)) / (M_E + 3) - delta) < 1e-15);
    assert_true(epsilon_of("randomized_response(0.01, 100)", 0.9) == 0);
    assert_true(epsilon_of("laplace(1) * 2", delta) == 2);
}

static void delta_is_shared(void **state)
{
    (void)state;
    assert_true(epsilon_of("approx(1, 1e-6)", 1e-6) == 1);
    assert_true(epsilon_of("approx(1, 1e-6) * 2", 3e-6) == 2);
    assert_true(epsilon_of("approx(1, 1e-6) * 3", 2.9e-6) == INFINITY);
    assert_true(epsilon_of("approx(1, 1e-6)", 0) == INFINITY);
    assert_true(epsilon_of("approx(1, 0)", 0) == 1);
    assert_true(epsilon_of("gaussian(1)", 0) == INFINITY);
    assert_true(epsilon_of("zcdp(1)", 0) == INFINITY);
    assert_true(epsilon_of("discrete_gaussian(1)", 0) == INFINITY);
    assert_true(epsilon_of("gaussian(1) + approx(1, 1e-6)", 1e-6) == INFINITY);

    assert_true(epsilon_of("gaussian(2)", 1e-6) == dusk_gaussian_epsilon_up(2, 1e-6));
    assert_true(epsilon_of("pure(1) + gaussian(2)", 1e-6) >= 1 + dusk_gaussian_epsilon_up(2, 1e-6));
    double two = epsilon_of("discrete_gaussian(2) * 2", 1e-6);
    assert_true(two == 2 * dusk_discrete_gaussian_epsilon_up(2, 1, 5e-7));
    double mixed = epsilon_of("approx(1, 0.00048828125) + discrete_gaussian(2) + gaussian(3)", 0x1p-10);
    double expected =
        1 + dusk_discrete_gaussian_epsilon_up(2, 1, 0x1p-12) + dusk_gaussian_epsilon_up(3, 0x1p-12);
    assert_true(fabs(mixed - expected) < 1e-14);
    assert_true(epsilon_of("discrete_gaussian(1e9) * 4611686018427387904", 1e-300) > 1e9);
}

/* Gaussian parts are one Gaussian: mu^2 adds. */
static void gaussians_merge(void **state)
{
    (void)state;
    double one = dusk_gaussian_epsilon_up(2, 1e-6);
    const char *same[] = { "gaussian(4) * 4", "gdp(0.25) * 4", "gdp(0.5)", "gaussian(4) * 2 + gdp(0.25) * 2",
                           "gaussian(4) + gaussian(4) + gdp(0.25) + gdp(0.25)" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double epsilon = epsilon_of(same[i], 1e-6);
        assert_true(epsilon >= one && epsilon <= one * (1 + 1e-14));
    }
    assert_true(epsilon_of("gaussian(1e200) * 4611686018427387904", 1e-6) >= 0);
    assert_true(epsilon_of("gaussian(1e-200)", 1e-6) == INFINITY);
    double zcdp = epsilon_of("zcdp(0.25) * 2 + zcdp(0.5)", 1e-6);
    assert_true(zcdp == epsilon_of("zcdp(1)", 1e-6));
}

/* xi moves the whole curve. */
static void approximate_zcdp(void **state)
{
    (void)state;
    double plain = epsilon_of("zcdp(0.5)", 1e-6), more = epsilon_of("zcdp(0.25, 0.125) * 2", 1e-6);
    assert_true(more >= plain + 0.25 && more <= plain + 0.25 + 1e-14);
    assert_true(epsilon_of("zcdp(0.5, 1e308) * 10", 1e-6) == INFINITY);
}

static void no_basic_price(void **state)
{
    const char *const texts[] = { "mcdp(1, 1)", "pure(1) + tcdp(1, 2)", "rdp(2: 1)", "poisson(0, pure(1))",
                                  "parallel(pure(1))" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dusk_event e = event_of(texts[i]);
        dusk_error err;
        double epsilon = 7;
        assert_int_equal(dusk_event_epsilon_up(&e, &epsilon, 1e-6, &err), DUSK_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.hint, "dusk_account_epsilon"));
        assert_true(epsilon == 7);
    }
}

/* The best order of the zCDP conversion, by trying many. */
static void zcdp_order_is_best(void **state)
{
    const double rho[] = { 1e-12, 1e-3, 0.5, 20, 1e6 }, delta[] = { 1e-300, 1e-9, 0.1 };
    (void)state;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 3; j++) {
            dusk_event e;
            double epsilon, best = INFINITY;
            assert_int_equal(dusk_event_zcdp(&e, rho[i], NULL), DUSK_OK);
            assert_int_equal(dusk_event_epsilon_up(&e, &epsilon, delta[j], NULL), DUSK_OK);
            for (double a = 1e-6; a < 1e12; a *= 1.01) {
                double tried = (1 + a) * rho[i] - log1p(1 / a) + (-log(delta[j]) - log1p(a)) / a;
                if (tried < best) best = tried;
            }
            if (best < 0) best = 0;
            assert_true(epsilon <= best + 1e-12 * (1 + best) && epsilon >= best - 1e-3 * best - 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constructors),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(sums_and_repetitions),
        cmocka_unit_test(too_many_parts),
        cmocka_unit_test(never_made),
        cmocka_unit_test(many_tiny_spends),
        cmocka_unit_test(pure_prices),
        cmocka_unit_test(single_prices),
        cmocka_unit_test(delta_is_shared),
        cmocka_unit_test(gaussians_merge),
        cmocka_unit_test(zcdp_order_is_best),
        cmocka_unit_test(wrappers),
        cmocka_unit_test(tables),
        cmocka_unit_test(too_deep_or_too_large),
        cmocka_unit_test(equal_trees),
        cmocka_unit_test(forged),
        cmocka_unit_test(approximate_zcdp),
        cmocka_unit_test(no_basic_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
