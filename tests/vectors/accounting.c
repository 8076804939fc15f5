/* SPDX-License-Identifier: Apache-2.0 */
/* Reference values of single mechanisms and of Gaussian compositions, from the
 * project's vectors/accounting.json: closed forms and sums in high precision
 * (Gaussian curve and calibration: Balle & Wang 2018; zcdp: Canonne, Kamath &
 * Steinke 2020, Proposition 12, at the best order). What we answer is never
 * below them. */
#include <math.h>

#include <mpfr.h>

#include "accounting/gaussian.h"
#include "dusk/accounting.h"
#include "support.h"

/* The table's parameters are decimals, ours the doubles next to them. */
#define SLACK 4e-15

typedef enum tightness {
    EXACT, /* the bound is the truth but for 1e-6 */
    ABOVE  /* basic composition is allowed to be above the truth, by 20 times at most */
} tightness;

static const struct row {
    const char *event;
    double delta;
    const char *epsilon;
    tightness how;
} rows[] = {
    { "gaussian(0.3)", 1e-05, "19.1307678343619247109520048686", EXACT },
    { "gaussian(0.3)", 1e-12, "28.4672666025499416859128932319", EXACT },
    { "gaussian(0.3) * 1000", 1e-05, "6004.13424578019653787928591207", EXACT },
    { "gaussian(0.3) * 100000", 1e-06, "560565.106970874186046986955605", EXACT },
    { "gaussian(0.5)", 1e-05, "9.99725614643430035911477269992", EXACT },
    { "gaussian(0.5)", 1e-12, "15.6411257794609890778383214468", EXACT },
    { "gaussian(0.5) * 10", 1e-06, "49.3192766606961860642503323059", EXACT },
    { "gaussian(0.5) * 1000", 1e-05, "2268.7677216292702278238466969", EXACT },
    { "gaussian(0.5) * 1000", 1e-12, "2443.95168885058547753035349602", EXACT },
    { "gaussian(0.5) * 100000", 1e-06, "203005.333240223672105658934097", EXACT },
    { "gaussian(1)", 1e-05, "4.37717809568122460855398588974", EXACT },
    { "gaussian(1)", 1e-12, "7.23849442017885836275183131331", EXACT },
    { "gaussian(1) * 10", 1e-06, "19.4236564740310515029926652286", EXACT },
    { "gaussian(1) * 1000", 1e-05, "633.929851335614554052284736029", EXACT },
    { "gaussian(1) * 1000", 1e-12, "721.547174371809332320378400693", EXACT },
    { "gaussian(1) * 100000", 1e-06, "51502.1721946602647153572579075", EXACT },
    { "gaussian(2)", 1e-05, "1.99309140441511962134299158703", EXACT },
    { "gaussian(2)", 1e-12, "3.44905215048280776898673572028", EXACT },
    { "gaussian(2) * 10", 1e-06, "8.30622504995472820603451822606", EXACT },
    { "gaussian(2) * 1000", 1e-05, "191.549201432711228588603461221", EXACT },
    { "gaussian(2) * 1000", 1e-12, "235.398206027331139173465188257", EXACT },
    { "gaussian(5)", 1e-05, "0.725521750857795822819704703857", EXACT },
    { "gaussian(5)", 1e-12, "1.32411114316537345611786163231", EXACT },
    { "gaussian(5) * 1000", 1e-05, "46.2112101912180994022647633572", EXACT },
    { "gaussian(5) * 1000", 1e-12, "63.8187302909163749118400455059", EXACT },
    { "gaussian(5) * 100000", 1e-06, "2299.66881514973949658915942656", EXACT },
    { "gaussian(10)", 1e-05, "0.34066936468432640862100982919", EXACT },
    { "gaussian(10)", 1e-12, "0.647008125924982310636411692851", EXACT },
    { "gaussian(10) * 10", 1e-06, "1.36757147508430669135511452763", EXACT },
    { "gaussian(10) * 1000", 1e-05, "17.856586830107613866896449856", EXACT },
    { "gaussian(10) * 100000", 1e-06, "649.385089471481392224396876804", EXACT },
    { "gaussian(50)", 1e-05, "0.0586322553060961631873282715238", EXACT },
    { "gaussian(50)", 1e-12, "0.12375632680409109814463467869", EXACT },
    { "gaussian(50) * 1000", 1e-12, "4.42447430528380462303760334489", EXACT },
    { "gaussian(50) * 100000", 1e-06, "49.3192766606961860642503323059", EXACT },
    { "gaussian(100)", 1e-05, "0.0272194198145771352942492719049", EXACT },
    { "gaussian(100)", 1e-12, "0.0607522106297862162072035797932", EXACT },
    { "gaussian(100) * 1000", 1e-12, "2.13243350760300157309894997163", EXACT },
    { "discrete_gaussian(1)", 1e-06, "4.499590982194308", EXACT },
    { "discrete_gaussian(1) * 10", 1e-06, "19.491638525066644", ABOVE },
    { "discrete_gaussian(2) * 100", 1e-06, "35.56753635255853", ABOVE },
    { "discrete_gaussian(5) * 100", 1e-08, "12.74934431599738", ABOVE },
    { "discrete_laplace(2) * 10", 1e-06, "4.9998854711099865", ABOVE },
    { "discrete_laplace(10) * 100", 1e-06, "4.774567588107987", ABOVE },
    { "discrete_laplace(0.5) * 5", 1e-09, "9.999999998113658", ABOVE },
    { "zcdp(0.01)", 1e-06, "0.6216926545596025033252347", EXACT },
    { "zcdp(0.5)", 1e-05, "4.728386984943313881512555", EXACT },
    { "zcdp(1)", 1e-10, "10.03434358134762988015302", EXACT },
    { "zcdp(5)", 1e-06, "20.5519488140412518568354", EXACT },
    { "zcdp(50)", 1e-06, "100.6899051610582377039047", EXACT },
    { "zcdp(0.5)", 1e-30, "11.95367424418210896475383", EXACT },
    { "laplace(1)", 1e-05, "0.9999799998999777", EXACT },
    { "laplace(2) * 2", 1e-06, "0.9999959999999817", ABOVE },
    { "laplace(1) * 5", 1e-06, "4.999968000767865", ABOVE },
    { "laplace(0.5) * 8", 1e-10, "15.999999974399998", ABOVE },
    { "randomized_response(1.6094379124341003, 4) * 10", 1e-06, "16.0942691671331530073919", ABOVE },
    { "randomized_response(1.4663370687934272, 10) * 20", 1e-05, "21.98201834504322187272615", ABOVE },
};

