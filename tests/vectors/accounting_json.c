/* SPDX-License-Identifier: Apache-2.0 */
/* Every record of the project's vectors/accounting.json, priced by `best`: the
 * upper bound is at least the truth and within 1e-6 of it, the lower bound at
 * most the truth. Shuffles are at most what is listed. Calibrations are safe
 * and within 1e-9. Some records are repeated here, for when the file is not at
 * hand: it is looked for beside the folder that DUSK_DATA names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/accounting.h"
#include "support.h"

/* The table's parameters are decimals, ours the doubles next to them; its values
 * may be rounded in the last digits, of which a lower bound may know more. */
#define SLACK 4e-15
#define ROUNDED 1e-12

typedef struct record {
    const char *id, *text;
    dusk_neighbours neighbours;
    double delta;
    double low, high; /* of the truth: epsilon, or sigma where epsilon is given */
    double epsilon;   /* > 0: calibrate `sigma` */
    int at_most;      /* high is not to be exceeded */
} record;

static int failed;

static void complain(const record *r, const char *what, dusk_bound b)
{
    failed++;
    print_message("%-36s %-24s [%.17g, %.17g], truth [%.17g, %.17g]: %.80s\n", r->id, what, b.lower, b.upper,
                  r->low, r->high, r->text);
}

static void check_epsilon(const record *r)
{
    dusk_composition *c;
    dusk_account a = { 0 };
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_composition_new(&c, r->neighbours, NULL), DUSK_OK);
    dusk_status status = dusk_composition_parse(c, r->text, &err);
    if (status == DUSK_OK) status = dusk_account_epsilon(&a, c, r->delta, DUSK_BEST, &err);
    dusk_composition_free(c);
    if (status != DUSK_OK) {
        complain(r, err.message, a.bound);
        return;
    }
    if (a.approximation) complain(r, "an approximation", a.bound);
    if (!(a.bound.lower <= r->high * (1 + ROUNDED))) complain(r, "lower bound above", a.bound);
    if (r->at_most && !(a.bound.upper <= r->high)) complain(r, "more than listed", a.bound);
    if (!r->at_most && !(a.bound.upper >= r->low * (1 - SLACK))) complain(r, "UPPER BOUND BELOW", a.bound);
    if (!(a.bound.upper <= r->high * (1 + 1e-6))) complain(r, "too wide", a.bound);
}

static void check_calibration(const record *r)
{
    double sigma = 0;
    dusk_error err = { .message = "" };
    dusk_budget target = { r->epsilon, r->delta };
    dusk_status status = dusk_account_solve(&sigma, r->text, "sigma", target, r->neighbours, DUSK_BEST, &err);
    dusk_bound b = { sigma, sigma };
    if (status != DUSK_OK)
        complain(r, err.message, b);
    else if (!(sigma >= r->low * (1 - SLACK)))
        complain(r, "TOO LITTLE NOISE", b);
    else if (!(sigma <= r->high * (1 + 1e-9)))
        complain(r, "too much noise", b);
}

static void check(const record *r) { (r->epsilon > 0 ? check_calibration : check_epsilon)(r); }

/* --- a reader of JSON, as far as the file goes --- */

typedef enum json_kind { JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_OBJECT, JSON_OTHER } json_kind;
typedef struct json {
    json_kind kind;
    double number;
    const char *at; /* of the first value inside, or of the string */
    size_t length;  /* of the string */
} json;

static const char *blank(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t' || *p == ',' || *p == ':') p++;
    return p;
}

