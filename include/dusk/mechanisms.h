/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_H
#define DUSK_MECHANISMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/random.h"

/* Mechanisms: the only functions that turn private numbers into public ones.
 * Each comes in the same four pieces:
 *   _init      checks the public parameters and fixes scale, grid and event;
 *   _release   draws, and gives the private answer;
 *   _event     what was released, for the accountant and the ledger;
 *   _interval  how far the answer may be from the truth.
 * All parameters are checked in _init, before anything private is looked at.
 *
 * Contents: numbers; vectors and places; choice; responses; streams of queries;
 * sums of a stream; aggregates on bounded data; noise that follows the data;
 * tables; hierarchies.
 *
 * Noise lives on a public grid of step 2^k that is fixed before the data is
 * seen. The value is brought to the grid, the noise is a whole number of steps
 * with exactly the law stated, and the sum is exact. So the answer is a
 * function of (grid value + exactly rounded ideal noise), and has at least the
 * privacy of the ideal mechanism. */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers: Laplace, Gaussian and their discrete twins ------------------ */

typedef enum dusk_noise_law {
    DUSK_LAPLACE = 1,           /* round(Z), Z ideal Laplace                     */
    DUSK_GAUSSIAN = 2,          /* round(Z), Z ideal Gaussian                    */
    DUSK_DISCRETE_LAPLACE = 3,  /* P(k) ~ exp(-|k|/b)                            */
    DUSK_DISCRETE_GAUSSIAN = 4, /* P(k) ~ exp(-k^2/(2 sigma^2))                 */
    DUSK_STAIRCASE = 5,         /* round(Z), Z ideal staircase                  */
    DUSK_TRUNCATED_LAPLACE = 6, /* P(k) ~ exp(-|k|/b) for |k| <= A              */
    DUSK_SINH_NORMAL = 7        /* round(A arsinh(Z/A)), Z ideal Gaussian       */
} dusk_noise_law;

/* A calibrated additive mechanism. A value; made by an _init below, its fields
 * are for reading. */
typedef struct dusk_noise {
    dusk_noise_law law;
    int grid;                /* answers are multiples of 2^grid                  */
    uint32_t dimension;      /* 1 for scalars                                    */
    double scale;            /* b or sigma, in the unit of the data              */
    double sensitivity;      /* as declared: l1 for Laplace, l2 for Gaussian     */
    double grid_sensitivity; /* >= sensitivity: what it is once values are rounded
                                to the grid; the scale is calibrated to this one */
    dusk_budget promise;     /* what was asked for; never less is given          */
    double shape;            /* staircase: width of the high part of a stair, gamma *
                                grid_sensitivity; truncated Laplace: the most that
                                noise can be; sinh-normal: A; 0 for the others   */
} dusk_noise;

/* The grid that _init chooses: the scale is 2^40 to 2^41 steps (2^30 to 2^31 for
 * vectors), more when epsilon is tiny. */
#define DUSK_GRID_DEFAULT INT32_MIN

/* Laplace mechanism, epsilon-DP [Dwork, McSherry, Nissim & Smith 2006]. The
 * value changes by at most `sensitivity` (l1 norm for vectors of `dimension`
 * coordinates) between neighbours. `grid`: exponent of the step, or
 * DUSK_GRID_DEFAULT; the scale must be between 2^-40 and 2^60 steps. */
DUSK_API DUSK_MUST_USE dusk_status dusk_laplace_init(dusk_noise *out, uint32_t dimension, double sensitivity,
                                                     double epsilon, int grid, dusk_error *err);
/* Gaussian mechanism, (epsilon, delta)-DP, with the least noise that gives it
 * (analytic: Balle & Wang 2018). `sensitivity` in the l2 norm. */
DUSK_API DUSK_MUST_USE dusk_status dusk_gaussian_init(dusk_noise *out, uint32_t dimension, double sensitivity,
                                                      double epsilon, double delta, int grid,
                                                      dusk_error *err);
/* The classical calibration sigma = sensitivity sqrt(2 ln(1.25/delta)) / epsilon
 * [Dwork & Roth 2014, Theorem A.1]. Proven for epsilon < 1, and refused beyond. */
DUSK_API DUSK_MUST_USE dusk_status dusk_gaussian_classical_init(dusk_noise *out, uint32_t dimension,
                                                                double sensitivity, double epsilon,
                                                                double delta, int grid, dusk_error *err);
/* Discrete Laplace ("geometric") mechanism on multiples of 2^grid [Ghosh,
 * Roughgarden & Sundararajan 2009]; for counts grid is 0. No default grid. */
DUSK_API DUSK_MUST_USE dusk_status dusk_discrete_laplace_init(dusk_noise *out, uint32_t dimension,
                                                              double sensitivity, double epsilon, int grid,
                                                              dusk_error *err);
/* Discrete Gaussian mechanism on multiples of 2^grid, calibrated to its own
 * exact privacy curve [Canonne, Kamath & Steinke 2020]; scalars only are
 * calibrated exactly, vectors through zero-concentrated privacy. */
DUSK_API DUSK_MUST_USE dusk_status dusk_discrete_gaussian_init(dusk_noise *out, uint32_t dimension,
                                                               double sensitivity, double epsilon,
                                                               double delta, int grid, dusk_error *err);
/* Staircase mechanism, epsilon-DP, for one number [Geng & Viswanath 2014]: no
 * additive noise has a smaller expected error at the same epsilon. Stairs as wide as
 * the sensitivity, each falling to exp(-epsilon) of its height after the part
 * `gamma` of its width; gamma in (0, 1), or the best one for the expected absolute
 * or squared error. It is rounded to half a step of the grid. */
#define DUSK_GAMMA_ABSOLUTE (-1.0)
#define DUSK_GAMMA_SQUARED (-2.0)
DUSK_API DUSK_MUST_USE dusk_status dusk_staircase_init(dusk_noise *out, double sensitivity, double epsilon,
                                                       double gamma, int grid, dusk_error *err);

/* Truncated Laplace mechanism, (epsilon, delta)-DP, for one number [Geng, Ding, Guo &
 * Kumar 2020]: noise that never exceeds `shape`, which is about sensitivity / epsilon *
 * ln(1 + (exp(epsilon) - 1)/(2 delta)) and the least that gives delta on the grid.
 * Answers are then certain to be that near, and the price is delta: values near the
 * ends of what an answer allows can be ruled out. */
DUSK_API DUSK_MUST_USE dusk_status dusk_truncated_laplace_init(dusk_noise *out, double sensitivity,
                                                               double epsilon, double delta, int grid,
                                                               dusk_error *err);

/* Sinh-normal mechanism for one number [Bun, Dwork, Rothblum & Steinke 2018]: Gaussian
 * noise of deviation `scale` with its tails bent, A arsinh(Z/A), A = `shape`, about 8
 * omega times the sensitivity. It is (rho, omega)-tCDP: as private as a Gaussian for
 * Renyi orders below omega, for one fifth more rho or less where omega^2 rho is large,
 * and far from the value its density falls doubly exponentially. (epsilon, delta)-DP,
 * or, by _tcdp_init, the (rho, omega) that is asked for (promise.epsilon is then
 * infinite: the event says what is given). Draws take constant work while the scale is at
 * most 2^32 steps, as on the default grid; beyond, digits decide more and more often. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sinh_normal_init(dusk_noise *out, double sensitivity, double epsilon,
                                                         double delta, int grid, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_sinh_normal_tcdp_init(dusk_noise *out, double sensitivity, double rho,
                                                              double omega, int grid, dusk_error *err);

/* Release one number. The value is rounded to the grid (NaN counts as 0 and
 * what lies beyond 2^100 steps as 2^100); the noise takes constant work. */
DUSK_API DUSK_MUST_USE dusk_status dusk_noise_release(const dusk_noise *noise, double *out, double value,
                                                      dusk_generator *gen, dusk_error *err);
/* Release noise->dimension numbers. Rounding the coordinates of a finished sum
 * costs sensitivity (grid_sensitivity says how much); a dusk_total does not. */
DUSK_API DUSK_MUST_USE dusk_status dusk_noise_release_vector(const dusk_noise *noise, double *out,
                                                             const double *values, dusk_generator *gen,
                                                             dusk_error *err);
/* What was released: laplace(b / sensitivity), ... */
DUSK_API DUSK_MUST_USE dusk_status dusk_noise_event(const dusk_noise *noise, dusk_event *out,
                                                    dusk_error *err);
/* With probability at least `confidence` in (0, 1) every released coordinate is
 * within *half_width of the true one, up to the rounding of the answer itself to
 * a double. */
DUSK_API DUSK_MUST_USE dusk_status dusk_noise_interval(const dusk_noise *noise, double *half_width,
                                                       double confidence, dusk_error *err);

