/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_NUMBERS_H
#define DUSK_MECHANISMS_NUMBERS_H

/* Numbers, vectors and places with noise.
 * What all mechanisms have in common: dusk/mechanisms.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/random.h"

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
/* Gaussian noise whose deviation is `multiplier` times the sensitivity: for releases that share one
 * promise, priced together by their events (promise.epsilon is then infinite). */
DUSK_API DUSK_MUST_USE dusk_status dusk_gaussian_multiplier_init(dusk_noise *out, uint32_t dimension,
                                                                 double sensitivity, double multiplier,
                                                                 int grid, dusk_error *err);
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

#ifdef __cplusplus
}
#endif
#endif