/* Read the value at p; returns what follows it. */
static const char *json_read(json *out, const char *p)
{
    p = blank(p);
    *out = (json){ .kind = JSON_OTHER, .at = p };
    if (*p == '"') {
        const char *end = strchr(p + 1, '"');
        assert_non_null(end);
        *out = (json){ .kind = JSON_STRING, .at = p + 1, .length = (size_t)(end - p - 1) };
        return end + 1;
    }
    if (*p == '[' || *p == '{') {
        char close = *p == '[' ? ']' : '}';
        *out = (json){ .kind = *p == '[' ? JSON_LIST : JSON_OBJECT, .at = p + 1 };
        for (p = blank(p + 1); *p != close; p = blank(p)) {
            json inside;
            assert_true(*p);
            p = json_read(&inside, p);
        }
        return p + 1;
    }
    char *end;
    double x = strtod(p, &end);
    if (end != p) {
        *out = (json){ .kind = JSON_NUMBER, .number = x };
        return end;
    }
    while (*p >= 'a' && *p <= 'z') p++; /* true, false, null */
    assert_true(p > out->at);
    return p;
}

/* The next value of a list or object that ends in `close`; NULL behind the last. */
static const char *json_next(json *out, const char *p)
{
    p = blank(p);
    return *p == ']' || *p == '}' ? NULL : json_read(out, p);
}

static int json_field(json *out, const json *object, const char *name)
{
    json key;
    for (const char *p = object->at; (p = json_next(&key, p));) {
        p = json_read(out, p);
        if (key.length == strlen(name) && memcmp(key.at, name, key.length) == 0) return 1;
    }
    return 0;
}

static double number(const json *object, const char *name)
{
    json value;
    if (!json_field(&value, object, name) || value.kind != JSON_NUMBER) fail_msg("no number %s", name);
    return value.number;
}

static double number_or(const json *object, const char *name, double other)
{
    json value;
    return json_field(&value, object, name) ? value.number : other;
}

static void words(char *out, size_t size, const json *object, const char *name)
{
    json value;
    if (!json_field(&value, object, name) || value.kind != JSON_STRING) fail_msg("no text %s", name);
    snprintf(out, size, "%.*s", (int)value.length, value.at);
}

/* --- records to events --- */

static void sum_of_blocks(char *text, size_t size, const json *blocks)
{
    json block, q, sigma, steps;
    size_t n = 0;
    for (const char *p = blocks->at; (p = json_next(&block, p));) {
        const char *inside = json_read(&q, block.at);
        inside = json_read(&sigma, inside);
        json_read(&steps, inside);
        n += (size_t)snprintf(text + n, size - n, "%spoisson(%.17g, gaussian(%.17g)) * %.17g", n ? " + " : "",
                              q.number, sigma.number, steps.number);
        assert_true(n < size);
    }
}

static void sum_of_approx(char *text, size_t size, const json *epsilons, double delta)
{
    json epsilon;
    size_t n = 0;
    for (const char *p = epsilons->at; (p = json_next(&epsilon, p));) {
        n += (size_t)snprintf(text + n, size - n, "%sapprox(%.17g, %.17g)", n ? " + " : "", epsilon.number,
                              delta);
        assert_true(n < size);
    }
}