/* Laplace mechanism whose answer lies in a public range, epsilon-DP [Holohan,
 * Antonatos, Braghin & Mac Aonghusa 2020]: P(k) ~ exp(-|k - value|/b) on the points of the
 * grid in [lower, upper]. A value. Renormalising alone would break epsilon, so that b is
 * larger than sensitivity/epsilon: the least one that keeps it. Where answers may be clamped
 * to the range, clamping those of dusk_laplace_init costs nothing and has less noise; this one has
 * no heaps at the ends. */
typedef struct dusk_bounded_laplace {
    int grid;            /* answers are multiples of 2^grid   */
    double lower, upper; /* of answers; values are clamped    */
    double scale;        /* b                                 */
    double sensitivity;  /* as declared                       */
    double epsilon;      /* what was asked for                */
} dusk_bounded_laplace;
/* `grid` may be DUSK_GRID_DEFAULT: at least 2^40 steps in the range. */
DUSK_API DUSK_MUST_USE dusk_status dusk_bounded_laplace_init(dusk_bounded_laplace *out, double lower,
                                                             double upper, double sensitivity, double epsilon,
                                                             int grid, dusk_error *err);
/* The value is rounded to the grid and clamped (NaN counts as 0). There is no
 * rejection: the work does not depend on the value. */
DUSK_API DUSK_MUST_USE dusk_status dusk_bounded_laplace_release(const dusk_bounded_laplace *mechanism,
                                                                double *out, double value,
                                                                dusk_generator *gen, dusk_error *err);
/* pure(e), e the exact epsilon of the law. */
DUSK_API DUSK_MUST_USE dusk_status dusk_bounded_laplace_event(const dusk_bounded_laplace *mechanism,
                                                              dusk_event *out, dusk_error *err);
/* With probability at least `confidence` the answer is within *half_width of a value in the
 * range, wherever in the range it is (near its ends it is nearer, and biased inward). */
DUSK_API DUSK_MUST_USE dusk_status dusk_bounded_laplace_interval(const dusk_bounded_laplace *mechanism,
                                                                 double *half_width, double confidence,
                                                                 dusk_error *err);

/* A vector total over units: each contribution is clipped to the sensitivity
 * in the norm of the noise, rounded *toward zero* to the grid, which makes no
 * norm larger, and added exactly. So no sensitivity is lost to rounding; the total
 * loses at most one step a unit toward zero. The promise is for adding or removing
 * a unit; where units are exchanged, declare twice the clipping norm. */
typedef struct dusk_total dusk_total;
/* `noise` is copied; its grid_sensitivity must equal its sensitivity: make it
 * with dusk_noise_for_total. */
DUSK_API DUSK_MUST_USE dusk_status dusk_total_new(dusk_total **out, const dusk_noise *noise, dusk_error *err);
DUSK_API void dusk_total_free(dusk_total *total);
/* Add one unit's whole contribution: noise->dimension coordinates. NaN counts as 0. */
DUSK_API void dusk_total_add(dusk_total *total, const double *contribution);
/* Add what `other` holds; each part must be merged once only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_total_merge(dusk_total *total, const dusk_total *other,
                                                    dusk_error *err);
/* Release the total once; the handle is empty afterwards. */
DUSK_API DUSK_MUST_USE dusk_status dusk_total_release(dusk_total *total, double *out, dusk_generator *gen,
                                                      dusk_error *err);
/* Recalibrate a noise for contributions that are rounded toward zero one by
 * one: same promise, no rounding in the sensitivity. */
DUSK_API DUSK_MUST_USE dusk_status dusk_noise_for_total(dusk_noise *noise, dusk_error *err);

/* ---- Vectors and places: noise of a norm ------------------------------------- */

typedef enum dusk_norm {
    DUSK_NORM_L1 = 1,  /* sum of |z_i|  */
    DUSK_NORM_L2 = 2,  /* length        */
    DUSK_NORM_LINF = 3 /* largest |z_i| */
} dusk_norm;

/* K-norm mechanism, epsilon-DP [Hardt & Talwar 2010]: noise of density ~
 * exp(-|z| / scale) for a vector that changes by at most `sensitivity` in the same
 * norm between neighbours. l2 is the "gamma noise" of Chaudhuri, Monteleoni &
 * Sarwate 2011. A value; its fields are for reading. */
typedef struct dusk_knorm {
    dusk_norm norm;
    int grid;           /* answers are multiples of 2^grid */
    uint32_t dimension; /* 1 to 2^20 */
    double scale;       /* in the unit of the data; the norm of the noise is about dimension times that */
    double sensitivity; /* as declared */
    double epsilon;     /* what was asked for; never less is given */
} dusk_knorm;

/* `grid`: exponent of the step, or DUSK_GRID_DEFAULT: a coordinate then deviates by
 * 2^24 to 2^25 steps; it may be up to 2^40, and the scale no less than 2^-40 steps. */
DUSK_API DUSK_MUST_USE dusk_status dusk_knorm_init(dusk_knorm *out, dusk_norm norm, uint32_t dimension,
                                                   double sensitivity, double epsilon, int grid,
                                                   dusk_error *err);
/* Release knorm->dimension numbers: round(value + noise) for the exact values and
 * ideal noise, so rounding costs no sensitivity (NaN counts as 0 and what lies beyond
 * 2^100 steps as 2^100). All coins are drawn before the values are looked at but in
 * one case: a coordinate that lies next to where rounding changes (within 2^-20 of a
 * step on the default grid, more on finer ones) takes longer and more coins, which
 * tells a little more about value + noise. */
DUSK_API DUSK_MUST_USE dusk_status dusk_knorm_release(const dusk_knorm *knorm, double *out,
                                                      const double *values, dusk_generator *gen,
                                                      dusk_error *err);
/* laplace(scale / sensitivity): no norm does worse than Laplace noise on a line. */
DUSK_API DUSK_MUST_USE dusk_status dusk_knorm_event(const dusk_knorm *knorm, dusk_event *out,
                                                    dusk_error *err);
/* With probability at least `confidence` the error has a norm of at most *radius; and,
 * again with that probability, every coordinate is within *half_width; up to the
 * rounding of the answers themselves to doubles. */
DUSK_API DUSK_MUST_USE dusk_status dusk_knorm_interval(const dusk_knorm *knorm, double *radius,
                                                       double *half_width, double confidence,
                                                       dusk_error *err);

/* Planar Laplace noise for places [Andres, Bordenabe, Chatzikokolakis & Palamidessi
 * 2013]: "geo-indistinguishability". Places x apart give any answer with probabilities
 * within a factor exp(epsilon x); so nearby places are hidden among each other, and
 * where in the world somebody is may be seen. The relation is replace-one: a place is
 * exchanged for another at most `distance` away. A value; its fields are for reading. */
typedef struct dusk_planar_laplace {
    int grid;               /* coordinates of answers are multiples of 2^grid */
    bool degrees;           /* latitude and longitude on the earth */
    double epsilon;         /* per unit of distance */
    double distance;        /* how far apart the places are for which the event is priced */
    double unit[2];         /* distance for a unit of each coordinate; 1 in the plane */
    double scale[2];        /* of the noise, in units of each coordinate */
    double low[2], high[2]; /* public box; infinite: none */
    double stretch;         /* true distances are at most so many times those that units give */
} dusk_planar_laplace;

/* Places are points of a plane. epsilon = ln(4) / 200 with distance = 200 hides a place
 * among those within 200 m up to a factor of 4. `grid` as for dusk_knorm_init. */
DUSK_API DUSK_MUST_USE dusk_status dusk_planar_laplace_init(dusk_planar_laplace *out, double epsilon,
                                                            double distance, int grid, dusk_error *err);
/* Places are (latitude, longitude) in degrees, answers lie in the public box from `low` to `high`,
 * at most 90 degrees each way and not beyond 85 degrees of latitude (one across the 180th
 * meridian goes on, say from 170 to 190); distances are metres, `distance` at least 1.
 * The promise is for true distances on the WGS 84 ellipsoid from a tenth of a metre on,
 * for all places on the earth: those that noise and event are made for are never longer, and
 * shorter by one per cent or, for parts of the box nearer to the equator than others,
 * by as much as its circles of latitude differ. A place outside the box counts as one in
 * it that is near where that keeps the promise; longitudes count modulo 360. */
DUSK_API DUSK_MUST_USE dusk_status dusk_planar_laplace_degrees_init(dusk_planar_laplace *out, double epsilon,
                                                                    double distance, const double low[2],
                                                                    const double high[2], int grid,
                                                                    dusk_error *err);
/* Give it a public box (a smaller one): a place outside counts as the nearest point of
 * the box (in degrees: see above), and so do answers. */