static const struct calibration {
    double epsilon, delta;
    const char *sigma;
} calibrations[] = {
    { 0.001, 1e-06, "2436.55249374858082169191299055" },  { 0.1, 1e-05, "30.7495661319774484720299911708" },
    { 0.5, 0.001, "4.61012795072814017762588506111" },    { 1, 1e-12, "6.55782206745885009421985952833" },
    { 1, 1e-30, "11.0831029489769934289217197687" },      { 1, 1e-100, "21.0094090423006208122471859542" },
    { 5, 1e-05, "0.891868264951518029235720911866" },     { 10, 1e-05, "0.499888619709008513122381679218" },
    { 10, 1e-15, "0.828959874721969196081494336994" },    { 50, 1e-06, "0.156592870391761949608882432542" },
    { 100, 1e-08, "0.10357755520703642056309136116" },    { 700, 1e-06, "0.0303134703120558102321091663795" },
    { 1000, 1e-06, "0.0248503666869477195794631782348" }, { 1, 1e-300, "36.86549789411109965286657091" },
};

/* bound / truth - 1, at 200 bits */
static double above(double bound, const char *truth)
{
    mpfr_t t, b;
    mpfr_inits2(200, t, b, (mpfr_ptr)0);
    assert_int_equal(mpfr_set_str(t, truth, 10, MPFR_RNDN), 0);
    mpfr_set_d(b, bound, MPFR_RNDN);
    mpfr_sub(b, b, t, MPFR_RNDN);
    mpfr_div(b, b, t, MPFR_RNDN);
    double relative = mpfr_get_d(b, MPFR_RNDN);
    mpfr_clears(t, b, (mpfr_ptr)0);
    return relative;
}

static void epsilons(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        dusk_event event;
        double epsilon;
        assert_int_equal(dusk_event_parse(&event, row->event, NULL), DUSK_OK);
        assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, row->delta, NULL), DUSK_OK);
        double excess = above(epsilon, row->epsilon);
        if (!(excess >= -SLACK))
            fail_msg("%s at %g: %.17g is below %s", row->event, row->delta, epsilon, row->epsilon);
        if (!(excess <= (row->how == EXACT ? 1e-6 : 20)))
            fail_msg("%s at %g: %.17g is far above %s", row->event, row->delta, epsilon, row->epsilon);
    }
}

static void sigmas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calibrations / sizeof *calibrations; i++) {
        const struct calibration *c = &calibrations[i];
        double sigma = dusk_gaussian_sigma_up(c->epsilon, c->delta), excess = above(sigma, c->sigma);
        if (!(excess >= -SLACK && excess <= 1e-6))
            fail_msg("epsilon %g delta %g: %.17g is not %s", c->epsilon, c->delta, sigma, c->sigma);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(epsilons), cmocka_unit_test(sigmas) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