/* The event of a record; 0 when its mechanism is not known. */
static int event_of(char *text, size_t size, const char *mechanism, const json *p, double steps)
{
    json list;
    if (strcmp(mechanism, "poisson_subsampled_gaussian") == 0) {
        snprintf(text, size, "poisson(%.17g, gaussian(%.17g)) * %.17g", number(p, "q"), number(p, "sigma"),
                 steps);
    } else if (strcmp(mechanism, "gaussian") == 0) {
        snprintf(text, size, "gaussian(%.17g) * %.17g", number(p, "sigma"), steps);
    } else if (strcmp(mechanism, "gaussian_calibration") == 0) {
        snprintf(text, size, "gaussian(sigma) * %.17g", steps);
    } else if (strncmp(mechanism, "eps_delta_dp (optimal homogeneous", 33) == 0) {
        snprintf(text, size, "approx(%.17g, %.17g) * %.17g", number(p, "eps0"), number(p, "delta0"), steps);
    } else if (strncmp(mechanism, "eps_delta_dp (optimal heterogeneous", 35) == 0) {
        if (!json_field(&list, p, "eps")) return 0;
        sum_of_approx(text, size, &list, number(p, "delta0"));
    } else if (strcmp(mechanism, "randomized_response") == 0) {
        double noise = number(p, "noise_parameter"), k = number(p, "num_buckets");
        snprintf(text, size, "randomized_response(%.17g, %.17g) * %.17g", log1p(k * (1 - noise) / noise), k,
                 steps);
    } else if (strcmp(mechanism, "discrete_gaussian") == 0) {
        snprintf(text, size, "discrete_gaussian(%.17g, %.17g) * %.17g", number(p, "sigma"),
                 number(p, "sensitivity"), steps);
    } else if (strcmp(mechanism, "discrete_laplace") == 0) {
        snprintf(text, size, "discrete_laplace(%.17g, %.17g) * %.17g", 1 / number(p, "a"),
                 number(p, "sensitivity"), steps);
    } else if (strcmp(mechanism, "zcdp") == 0) {
        snprintf(text, size, "zcdp(%.17g) * %.17g", number(p, "rho"), steps);
    } else if (strcmp(mechanism, "laplace") == 0) {
        snprintf(text, size, "laplace(%.17g) * %.17g", number(p, "b"), steps);
    } else if (strncmp(mechanism, "shuffle(", 8) == 0) {
        snprintf(text, size, "shuffle(%.17g, %.17g) * %.17g", number(p, "n"), number(p, "eps0"), steps);
    } else if (strcmp(mechanism, "heterogeneous poisson_subsampled_gaussian") == 0) {
        if (!json_field(&list, p, "blocks")) return 0;
        sum_of_blocks(text, size, &list);
    } else {
        return 0;
    }
    return 1;
}

static void check_record(const json *object)
{
    char id[80], mechanism[120], neighbor[24], text[8192];
    json params;
    words(id, sizeof id, object, "id");
    words(mechanism, sizeof mechanism, object, "mechanism");
    words(neighbor, sizeof neighbor, object, "neighbor");
    assert_true(json_field(&params, object, "params") && params.kind == JSON_OBJECT);
    if (!event_of(text, sizeof text, mechanism, &params, number(object, "steps")))
        fail_msg("%s: mechanism %s is not known", id, mechanism);
    int calibrate = strcmp(mechanism, "gaussian_calibration") == 0;
    double truth = number(object, calibrate ? "sigma" : "epsilon");
    record r = { .id = id,
                 .text = text,
                 .neighbours = strncmp(neighbor, "replace", 7) == 0 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE,
                 .delta = number(object, "delta"),
                 .low = number_or(object, "lower", truth),
                 .high = number_or(object, "upper", truth),
                 .epsilon = calibrate ? number(&params, "epsilon") : 0,
                 .at_most = strncmp(mechanism, "shuffle(", 8) == 0 };
    check(&r);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = NULL;
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size >= 0 && fseek(f, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1)))
        text[fread(text, 1, (size_t)size, f)] = '\0';
    fclose(f);
    return text;
}

static void whole_file(void **state)
{
    char path[4096];
    const char *data = getenv("DUSK_DATA");
    json all, object;
    int count = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/../vectors/accounting.json", data ? data : "../shared/data");
    char *text = read_file(path);
    if (!text) {
        print_message("skipped: there is no vectors/accounting.json beside the folder in DUSK_DATA\n");
        skip();
    }
    failed = 0;
    json_read(&all, text);
    assert_int_equal(all.kind, JSON_LIST);
    for (const char *p = all.at; (p = json_next(&object, p)); count++) check_record(&object);
    print_message("%d records, %d complaints\n", count, failed);
    assert_true(count >= 125);
    assert_int_equal(failed, 0);
    free(text);
}