DUSK_API DUSK_MUST_USE dusk_status dusk_planar_laplace_bound(dusk_planar_laplace *planar, const double low[2],
                                                             const double high[2], dusk_error *err);
/* Release n places; `places` and `out` have 2 n numbers, the coordinates of each place
 * one after the other. NaN counts as 0; time as for dusk_knorm_release. Each place has
 * noise of its own: several of one person cost the sum, and are more telling together
 * when the person did not move. */
DUSK_API DUSK_MUST_USE dusk_status dusk_planar_laplace_release(const dusk_planar_laplace *planar, double *out,
                                                               const double *places, size_t n,
                                                               dusk_generator *gen, dusk_error *err);
/* What was released of a unit that has at most `places` >= 1 of the places:
 * metric(epsilon, distance) * places. */
DUSK_API DUSK_MUST_USE dusk_status dusk_planar_laplace_event(const dusk_planar_laplace *planar,
                                                             uint64_t places, dusk_event *out,
                                                             dusk_error *err);
/* With probability at least `confidence` an answer is within *radius (in the unit of
 * distance) of its place, or of the point of the box that a place outside counts as. */
DUSK_API DUSK_MUST_USE dusk_status dusk_planar_laplace_interval(const dusk_planar_laplace *planar,
                                                                double *radius, double confidence,
                                                                dusk_error *err);

/* ---- Choice ---------------------------------------------------------------- */

typedef enum dusk_selection_method {
    DUSK_SELECT_EXPONENTIAL = 1,      /* P(i) ~ exp(eps u_i / (2 s)) [McSherry & Talwar 2007]      */
    DUSK_SELECT_PERMUTE_AND_FLIP = 2, /* never worse in expectation [McKenna & Sheldon 2020]       */
    DUSK_SELECT_NOISY_MAX_LAPLACE = 3,
    DUSK_SELECT_NOISY_MAX_GUMBEL = 4,     /* the law of EXPONENTIAL                               */
    DUSK_SELECT_NOISY_MAX_EXPONENTIAL = 5 /* the law of PERMUTE_AND_FLIP [Ding et al. 2021]       */
} dusk_selection_method;

/* Choosing the best of several candidates. A value. */
typedef struct dusk_selection {
    dusk_selection_method method;
    bool monotonic;     /* neighbours move all scores in the same direction: half the noise */
    double sensitivity; /* how far one score may move between neighbours */
    double epsilon;
} dusk_selection;

DUSK_API DUSK_MUST_USE dusk_status dusk_selection_init(dusk_selection *out, dusk_selection_method method,
                                                       double sensitivity, bool monotonic, double epsilon,
                                                       dusk_error *err);
/* Choose one of n >= 1 candidates; *index is 0-based. Any scores: NaN counts as
 * the lowest, infinities as the largest double; the sensitivity is at most 2^1000.
 * The law is exact. Time, memory and how many coins are needed depend on the
 * scores. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_release(const dusk_selection *selection, size_t *index,
                                                          const double *scores, size_t n, dusk_generator *gen,
                                                          dusk_error *err);
/* The k best, best first, in one shot [Durfee & Rogers 2019]: Gumbel noise, each
 * of the k choices costs `epsilon`. EXPONENTIAL or NOISY_MAX_GUMBEL only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_release_top(const dusk_selection *selection,
                                                              size_t *indices, size_t k, const double *scores,
                                                              size_t n, dusk_generator *gen, dusk_error *err);
/* What a choice of the k best (1 for dusk_selection_release) released. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_event(const dusk_selection *selection, size_t k,
                                                        dusk_event *out, dusk_error *err);
/* With probability at least `confidence` the score of the chosen candidate (of
 * each of the k chosen against the true one of its rank) is at most *shortfall
 * below the best of n. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_interval(const dusk_selection *selection, double *shortfall,
                                                           size_t k, size_t n, double confidence,
                                                           dusk_error *err);

/* The keys of the largest counts when the keys themselves come from the data, in
 * one shot [Durfee & Rogers 2019]: only the `limit` largest counts and the next
 * one are looked at, Gumbel noise is added to them and to a threshold above the
 * next one, and keys are shown, best first, until the threshold comes. Add/remove
 * neighbours. A value; its fields are for reading. */
typedef struct dusk_limit_domain {
    size_t k;               /* at most so many keys are shown                          */
    size_t limit;           /* so many keys may be chosen from: the k-bar of the paper */
    uint32_t keys_per_unit; /* a unit may touch so many keys; 0: any number            */
    uint32_t count_per_key; /* and raise the count of each by so much: 1 for distinct units */
    double epsilon;         /* of each of the k choices                                */
    double delta;           /* spent by the threshold; not above what was asked for    */
    double threshold;       /* above the limit+1-st largest count                      */
} dusk_limit_domain;

/* k <= limit; more than a few times k costs little noise (ln(limit)/epsilon), and
 * makes the threshold fall to smaller counts. */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_init(dusk_limit_domain *out, size_t k, size_t limit,
                                                          uint32_t keys_per_unit, uint32_t count_per_key,
                                                          double epsilon, double delta, dusk_error *err);
/* indices[0 .. *shown - 1], room for k: which of the n keys are shown, best first;
 * perhaps none. Keys of count 0 are as if they were not there; counts end at 2^52.
 * The order in which the keys are passed does not matter: ties at the end of the
 * list are broken by lot. How many are shown is part of what is released, and
 * paid for as if there were k. Time and coins depend on the counts. */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_release(const dusk_limit_domain *domain, size_t *indices,
                                                             size_t *shown, const uint64_t *counts, size_t n,
                                                             dusk_generator *gen, dusk_error *err);
/* exponential(epsilon) * k + approx(0, delta). */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_event(const dusk_limit_domain *domain, dusk_event *out,
                                                           dusk_error *err);
/* With probability at least `confidence` the count of every key shown is at most
 * *shortfall below the true one of its rank, and, when fewer than k are shown for
 * want of counts, no other key is more than threshold + *shortfall above the
 * limit+1-st largest count. */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_interval(const dusk_limit_domain *domain,
                                                              double *shortfall, double confidence,
                                                              dusk_error *err);

/* The best of several runs of a private mechanism, such as one training for each
 * choice of its settings: the number of runs is random, and nobody learns it [Liu &
 * Talwar 2019; Papernot & Steinke 2022]. Then the best run costs about three runs
 * instead of all. A value; set `padding` if you like, read the others. */
typedef enum dusk_candidates_law {
    DUSK_RUNS_ARE_NEGATIVE_BINOMIAL = 1, /* truncated to 1 or more; eta 1: geometric, 0: logarithmic */
    DUSK_RUNS_ARE_POISSON = 2            /* perhaps no run at all */
} dusk_candidates_law;

typedef struct dusk_candidates {
    dusk_candidates_law law;
    double eta, gamma;
    double mean;      /* runs on average */
    uint64_t padding; /* 0: at least so many runs are made; those beyond the number that was drawn
                         are thrown away. Somebody with a clock learns the number only when it is
                         larger: see dusk_candidates_runs */
} dusk_candidates;

/* eta > -1 and gamma in [2^-40, 1): larger eta is closer to its mean, and costs more. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_init(dusk_candidates *out, double eta, double gamma,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_poisson_init(dusk_candidates *out, double mean,
                                                                dusk_error *err);

/* One run: draw from `gen`, write a score and `size` bytes of output (zeroed before).
 * Score and output together are what the run releases: all that it does must be
 * covered by the event of one run, and every run must be the same mechanism on the
 * same data, whatever the other runs gave. It may fail for lack of memory or
 * entropy only. */
typedef dusk_status dusk_candidates_run(void *context, double *score, void *output, dusk_generator *gen,
                                        dusk_error *err);

/* Make the runs; *score and output (`size` bytes) are those of the run with the
 * largest score, the first of equal ones; NaN is below all numbers. *any is false,
 * *score NaN and output zero when a Poisson number was 0. How many runs there were is
 * not told and must not be found out: the time tells it, unless there is `padding`,
 * and so does whatever else a run leaves behind. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_release(const dusk_candidates *candidates, bool *any,
                                                           double *score, void *output, size_t size,
                                                           dusk_candidates_run *run, void *context,
                                                           dusk_generator *gen, dusk_error *err);
/* Runs that each take one of n public candidates at random and add `noise` (of
 * dimension 1) to its score: *index and the noisy *score of the best run. One unit
 * moves any one score by at most noise->sensitivity. A run costs dusk_noise_event. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_release_scores(const dusk_candidates *candidates,
                                                                  bool *any, size_t *index, double *score,
                                                                  const dusk_noise *noise,
                                                                  const double *scores, size_t n,
                                                                  dusk_generator *gen, dusk_error *err);
/* select_best(eta, gamma, run) or select_poisson(mean, run), `run` being the event of
 * one run. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_event(const dusk_candidates *candidates, dusk_event *out,
                                                         const dusk_event *run, dusk_error *err);
/* With probability at least `confidence` the result is among the best *fraction of
 * what a single run gives: a single run has a larger score with that probability at
 * most. 1 where nothing can be said. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_interval(const dusk_candidates *candidates,
                                                            double *fraction, double confidence,
                                                            dusk_error *err);
/* With probability at least `confidence` there are at most *most runs: what to set
 * `padding` to. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_runs(const dusk_candidates *candidates, uint64_t *most,
                                                        double confidence, dusk_error *err);

/* ---- Responses --------------------------------------------------------------- */

