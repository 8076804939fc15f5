/* SPDX-License-Identifier: Apache-2.0 */
/* The Renyi accountant against the truth, from the project's vectors/accounting.json:
 * never below it, and not farther above it than Renyi accounting is known to be. */
#include <math.h>

#include "accounting/accountants.h"
#include "support.h"

static const struct row {
    const char *event;
    double delta, epsilon;
} rows[] = {
    { "poisson(0.0001, gaussian(0.5)) * 1000000", 1e-06, 4.728311148406999 },
    { "poisson(0.0001, gaussian(0.6)) * 100000", 1e-08, 1.9535634312575483 },
    { "poisson(0.0001, gaussian(1)) * 1000000", 1e-06, 0.5324211555441937 },
    { "poisson(0.001, gaussian(0.4)) * 1000", 1e-05, 7.013479044681859 },
    { "poisson(0.001, gaussian(0.5)) * 10000", 1e-06, 6.346112123530652 },
    { "poisson(0.001, gaussian(0.8)) * 100000", 1e-05, 2.574959309352654 },
    { "poisson(0.001, gaussian(1)) * 10000", 1e-05, 0.4757612892476811 },
    { "poisson(0.001, gaussian(1)) * 1000000", 1e-06, 6.694272659721074 },
    { "poisson(0.001, gaussian(2)) * 100000", 1e-08, 0.8566067123606882 },
    { "poisson(0.001, gaussian(20)) * 1000000", 1e-06, 0.1893583931085768 },
    { "poisson(0.01, gaussian(0.5)) * 1000", 1e-05, 13.360823985349572 },
    { "poisson(0.01, gaussian(0.8)) * 1000", 1e-08, 4.821772385012727 },
    { "poisson(0.01, gaussian(1)) * 100", 1e-05, 0.7180356613388083 },
    { "poisson(0.01, gaussian(1)) * 10000", 1e-06, 6.907384495045017 },
    { "poisson(0.01, gaussian(1)) * 100000", 1e-05, 25.57310698652124 },
    { "poisson(0.01, gaussian(1.1)) * 14000", 1e-05, 6.296900823327158 },
    { "poisson(0.01, gaussian(1.5)) * 10000", 1e-12, 5.443046229983917 },
    { "poisson(0.01, gaussian(2)) * 10000", 1e-06, 2.4467339444837144 },
    { "poisson(0.01, gaussian(2)) * 1000000", 1e-06, 38.80991953300696 },
    { "poisson(0.01, gaussian(10)) * 1000000", 1e-06, 4.901428113718366 },
    { "poisson(0.1, gaussian(0.5)) * 100", 1e-05, 31.37099495161757 },
    { "poisson(0.1, gaussian(1)) * 10", 1e-12, 6.908306932717305 },
    { "poisson(0.1, gaussian(5)) * 10000", 1e-08, 12.945921671519274 },
    { "poisson(0.1, gaussian(20)) * 100", 1e-12, 0.3219490888055944 },
    { "poisson(0.1, gaussian(20)) * 100000", 1e-05, 7.5183974739906745 },
    { "poisson(0.1, gaussian(10)) * 1000000", 1e-06, 97.04731212298245 },
    { "poisson(0.5, gaussian(1)) * 1", 1e-06, 4.054290564082655 },
    { "poisson(0.5, gaussian(1)) * 10", 1e-06, 11.798776151300332 },
    { "poisson(0.5, gaussian(5)) * 100", 1e-05, 4.487844424722475 },
    { "poisson(0.5, gaussian(5)) * 10000", 1e-05, 92.46856671487642 },
    { "poisson(0.5, gaussian(20)) * 1000", 1e-10, 5.081899043002023 },
    { "pure(0.1) * 10", 1e-06, 0.9993709057217588 },
    { "pure(0.1) * 100", 1e-06, 4.7745675881079865 },
    { "pure(0.01) * 10000", 1e-09, 6.171915016480078 },
    { "pure(1) * 10", 1e-05, 9.999770634534942 },
    { "approx(0.1, 1e-08) * 100", 1e-05, 4.3296367140166065 },
    { "approx(0.2, 1e-09) * 500", 1e-06, 30.812802546586045 },
    { "approx(1, 1e-07) * 30", 1e-05, 29.91178358194693 },
    { "approx(0.05, 1e-10) * 2000", 1e-06, 12.676902988937739 },
    { "discrete_gaussian(1) * 1", 1e-06, 4.499590982194308 },
    { "discrete_gaussian(1) * 10", 1e-06, 19.491638525066644 },
    { "discrete_gaussian(2) * 100", 1e-06, 35.56753635255853 },
    { "discrete_gaussian(5) * 100", 1e-08, 12.74934431599738 },
    { "laplace(1.0) * 1", 1e-05, 0.9999799999000061 },
    { "laplace(2.0) * 2", 1e-06, 0.9999960000000101 },
    { "laplace(1.0) * 5", 1e-06, 4.999968000768007 },
    { "laplace(0.5) * 8", 1e-10, 15.999999974400453 },
    { "poisson(0.01, gaussian(1)) * 1000 + poisson(0.02, gaussian(2)) * 500", 1e-06, 2.379833139016113 },
    { "poisson(0.001, gaussian(0.8)) * 5000 + poisson(0.1, gaussian(5)) * 200 + poisson(0.01, gaussian(1.2)) "
      "* 1000",
      1e-07, 2.322424382394111 },
    { "poisson(0.01, gaussian(1)) * 10 + poisson(0.5, gaussian(20)) * 1000", 1e-09, 4.79215611462328 },
};

static void never_below_the_truth(void **state)
{
    double most = 0, mean = 0;
    const size_t n = sizeof rows / sizeof *rows;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        dusk_composition *c;
        dusk_bound out, back;
        dusk_error err = { 0 };
        assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
        if (dusk_composition_parse(c, rows[i].event, &err) != DUSK_OK) fail_msg("%s", err.message);
        assert_int_equal(dusk_rdp_epsilon(&out, c, rows[i].delta, &err), DUSK_OK);
        double ratio = out.upper / rows[i].epsilon;
        if (!(ratio >= 1 - 1e-7)) fail_msg("%s: %.17g is below", rows[i].event, out.upper);
        if (!(ratio < 2.5)) fail_msg("%s: %.17g for %.17g", rows[i].event, out.upper, rows[i].epsilon);
        assert_int_equal(dusk_rdp_delta(&back, c, rows[i].epsilon, &err), DUSK_OK);
        if (!(back.upper >= rows[i].delta * (1 - 1e-4))) fail_msg("%s: delta %g", rows[i].event, back.upper);
        dusk_composition_free(c);
        most = fmax(most, ratio);
        mean += ratio / (double)n;
    }
    print_message("over the truth: %.3f on average, %.3f at most\n", mean, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(never_below_the_truth) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