#define AR DUSK_ADD_REMOVE
#define RO DUSK_REPLACE_ONE
static void some_records(void **state)
{
    static const record rows[] = {
        { "sgm_1e-4_1_1e6", "poisson(0.0001, gaussian(1)) * 1000000", AR, 1e-6, 0.5324211555441 * (1 - 1e-9),
          0.5324211555442 * (1 + 1e-9), 0, 0 },
        { "sgm_1e-3_0.4_1e3", "poisson(0.001, gaussian(0.4)) * 1000", AR, 1e-5, 7.0134790446 * (1 - 1e-9),
          7.0134790447 * (1 + 1e-9), 0, 0 },
        { "sgm_0.01_1_1e4", "poisson(0.01, gaussian(1)) * 10000", AR, 1e-6, 6.907384495045,
          6.907384495045 * (1 + 1e-9), 0, 0 },
        { "sgm_0.1_20_100", "poisson(0.1, gaussian(20)) * 100", AR, 1e-12, 0.3219490888055 * (1 - 1e-9),
          0.3219490888056 * (1 + 1e-9), 0, 0 },
        { "sgm calibration", "poisson(0.01, gaussian(sigma)) * 10000", AR, 1e-6, 4.30210646555, 4.30210646565,
          1, 0 },
        { "gauss_0.3", "gaussian(0.3)", AR, 1e-5, 19.130767834361925, 19.130767834361925, 0, 0 },
        { "gauss_0.3_1e5", "gaussian(0.3) * 100000", AR, 1e-6, 560565.10697087419, 560565.10697087419, 0, 0 },
        { "bw_0.001", "gaussian(sigma)", AR, 1e-6, 2436.5524937485808, 2436.5524937485808, 0.001, 0 },
        { "bw_1", "gaussian(sigma)", AR, 1e-12, 6.55782206745885, 6.55782206745885, 1, 0 },
        { "kov_0.1_0_100", "approx(0.1, 0) * 100", AR, 1e-6, 4.7745675881079864, 4.7745675881079865, 0, 0 },
        { "kov_0.1_1e-8_100", "approx(0.1, 1e-8) * 100", AR, 1e-5, 4.3296367140166065, 4.3296367140166065, 0,
          0 },
        { "mv_4", "approx(0.47532, 0) + approx(0.748292, 0) + approx(0.100103, 0) + approx(0.372099, 0)", AR,
          1e-6, 1.6958063129029137, 1.6958063129029137, 0, 0 },
        { "rr_0.5_4_10", "randomized_response(1.6094379124341003, 4) * 10", RO, 1e-6, 16.094269167133152,
          16.094269167133154, 0, 0 },
        { "dgauss_1_10", "discrete_gaussian(1) * 10", AR, 1e-6, 19.491638525066644, 19.491638525066644, 0,
          0 },
        { "dlap_0.1_100", "discrete_laplace(10) * 100", AR, 1e-6, 4.774567588107986, 4.774567588107987, 0,
          0 },
        { "zcdp_1", "zcdp(1)", AR, 1e-10, 10.03434358134763, 10.03434358134763, 0, 0 },
        { "lap_1_5", "laplace(1) * 5", AR, 1e-6, 4.999968000767865, 4.999968000768007, 0, 0 },
        { "shuffle_1000_1", "shuffle(1000, 1)", RO, 1e-6, 0, 0.18241234748058202, 0, 1 },
        { "shuffle_10000_4", "shuffle(10000, 4)", RO, 1e-6, 0, 0.6009087636363318, 0, 1 },
        { "het2",
          "poisson(0.001, gaussian(0.8)) * 5000 + poisson(0.1, gaussian(5)) * 200 + "
          "poisson(0.01, gaussian(1.2)) * 1000",
          AR, 1e-7, 2.322424382394 * (1 - 1e-9), 2.3224243823942 * (1 + 1e-9), 0, 0 },
    };
    (void)state;
    failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check(&rows[i]);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_records),
        cmocka_unit_test(whole_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