/* Randomized response over k answers 0..k-1 [Warner 1965; Kairouz, Bonawitz &
 * Ramage 2016]: the truth with a probability that epsilon decides, else one of the
 * others. A value. Its relation is replace-one: each person answers once, whatever
 * the answer. */
typedef struct dusk_randomized_response {
    uint32_t answers;     /* k >= 2 */
    double epsilon;       /* upper bound of what is given */
    double first, second; /* two-coin form: heads of coin 1 tells the truth, coin 2 answers 1; else 0 */
    bool two_coin;
} dusk_randomized_response;

/* Keep the truth with probability e^eps / (e^eps + k - 1), exactly. */
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_init(dusk_randomized_response *out,
                                                                 uint32_t answers, double epsilon,
                                                                 dusk_error *err);
/* Two coins, for yes/no: with probability `first` tell the truth, otherwise say
 * yes with probability `second`; both in (0, 1). epsilon follows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_two_coin_init(dusk_randomized_response *out, double first,
                                                      double second, dusk_error *err);
/* Randomize n answers, each in 0..k-1 (larger ones count as k-1). */
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_release(const dusk_randomized_response *rr,
                                                                    uint32_t *out, const uint32_t *answers,
                                                                    size_t n, dusk_generator *gen,
                                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_event(const dusk_randomized_response *rr,
                                                                  dusk_event *out, dusk_error *err);
/* Unbiased estimates of how many of the `sum of counts` people truly hold each
 * answer, from the k counts of randomized answers, and half-widths that hold
 * for each with probability at least `confidence`. Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_estimate(const dusk_randomized_response *rr,
                                                                     double *estimates, double *half_widths,
                                                                     const uint64_t *counts,
                                                                     double confidence, dusk_error *err);

/* ---- Streams of queries --------------------------------------------------------- */

/* Sparse vector: ask about many queries, pay for those above a threshold [Dwork
 * & Roth 2014; corrected as in Lyu, Su & Li 2017, Algorithm 7]. Noise on the grid; a
 * query that is NaN counts as 0. Stops after `hits` answers above. All noise that an
 * answer may need is drawn for every query, so that neither time nor failure tells
 * which were above.
 *
 * With delta = 0 the noise of a query grows with `hits`. With delta > 0 the run is
 * (epsilon + numeric_epsilon, delta)-private, and the noise is what the best
 * accountant asks for, the smaller of two: that one, or noise that grows with the square
 * root of `hits`, for which the threshold gets fresh noise after each hit [Dwork &
 * Roth 2014, Theorem 3.25]. Gaussian noise [Zhu & Wang 2020] has lighter tails and a
 * Renyi curve, but mostly there is more of it: answers below cost nothing with Laplace
 * noise and something with Gaussian noise, which must know how many queries there are at
 * most, and stops there. */
typedef struct dusk_sparse_vector_options {
    size_t size;        /* set by _init */
    double sensitivity; /* of every query */
    double threshold;
    uint32_t hits;          /* c >= 1; 1 is AboveThreshold */
    bool monotonic;         /* all queries move in the same direction between neighbours */
    double epsilon;         /* for threshold and comparisons together */
    double numeric_epsilon; /* > 0: a hit also gives a noisy value (fresh noise); added on top */
    double threshold_share; /* of epsilon for the threshold; 0: the best ratio of Lyu et al. */
    double delta;           /* of the whole run; 0: none */
    dusk_noise_law noise;   /* DUSK_LAPLACE, or DUSK_GAUSSIAN: needs delta and length */
    uint64_t length;        /* at most so many queries; 0: any number */
} dusk_sparse_vector_options;
DUSK_API void dusk_sparse_vector_options_init(dusk_sparse_vector_options *options);

typedef struct dusk_sparse_vector dusk_sparse_vector;
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_new(dusk_sparse_vector **out,
                                                          const dusk_sparse_vector_options *options,
                                                          dusk_generator *gen, dusk_error *err);
DUSK_API void dusk_sparse_vector_free(dusk_sparse_vector *sv);
/* Ask the next query: *above, and with numeric_epsilon > 0 and *above the noisy
 * *value (NaN otherwise; `value` may be NULL without numeric_epsilon).
 * DUSK_ERR_BUDGET once `hits` were given or `length` queries asked: nothing more is
 * answered. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_release(dusk_sparse_vector *sv, bool *above,
                                                              double *value, double query,
                                                              dusk_generator *gen, dusk_error *err);
DUSK_API uint32_t dusk_sparse_vector_hits_left(const dusk_sparse_vector *sv);
/* UINT64_MAX without a length. */
DUSK_API uint64_t dusk_sparse_vector_queries_left(const dusk_sparse_vector *sv);
/* The whole run: svt(eps1, eps2, c), with fresh thresholds svt(eps1, eps2, 1) * c or,
 * where queries are monotonic, exponential(eps1 + 2 eps2) * c; with Gaussian noise
 * svt_gaussian(sigma1, sigma2, n) * c (2 sigma2 where they are monotonic). Plus
 * laplace(...) * c or gaussian(...) * c with numeric answers. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_event(const dusk_sparse_vector *sv, dusk_event *out,
                                                            dusk_error *err);
/* With probability at least `confidence` all of the first `queries` comparisons
 * are right for queries further than *margin from the threshold. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_interval(const dusk_sparse_vector *sv, double *margin,
                                                               uint64_t queries, double confidence,
                                                               dusk_error *err);

/* Threshold monitor: the sparse vector technique where queries are predicates over records
 * and not values [Kaplan, Mansour & Stemmer 2021]. Each answer says whether, after noise, at
 * least `threshold` of the records that are left satisfy a predicate. A record that was
 * counted in `contributions` answers above is removed. There may be any number of
 * queries, and of answers above: what they cost one record depends on `contributions`
 * alone. So many questions about different people are answered for the price of a few
 * about each; questions that are always about the same people run out of records. */
typedef struct dusk_threshold_monitor_options {
    size_t size; /* set by _init */
    double threshold;
    uint32_t contributions;     /* 1: after how many answers above a record is removed */
    dusk_neighbours neighbours; /* of records; no default: must be set */
    double epsilon, delta;      /* of all answers together; no default, delta above 0 */
} dusk_threshold_monitor_options;
DUSK_API void dusk_threshold_monitor_options_init(dusk_threshold_monitor_options *options);

/* Whether a record satisfies a query. It must look at this record and at what is public
 * only, and always come back; it is called for removed records too. */
typedef bool dusk_predicate(const void *record, void *context);

/* One record is one unit's. `records` are `count` of record_size bytes each; they are
 * borrowed as long as the handle lives and must not change. Five bytes are kept for
 * each. How many records there are is private under add-remove. */
typedef struct dusk_threshold_monitor dusk_threshold_monitor;
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_new(dusk_threshold_monitor **out,
                                                              const dusk_threshold_monitor_options *options,
                                                              const void *records, size_t count,
                                                              size_t record_size, dusk_error *err);
DUSK_API void dusk_threshold_monitor_free(dusk_threshold_monitor *monitor);
/* Ask the next query. All records are looked at, so the time tells how many there are and
 * how long the predicate takes; what was removed stays in the handle. */
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_release(dusk_threshold_monitor *monitor,
                                                                  bool *above, dusk_predicate *predicate,
                                                                  void *context, dusk_generator *gen,
                                                                  dusk_error *err);
/* All queries there may be: threshold_monitor(eps, k). */
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_event(const dusk_threshold_monitor *monitor,
                                                                dusk_event *out, dusk_error *err);
/* With probability at least `confidence` all of `queries` comparisons are right where the
 * number of records that are left and satisfy the predicate is *margin or more from the
 * threshold. */
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_interval(const dusk_threshold_monitor *monitor,
                                                                   double *margin, uint64_t queries,
                                                                   double confidence, dusk_error *err);

/* ---- Sums of a stream --------------------------------------------------------------- */

/* Running sums of a stream, one answer a step, under continual observation [Dwork,
 * Naor, Pitassi & Rothblum 2010; Chan, Shi & Song 2011]. In every step one number
 * comes in and the noisy sum of all numbers so far (or of the last `window`) goes
 * out. The whole run costs one (epsilon, delta), however many answers there are, and
 * also when whoever feeds the stream has seen the answers. */
typedef enum dusk_stream_method {
    DUSK_STREAM_TREE = 1,        /* binary tree of partial sums: whole answers from whole numbers */
    DUSK_STREAM_HONAKER = 2,     /* the same tree, every node used: the best combination of what is
                                    known so far [Honaker 2015]; about half the variance          */
    DUSK_STREAM_SQUARE_ROOT = 3, /* square root of the matrix of sums [Fichtenberger, Henzinger &
                                    Upadhyay 2023]: the least noise; needs delta; step t costs t
                                    products, and up to 2^22 steps                                */
    DUSK_STREAM_BANDED = 4       /* the same cut off after `bands` diagonals [Kalinin & Lampert 2024]:
                                    `bands` products a step; for units with several items apart    */
} dusk_stream_method;

typedef struct dusk_stream_options {
    size_t size;                /* set by _init */
    dusk_stream_method method;  /* TREE */
    dusk_neighbours neighbours; /* no default: must be set */
    bool whole;                 /* numbers are cut to whole ones, as counts are */
    double lower, upper;        /* the number of a step is clamped into [lower, upper]; NaN: nothing
                                   happened in this step, 0. No default */
    double sensitivity;         /* how far one item moves the number of its step, where the bounds
                                   contain 0; 0: as far as they allow, which needs no trust */
    uint32_t items_per_unit;    /* 1 (event level): how many items one unit has in all, at any steps,
                                   the same or others; the caller sees to it */
    uint64_t length;            /* how many steps at most, up to 2^40; public. 0: not known; trees only,
                                   whose noise then grows with the stream */
    uint64_t window;            /* 0: sums of all steps so far; otherwise of the last `window` */
    bool keep;                  /* HONAKER without a window: keep all nodes, for dusk_stream_smooth */
    uint32_t bands;             /* of BANDED, 1 to 4096; no default */
    uint64_t separation;        /* 0: items of one unit are anywhere; otherwise at least so many steps
                                   apart, the caller sees to it. Worth sqrt(items_per_unit) to BANDED
                                   when it is at least `bands` */
    double epsilon;             /* no default; for the whole run */
    double delta;               /* 0: Laplace noise; in (0, 1): Gaussian */
    const char *unit;           /* "item": whose privacy, for the statement */
} dusk_stream_options;
DUSK_API void dusk_stream_options_init(dusk_stream_options *options);

/* Under add-remove one unit's items are there or their steps lack them; the other
 * steps stay where they are. Under replace-one its items are exchanged for others, at
 * any steps: twice the distance. */
typedef struct dusk_stream dusk_stream;
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_new(dusk_stream **out, const dusk_stream_options *options,
                                                   dusk_error *err);
DUSK_API void dusk_stream_free(dusk_stream *stream);
/* The next step: its number goes in, the noisy sum comes out. Noise is drawn before
 * the number is looked at; time depends on the step only. A failure releases nothing
 * and leaves the step to be tried again. DUSK_ERR_BUDGET after `length` steps. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_release(dusk_stream *stream, double *value, double number,
                                                       dusk_generator *gen, dusk_error *err);
/* How many steps were taken. */
DUSK_API uint64_t dusk_stream_steps(const dusk_stream *stream);
/* The whole run, whether or not it is taken to its end: laplace(b) * levels or
 * discrete_laplace(b, s) * levels for trees without delta; with it tree(sigma, n), n
 * being the largest power of two within length and window; matrix(sigma, norm of a column);
 * laplace(b), gaussian(sigma) or pure(eps) without a length. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_event(const dusk_stream *stream, dusk_event *out,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_state(const dusk_stream *stream, dusk_statement *out,
                                                     dusk_error *err);
/* With probability at least `confidence` the answer of step `step` (from 1) is within
 * *half_width of the exact sum of the clamped numbers (with `whole` cut to whole ones),
 * up to the rounding of the answer itself to a double. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_interval(const dusk_stream *stream, double *half_width,
                                                        uint64_t step, double confidence, dusk_error *err);
/* All sums again, from everything that has been released by now: the sum of steps 1 .. t
 * at sums[t - 1], for dusk_stream_steps of them, by least squares over all nodes; to within
 * 2^-45 of the largest. half_widths may be NULL. Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_smooth(const dusk_stream *stream, double *sums,
                                                      double *half_widths, double confidence,
                                                      dusk_error *err);

/* ---- Aggregates on bounded data ---------------------------------------------------- */

/* How an aggregate is to be made; set what has no default. */
typedef struct dusk_aggregate {
    size_t size;                /* set by _init */
    dusk_neighbours neighbours; /* no default: must be set */
    double lower, upper;        /* rows are clamped into [lower, upper]; no default where needed */
    uint32_t rows_per_unit;     /* 1: how many rows one unit may hold; the caller sees to it */
    double epsilon;             /* no default */
    double delta;               /* 0: Laplace noise; in (0, 1): Gaussian */
    double confidence;          /* 0.95: of the intervals */
    const char *unit;           /* "row": whose privacy, for the statement */
} dusk_aggregate;
DUSK_API void dusk_aggregate_init(dusk_aggregate *how);

/* An answer with its interval and its statement. `low` and `high` enclose the
 * exact (non-private) result of the bounded data with the confidence asked for
 * (sums: of up to 2^32 rows). */
typedef struct dusk_answer {
    double value;
    double low, high;
    double confidence;
    dusk_statement statement;
} dusk_answer;

/* How many rows. Under add/remove the noise is for rows_per_unit rows; under
 * replace-one the number of units is public, the number of rows is not. */
DUSK_API DUSK_MUST_USE dusk_status dusk_count_release(dusk_answer *out, const dusk_aggregate *how,
                                                      uint64_t rows, dusk_generator *gen, dusk_error *err);
/* Sum, mean and (population) variance of clamped rows; NaN counts as the point
 * of [lower, upper] nearest 0. Exact sums on the grid, whatever n. Mean and
 * variance of no rows are those of one row in the middle: no error. Under
 * replace-one with rows_per_unit = 1 the number of rows is public. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sum_release(dusk_answer *out, const dusk_aggregate *how,
                                                    const double *rows, size_t n, dusk_generator *gen,
                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_mean_release(dusk_answer *out, const dusk_aggregate *how,
                                                     const double *rows, size_t n, dusk_generator *gen,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_variance_release(dusk_answer *out, const dusk_aggregate *how,
                                                         const double *rows, size_t n, dusk_generator *gen,
                                                         dusk_error *err);

/* Histogram over public bins [edges[i], edges[i+1]), the last one closed; bins
 * >= 1 counts, edges has bins + 1 increasing values. Rows outside, and NaN, are
 * in no bin. Empty bins are released like all others. *half_width holds for
 * every bin at once. */
DUSK_API DUSK_MUST_USE dusk_status dusk_histogram_release(double *counts, double *half_width,
                                                          dusk_statement *statement,
                                                          const dusk_aggregate *how, const double *edges,
                                                          size_t bins, const double *rows, size_t n,
                                                          dusk_generator *gen, dusk_error *err);
/* The same for counts per public key that are already there. */
DUSK_API DUSK_MUST_USE dusk_status dusk_counts_release(double *counts, double *half_width,
                                                       dusk_statement *statement, const dusk_aggregate *how,
                                                       const uint64_t *exact, size_t n, dusk_generator *gen,
                                                       dusk_error *err);

/* Quantiles q[0..m-1], strictly increasing in (0, 1), of clamped rows, on the
 * grid `(upper - lower) / 2^29` or finer, by the exponential mechanism on ranks
 * [Smith 2011]; several by recursive halving [Kaplan, Schnapp & Stemmer 2022].
 * delta must be 0. With probability `confidence` every q[i] n is within *rank_error
 * of the ranks of values[i], which go from the number of rows below it to the
 * number of rows not above it, rows taken to the grid (up to 2^32 rows; a worst
 * case, and +inf where epsilon is too small for one). */
DUSK_API DUSK_MUST_USE dusk_status dusk_quantiles_release(double *values, double *rank_error,
                                                          dusk_statement *statement,
                                                          const dusk_aggregate *how, const double *q,
                                                          size_t m, const double *rows, size_t n,
                                                          dusk_generator *gen, dusk_error *err);

/* Bounds for rows about which nothing is known, found in the data and paid for. */
typedef struct dusk_bounds {
    double lower, upper; /* powers of two, their negatives, or 0; lower < upper */
    bool found;          /* false: no rows stood out, and the bounds are the smallest there are */
    double outside;      /* at most so many rows lie outside */
    double confidence;   /* of `outside`, and of that a row is in the first and in the last bin taken */
    dusk_statement statement;
} dusk_bounds;

/* Rows are counted in bins between powers of two, from `resolution` to `largest` and the
 * same below 0; discrete Laplace noise decides where they begin and end. What is smaller
 * than the resolution counts as 0, and so does NaN; what is larger than `largest` is in
 * the last bin. Both are public, and rounded outward to powers of two: there are 2
 * log2(largest / resolution) + 1 bins, and more than some ln(bins / (1 - confidence)) /
 * epsilon rows are needed to be seen. lower and upper of `how` are not used; delta must be
 * 0. Use the bounds with further releases, which cost extra. */
DUSK_API DUSK_MUST_USE dusk_status dusk_bounds_release(dusk_bounds *out, const dusk_aggregate *how,
                                                       double resolution, double largest, const double *rows,
                                                       size_t n, dusk_generator *gen, dusk_error *err);

/* The mode: which of n values most rows have, *index from 0. With delta 0 the values
 * are public, those that no row has included, and one is chosen by permute-and-flip.
 * With delta above 0 they come from the data, as in dusk_limit_domain (add/remove
 * only), and *index is DUSK_NO_MODE when none stands out. counts[i]: rows of value i.
 * With probability `confidence` its count is at most *shortfall below the largest.
 * Time and coins depend on the counts. */
#define DUSK_NO_MODE SIZE_MAX
DUSK_API DUSK_MUST_USE dusk_status dusk_mode_release(size_t *index, double *shortfall,
                                                     dusk_statement *statement, const dusk_aggregate *how,
                                                     const uint64_t *counts, size_t n, dusk_generator *gen,
                                                     dusk_error *err);

/* Which keys may be shown. A key's count is its number of distinct *units*; a
 * unit may touch at most `keys_per_unit` keys (the caller sees to it). */
typedef enum dusk_key_method {
    DUSK_KEYS_TRUNCATED_GEOMETRIC = 1, /* optimal [Desfontaines, Voss, Gipson & Mandayam 2022] */
    DUSK_KEYS_LAPLACE = 2,             /* count + Laplace noise >= threshold */
    DUSK_KEYS_GAUSSIAN = 3             /* count + Gaussian noise >= threshold, half of delta each */
} dusk_key_method;

typedef struct dusk_key_selection {
    dusk_key_method method;
    uint32_t keys_per_unit;
    double epsilon, delta;
    dusk_noise noise;  /* of the two threshold methods */
    int64_t threshold; /* smallest noisy count that is shown */
} dusk_key_selection;

/* Add/remove neighbours. */
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_init(dusk_key_selection *out, dusk_key_method method,
                                                           uint32_t keys_per_unit, double epsilon,
                                                           double delta, dusk_error *err);
/* keep[i] says whether key i, held by units[i] >= 1 units, may be shown; keys
 * with no unit are never kept. With a threshold method counts[i] (may be NULL)
 * is the noisy count of a kept key, NaN otherwise. */
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_release(const dusk_key_selection *selection, bool *keep,
                                                              double *counts, const uint64_t *units, size_t n,
                                                              dusk_generator *gen, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_event(const dusk_key_selection *selection,
                                                            dusk_event *out, dusk_error *err);
/* The probability, to within 1e-12, that a key of `units` units is kept. */
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_probability(const dusk_key_selection *selection,
                                                                  double *probability, uint64_t units,
                                                                  dusk_error *err);

/* ---- Noise that follows the data ------------------------------------------------------ */

/* Smooth sensitivity [Nissim, Raskhodnikova & Smith 2007; Bun & Steinke 2019]: the
 * noise is S(x)/r Z, where S(x) bounds how far the value moves between x and any
 * neighbour, and no neighbour's S is more than e^beta times as large. S is private;
 * nothing of it but the noise leaves the mechanism. Z is one of: */
typedef enum dusk_smooth_law {
    DUSK_SMOOTH_CAUCHY = 1,    /* density ~ 1/(1 + z^2): epsilon alone; no mean             */
    DUSK_SMOOTH_STUDENT_T = 2, /* ~ (1 + z^2/d)^(-(d+1)/2): epsilon alone, lighter tails    */
    DUSK_SMOOTH_LAPLACE = 3,   /* needs delta                                               */
    DUSK_SMOOTH_GAUSSIAN = 4   /* needs delta                                               */
} dusk_smooth_law;

/* A calibrated mechanism. A value; made by dusk_smooth_init. */
typedef struct dusk_smooth {
    dusk_smooth_law law;
    uint32_t degrees; /* of Student's t: 1..100; for other laws 1       */
    int grid;         /* answers are multiples of 2^grid                */
    double beta;      /* S must be beta-smooth                          */
    double ratio;     /* the noise is S / ratio Z                       */
    double least;     /* S below this counts as this: 2^-20 steps       */
    dusk_budget promise;
} dusk_smooth;

/* (epsilon, delta)-DP, delta 0 for Cauchy and Student's t; epsilon at most 500. `beta`:
 * the smoothness that you can give, or 0 for the choice with the least noise where
 * the data lie evenly. The grid has no default: it must not depend on the data. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_init(dusk_smooth *out, dusk_smooth_law law, uint32_t degrees,
                                                    double beta, double epsilon, double delta, int grid,
                                                    dusk_error *err);
/* A beta-smooth bound from the local sensitivity at distance k, local[k], k = 0..n-1:
 * the largest exp(-beta k) local[k], with its rounding paid for. local[0] must bound
 * how far the value moves to any neighbour, local[k] of x must not be above
 * local[k+1] of any neighbour, and beyond n - 1 local stays what it is at n - 1. NaN
 * counts as 2^100 steps, which is also the most. */
DUSK_API double dusk_smooth_sensitivity(const dusk_smooth *smooth, const double *local, size_t n);
/* Release round((value + sensitivity / ratio Z) / 2^grid) 2^grid, decided exactly. The
 * caller sees to it that `sensitivity` is S(x) as above; with a relative error of up to
 * eta it must be computed for the smoothness beta - ln(1 + eta), since rounding it up
 * alone breaks smoothness. NaN counts as 0 (a sensitivity: as 2^100 steps), values end
 * at 2^99 steps. The time depends on the data a little. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_release(const dusk_smooth *smooth, double *out, double value,
                                                       double sensitivity, dusk_generator *gen,
                                                       dusk_error *err);
/* pure(epsilon) or approx(epsilon, delta). */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_event(const dusk_smooth *smooth, dusk_event *out,
                                                     dusk_error *err);
/* With probability at least `confidence` the answer is within *multiple S(x), and a
 * step, of the value; S(x) itself stays private. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_interval(const dusk_smooth *smooth, double *multiple,
                                                        double confidence, dusk_error *err);

/* How a smooth quantile is to be made. */
typedef struct dusk_smooth_options {
    size_t size;             /* set by _init */
    dusk_smooth_law law;     /* DUSK_SMOOTH_CAUCHY */
    uint32_t degrees;        /* 2; of Student's t */
    double beta;             /* 0: the usual choice */
    double interval_epsilon; /* > 0: pay so much more for an interval; 0: it is the bounds */
} dusk_smooth_options;
DUSK_API void dusk_smooth_options_init(dusk_smooth_options *options);

/* The quantile q, in (0, 1), of clamped rows by smooth sensitivity: the row of rank
 * ceil(q n), q rounded to 2^-32; of no rows the lower bound. how->delta is that of the
 * noise. NaN counts as the point of [lower, upper] nearest 0; the answer is clamped into
 * the bounds. Time depends on the rows, memory on their number. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_quantile_release(dusk_answer *out, const dusk_aggregate *how,
                                                                const dusk_smooth_options *options, double q,
                                                                const double *rows, size_t n,
                                                                dusk_generator *gen, dusk_error *err);

/* Propose-test-release [Dwork & Lei 2009; Vadhan 2017, section 3.2]: propose a bound on
 * the sensitivity, test privately that the data are far from any table where it does not
 * hold, and release with noise for that bound, or refuse. That it was refused is a public
 * answer. A value; made by dusk_propose_init. */
typedef struct dusk_propose {
    double bound;      /* the sensitivity that is proposed                     */
    int64_t threshold; /* released when distance + noise reaches this; >= 1    */
    double failure;    /* >= the probability that distance 0 passes            */
    dusk_noise test;   /* discrete Laplace, on the distance                    */
    dusk_noise noise;  /* Laplace or Gaussian, for `bound`                     */
    dusk_budget promise;
} dusk_propose;

/* (epsilon, delta)-DP, delta in (0, 1). `test_share` of epsilon, in (0, 1), goes to the
 * test; 0 means half. With Laplace noise all of delta is the test's; with Gaussian noise
 * half of it. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_init(dusk_propose *out, dusk_noise_law law, double bound,
                                                     double test_share, double epsilon, double delta,
                                                     dusk_error *err);
/* Test, and release `value` if the test passes; *out is NaN where *released is false.
 * `distance`: how many units must change until some neighbour is further than `bound`
 * from the value: 0 when one is now, and between neighbours it differs by at most 1.
 * The caller sees to both. All noise is drawn before the test. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_release(const dusk_propose *propose, bool *released,
                                                        double *out, double value, uint64_t distance,
                                                        dusk_generator *gen, dusk_error *err);
/* discrete_laplace(...) + the noise's event + approx(0, failure). */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_event(const dusk_propose *propose, dusk_event *out,
                                                      dusk_error *err);
/* A number that is released is within *half_width of the value, and data at a distance
 * of *enough or more are released, each with probability at least `confidence`. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_interval(const dusk_propose *propose, double *half_width,
                                                         uint64_t *enough, double confidence,
                                                         dusk_error *err);
/* The quantile q as in dusk_smooth_quantile_release, by propose-test-release. Where it is
 * refused out->value is NaN and the interval is the bounds. Time depends on the rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_quantile_release(dusk_answer *out, bool *released,
                                                                 const dusk_aggregate *how,
                                                                 dusk_noise_law law, double bound, double q,
                                                                 const double *rows, size_t n,
                                                                 dusk_generator *gen, dusk_error *err);

/* Sample-and-aggregate [Nissim, Raskhodnikova & Smith 2007; Mohan et al. 2012]: any
 * function of rows, computed on each of a number of blocks that share no unit; what it
 * gives for the blocks is clamped into bounds and aggregated privately. Nothing need be
 * known of the function: one unit changes the value of one block, to anything. */
typedef enum dusk_blocks_aggregate {
    DUSK_BLOCKS_MEAN = 1,         /* Laplace noise, with a delta Gaussian                     */
    DUSK_BLOCKS_MEDIAN = 2,       /* by the exponential mechanism on ranks; delta 0           */
    DUSK_BLOCKS_SMOOTH_MEDIAN = 3 /* smooth sensitivity: Cauchy, with a delta Laplace noise   */
} dusk_blocks_aggregate;

/* The value of a block that holds the rows rows[0..n-1], numbered from 0 among all rows; n
 * may be 0. It may depend on what these rows hold and on their order, but not on their
 * numbers, which shift when a row elsewhere comes or goes. NaN counts as the middle of the
 * bounds. Whatever else it does, and how long it takes, may be seen by whoever watches. */
typedef double dusk_block_function(const size_t *rows, size_t n, void *context);

/* The value of `function` on blocks of `rows` rows, aggregated. Each unit goes to one of
 * `blocks` >= 1 blocks (at most 2^24) by coins of its own. units[i] names the unit of row
 * i, and then a unit may hold any number of rows; with NULL each row goes for itself, and
 * a unit of how->rows_per_unit rows changes so many blocks: which of the two it is must not
 * depend on the data, not even where there are no rows. The interval holds for the
 * aggregate of the blocks' values (a median by the exponential mechanism or by smooth
 * sensitivity: the bounds), which is not the function of all rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sample_and_aggregate_release(
    dusk_answer *out, const dusk_aggregate *how, dusk_blocks_aggregate aggregate, uint32_t blocks,
    size_t rows, const uint64_t *units, dusk_block_function *function, void *context, dusk_generator *gen,
    dusk_error *err);

/* ---- Tables --------------------------------------------------------------------------- */

/* A table of categorical columns with public domains: column c has the values 0 to
 * sizes[c] - 1, and a code beyond them counts as the last one. Borrowed. Where only
 * the domain is used, `rows` and `codes` are not looked at. */
typedef struct dusk_table {
    size_t columns;        /* 1 to 64 */
    const uint32_t *sizes; /* each at least 1; public, never looked up in the data */
    size_t rows;
    const uint32_t *codes; /* row by row: columns * rows of them */
} dusk_table;

/* A set of columns, at least one, in increasing order. Its marginal has a count for
 * every combination of their values, the last column's changing fastest. */
#define DUSK_MARGINAL_COLUMNS_MAX 8
typedef struct dusk_marginal {
    uint32_t columns;
    uint32_t column[DUSK_MARGINAL_COLUMNS_MAX];
} dusk_marginal;

/* All marginals together have at most so many cells; so has the domain in MWEM. */
#define DUSK_CELLS_MAX (1U << 26)

/* How many cells `n` marginals have, one after the other. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_cells(size_t *cells, const dusk_table *domain,
                                                        const dusk_marginal *marginals, size_t n,
                                                        dusk_error *err);
/* Release several marginals of one table, counts one marginal after the other. A row
 * is in one cell of each: n marginals have sensitivity n in l1 and sqrt(n) in l2, twice
 * and sqrt(2) times that where rows are exchanged. *half_width holds for all cells at
 * once. Time and memory depend on the number of rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_release(double *counts, double *half_width,
                                                          dusk_statement *statement,
                                                          const dusk_aggregate *how, const dusk_table *table,
                                                          const dusk_marginal *marginals, size_t n,
                                                          dusk_generator *gen, dusk_error *err);
/* Make released marginals agree on the columns they share, by weighted least squares:
 * counts with variances[i] (NULL: all alike) move as little as possible [Barak et al.
 * 2007; Qardaji, Yang & Li 2014]. `total`, where it is public (else NaN), is met. With
 * `non_negative` they are also the nearest ones without a negative count, to within
 * *gap: the most by which shared sums still differ. Public post-processing, in doubles. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_reconcile(double *counts, double *gap,
                                                            const dusk_table *domain,
                                                            const dusk_marginal *marginals, size_t n,
                                                            const double *variances, double total,
                                                            bool non_negative, dusk_error *err);

/* Sums of a whole domain's cells (the last column's value changing fastest) over all but
 * the columns of each marginal, one marginal after the other. Public arithmetic. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_of(double *counts, const dusk_table *domain,
                                                     const dusk_marginal *marginals, size_t n,
                                                     const double *cells, dusk_error *err);

/* MWEM [Hardt, Ligett & McSherry 2012]: a model of the whole table that answers a
 * workload of counting queries, the cells of some marginals. In each round the query
 * that the model answers worst is chosen (exponential mechanism) and measured (noise),
 * and the model moves to what has been measured so far, by multiplicative weights. Half
 * of the budget chooses, half measures; the number of rows, where it is not public,
 * gets a twentieth. */
typedef struct dusk_mwem_options {
    size_t size; /* set by _init */
    const dusk_marginal *marginals;
    size_t marginals_count;
    bool prefixes;    /* false; true: a marginal of one column asks for "at most v", not for "v" */
    uint32_t rounds;  /* 10 */
    uint32_t replays; /* 20: how often a round goes through all measurements */
} dusk_mwem_options;
DUSK_API void dusk_mwem_options_init(dusk_mwem_options *options);
/* What dusk_mwem_release will state, or why it will refuse: the rows are not looked at. */
DUSK_API DUSK_MUST_USE dusk_status dusk_mwem_state(dusk_statement *out, const dusk_aggregate *how,
                                                   const dusk_mwem_options *options, const dusk_table *domain,
                                                   dusk_error *err);
/* `model` has a weight >= 0 for every cell of the domain, the last column's value changing
 * fastest; their sum is the number of rows as far as it is known. With probability
 * how->confidence every query of the workload, answered by the model, is within *error
 * of the exact count (of up to 2^42 rows): a bound that is made from what was
 * released. Time, memory and coins of the choices depend on the data, as in
 * dusk_selection_release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_mwem_release(double *model, double *error, dusk_statement *statement,
                                                     const dusk_aggregate *how,
                                                     const dusk_mwem_options *options,
                                                     const dusk_table *table, dusk_generator *gen,
                                                     dusk_error *err);

/* A synthetic table [McKenna, Miklau & Sheldon 2021: MST]: the counts of every column are
 * measured, a spanning tree of pairs of columns is chosen (exponential mechanism, by how far a
 * pair is from independent), the counts of its pairs are measured, each for a third of the budget.
 * From counts that are made to agree follows a model in which every column depends on its
 * neighbours in the tree, and from the model as many rows as are wanted. Values that are
 * hardly there, by less than three deviations of the noise, are measured together. All pairs
 * of columns have at most DUSK_CELLS_MAX cells each. */
typedef struct dusk_synthetic_table dusk_synthetic_table;
/* Release the model: choices and measurements under one promise. Time and memory depend on the
 * number of rows; those of choices, and their coins, on the data, as in dusk_selection_release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_release(dusk_synthetic_table **out,
                                                                dusk_statement *statement,
                                                                const dusk_aggregate *how,
                                                                const dusk_table *table, dusk_generator *gen,
                                                                dusk_error *err);
DUSK_API void dusk_synthetic_table_free(dusk_synthetic_table *synthetic);
/* The number of rows as far as it is known. */
DUSK_API uint64_t dusk_synthetic_table_rows(const dusk_synthetic_table *synthetic);
/* neighbour[c]: the column on which column c depends in the model; column 0 depends on none. */
DUSK_API void dusk_synthetic_table_tree(const dusk_synthetic_table *synthetic, uint32_t *neighbour);
/* With probability at least `confidence` all counts of single columns were measured to within
 * *single, and all counts of pairs in the tree to within *pair (0 when there is one column). */
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_interval(const dusk_synthetic_table *synthetic,
                                                                 double *single, double *pair,
                                                                 double confidence, dusk_error *err);
/* The model's counts for a marginal, and `rows` rows of the model, row by row. Public
 * post-processing, costs nothing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_marginal(const dusk_synthetic_table *synthetic,
                                                                 double *counts,
                                                                 const dusk_marginal *marginal,
                                                                 dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_draw(const dusk_synthetic_table *synthetic,
                                                             uint32_t *codes, size_t rows,
                                                             dusk_generator *gen, dusk_error *err);

/* ---- Hierarchies ------------------------------------------------------------------- */

/* Counts over a public tree of regions. Every node gets a noisy count, level by level
 * (level 0 is the root), and the counts are then made to agree, children with their
 * parent, by least squares [Hay, Rastogi, Miklau & Suciu 2010; the census' "top-down"
 * release: Abowd et al. 2022]. A row is in one leaf or in none; so it is in one node of
 * a level at most, the levels share the promise, and the nodes of a level do not.
 * Delta 0: discrete Laplace noise, levels share epsilon; otherwise rounded Gaussian
 * noise, levels share 1 / sigma^2. No count is taken as known: whatever shall hold
 * exactly has to be declared by leaving it out of the tree. */
typedef struct dusk_hierarchy dusk_hierarchy;
#define DUSK_HIERARCHY_LEVELS_MAX 64
#define DUSK_HIERARCHY_NODES_MAX (1u << 26)

/* Node 0 is the root, and parents[i] < i for every other node i; leaves are the nodes
 * that are nobody's parent, at any level. `shares` says how the promise is divided among
 * the `levels` levels: numbers >= 0 of which only the proportions matter; NULL and 0:
 * equal shares. A level with share 0 is not counted; levels with leaves cannot have it. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_new(dusk_hierarchy **out, const dusk_aggregate *how,
                                                      const uint32_t *parents, size_t nodes,
                                                      const double *shares, size_t levels, dusk_error *err);
DUSK_API void dusk_hierarchy_free(dusk_hierarchy *hierarchy);
/* The shares with the least sum of the noisy counts' variances over all nodes, for
 * Laplace (delta 0) or Gaussian noise: (nodes of the level)^(1/3), or its square root.
 * *levels: how many; `shares` has room for DUSK_HIERARCHY_LEVELS_MAX. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_optimal_shares(double *shares, size_t *levels,
                                                                 const uint32_t *parents, size_t nodes,
                                                                 double delta, dusk_error *err);
/* Noisy counts of all nodes; NaN for those of a level with share 0. exact[i] is the number
 * of rows in leaf i; what it holds for other nodes is not looked at. Each call is a release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_release(const dusk_hierarchy *hierarchy, double *noisy,
                                                          const uint64_t *exact, dusk_generator *gen,
                                                          dusk_error *err);
/* Public post-processing, costs nothing. _fit: the linear unbiased estimates of least
 * variance in which children add up to their parents (as doubles do). _whole: whole
 * numbers >= 0 near the fitted ones in which they add up exactly, made from the root
 * down; small counts are biased upwards by it. `fitted` may be `noisy` (`whole` be
 * `fitted`). */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_fit(const dusk_hierarchy *hierarchy, double *fitted,
                                                      const double *noisy, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_whole(const dusk_hierarchy *hierarchy, double *whole,
                                                        const double *fitted, dusk_error *err);
/* One release: the sum of its levels' events. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_event(const dusk_hierarchy *hierarchy, dusk_event *out,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_state(const dusk_hierarchy *hierarchy, dusk_statement *out,
                                                        dusk_error *err);
/* With probability at least how->confidence all exact counts are within half_widths[i]
 * of the noisy ones (`fitted` false; NaN where there is none), or of the fitted ones, up
 * to the rounding of doubles. They are public, and known before the release. Fitted
 * counts: with Gaussian noise from the exact variance of each, with Laplace noise from
 * tail bounds that are near what is true. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_interval(const dusk_hierarchy *hierarchy,
                                                           double *half_widths, bool fitted, dusk_error *err);

/* Any sum over leaves: of weights[i] fitted[i], other nodes are not looked at. With
 * probability at least how->confidence this one is within *half_width (may be NULL) of the
 * sum of the exact counts; from its exact variance, so far below the sum of half-widths.
 * Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_query(const dusk_hierarchy *hierarchy, double *value,
                                                        double *half_width, const double *weights,
                                                        const double *fitted, dusk_error *err);

/* A balanced tree over `leaves` bins in a row, `branching` >= 2 of them below a node: its
 * last `leaves` nodes are the bins in their order, all of one level. With fitted counts,
 * sums over adjacent bins err less than sums of a plain histogram. *nodes: how many
 * nodes it has; `parents` may be NULL, to ask for that only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_balanced(uint32_t *parents, size_t *nodes, size_t leaves,
                                                           uint32_t branching, dusk_error *err);
/* The branching that is best for random ranges of so many bins with equal shares
 * [Qardaji, Yang & Li 2013, equation 3; two dimensions: section 5.1, for a side]. */
DUSK_API uint32_t dusk_hierarchy_branching(size_t leaves, unsigned dimensions);

/* Spatial histogram: a complete tree of cells over a public box, each cell split into
 * split x split equal ones [Cormode, Procopiuc, Srivastava, Shen & Yu 2012]; a quadtree
 * where split is 2. Cells are counted, fitted and enclosed as nodes of a hierarchy. */
typedef struct dusk_box {
    double x_low, x_high, y_low, y_high;
} dusk_box;

/* What becomes of points that are not in the box; a point with a NaN is never counted. */
typedef enum dusk_outside {
    DUSK_OUTSIDE_DROP = 1, /* they are in no cell     */
    DUSK_OUTSIDE_CLAMP = 2 /* they are moved to its edge */
} dusk_outside;

typedef struct dusk_quadtree dusk_quadtree;
#define DUSK_QUADTREE_CELLS_MAX (1u << 24)

/* split^(2 depth) cells on the last level, at most DUSK_QUADTREE_CELLS_MAX. `shares` has
 * depth + 1 numbers as for dusk_hierarchy_new; NULL: those of least variance for ranges
 * that touch split^l cells of level l, growing by split^(1/3) a level for Laplace noise
 * (the "geometric" budget) and by split^(1/2) for Gaussian noise. */
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_new(dusk_quadtree **out, const dusk_aggregate *how,
                                                     const dusk_box *box, uint32_t split, uint32_t depth,
                                                     const double *shares, dusk_outside outside,
                                                     dusk_error *err);
DUSK_API void dusk_quadtree_free(dusk_quadtree *quadtree);
/* Its tree, for dusk_hierarchy_fit, _whole, _event and _interval. Node 0 is the box; the
 * cells of node i are the nodes split^2 i + 1 and following. Borrowed. */
DUSK_API const dusk_hierarchy *dusk_quadtree_hierarchy(const dusk_quadtree *quadtree);
DUSK_API size_t dusk_quadtree_nodes(const dusk_quadtree *quadtree);
/* Where node i lies. A cell has its low edges, and its high ones only at the end of the box. */
DUSK_API dusk_box dusk_quadtree_cell(const dusk_quadtree *quadtree, size_t node);
/* Noisy counts of the n points (x[i], y[i]) for all nodes. Each call is a release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_release(const dusk_quadtree *quadtree, double *noisy,
                                                         const double *x, const double *y, size_t n,
                                                         dusk_generator *gen, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_state(const dusk_quadtree *quadtree, dusk_statement *out,
                                                       dusk_error *err);
/* How many points lie in `range`, from fitted counts: cells of the last level that it cuts
 * count with the part of their area. With probability at least how->confidence noise puts
 * this one answer off by at most *half_width (may be NULL); that points lie evenly in the
 * cells that are cut is an assumption. Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_query(const dusk_quadtree *quadtree, double *value,
                                                       double *half_width, const double *fitted,
                                                       const dusk_box *range, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
