/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of whole trainings on small neighbours that are as bad as they can be: a row at the end of its bounds is there
 * or not, a unit has all the rows that it may have, a row is exchanged for its opposite. Planned once, trained anew for every
 * draw; what is looked at is the model. Claimed is what was asked for, and none is accused; with DUSK_SUBJECT and DUSK_EPSILON one
 * is audited alone, and tests/audit_mutants.txt names the planted bugs with which it is (learn.NAME). */
#include "training_audit.h"

/* --- subjects -------------------------------------------------------------------------------------------- */

static const world nobody = { .rows = 0 };
static const world one_end = { 1, { { 1, 1 } } };
static const world other_end = { 1, { { -1, 0 } } };
static const world one_other = { 1, { { -1, 1 } } };
static const world three_ends = { 3, { { 1, 1 }, { 1, 1 }, { 1, 1 } } };
static const world third_label = { 1, { { -1, 2 } } };
static const world middle = { 1, { { 0, 0 } } };

/* One column, about 0, in a ball as large as the bounds: the eigenvalue is the noisy sum of squares. */
#define SQUARES                                                                                              \
    {                                                                                                        \
        "components=1", "centre=no", "radius=bounds", NULL                                                   \
    }
SUBJECT(pca, "pca", "x numeric -1:1", NULL, SQUARES, DUSK_ADD_REMOVE, 0.05, 0, "moments",
        { &nobody, &one_end })
SUBJECT(pca_pure, "pca", "x numeric -1:1", NULL, SQUARES, DUSK_ADD_REMOVE, 0, 0, "moments",
        { &nobody, &one_end })
SUBJECT(pca_unit, "pca", "x numeric -1:1\nrows_per_unit 3", NULL, SQUARES, DUSK_ADD_REMOVE, 0.05, 0,
        "moments", { &nobody, &three_ends })
SUBJECT(pca_exchanged, "pca", "x numeric -1:1", NULL, SQUARES, DUSK_REPLACE_ONE, 0.01, 0, "moments",
        { &middle, &other_end })
SUBJECT(covariance, "covariance", "x numeric -1:1", NULL, { "norm=0.25", NULL }, DUSK_ADD_REMOVE, 0.05, 0,
        "sums", { &nobody, &one_end })
SUBJECT(density, "density", "x category a", NULL, { "structure=independent", NULL }, DUSK_ADD_REMOVE, 0, 0,
        "counts", { &nobody, &middle })
/* So much ridge that the weight is the noisy sum of column times label. */
SUBJECT(linear, "linear", "x numeric -1:1\ny numeric -1:1", "y",
        { "method=ridge", "lambda=1e9", "intercept=no", NULL }, DUSK_ADD_REMOVE, 0.05, 0, "weights",
        { &nobody, &one_end })

SUBJECT(boosting, "boosting", "x numeric 5:6\ny category no,yes", "y",
        { "bins=1", "rounds=1", "counts_share=0.9", NULL }, DUSK_ADD_REMOVE, 0, 0, "counts",
        { &nobody, &one_end })
SUBJECT(tree, "tree", "x category p\ny category no,yes", "y", { "depth=1", "leaves_share=0.9", NULL },
        DUSK_ADD_REMOVE, 0, 0, "leaves", { &nobody, &one_end })
SUBJECT(forest, "forest", "x numeric 5:6\ny category no,yes\nrows_per_unit 3", "y",
        { "trees=1", "depth=1", "bins=2", "counts_share=0.9", NULL }, DUSK_ADD_REMOVE, 0.01, 0, "leaves",
        { &nobody, &three_ends })

/* One round about the middle of the box: the noisy number of rows. */
SUBJECT(kmeans, "kmeans", "x numeric -1:1", NULL, { "groups=1", "method=lloyd", "rounds=1", NULL },
        DUSK_ADD_REMOVE, 0.05, 0, "counts", { &nobody, &one_end })
SUBJECT(kmeans_grid, "kmeans", "x numeric -1:1", NULL, { "groups=1", "method=grid", NULL }, DUSK_REPLACE_ONE,
        0, 1, "centres", { &one_end, &other_end })
SUBJECT(kmeans_sketch, "kmeans", "x numeric -1:1", NULL, { "groups=1", "method=sketch", NULL },
        DUSK_ADD_REMOVE, 0.05, 1, "counts", { &nobody, &one_end })
/* The noisy number of rows of one class. */
SUBJECT(latent_class, "latent_class", "x category a", NULL, { "groups=1", "rounds=1", "start=0.01", NULL },
        DUSK_ADD_REMOVE, 0.05, 0, "rows", { &nobody, &middle })
SUBJECT(naive_bayes, "naive_bayes", "x category p\ny category no,yes", "y", { NULL }, DUSK_ADD_REMOVE, 0, 0,
        "chances", { &nobody, &middle })

/* As little regularisation as the price allows for, so that the determinant counts. */
SUBJECT(amp, "amp_logistic", "x numeric -1:1\ny category no,yes", "y", { "regularisation=0.5", NULL },
        DUSK_ADD_REMOVE, 0.05, 0, "weights", { &nobody, &one_end })
SUBJECT(amp_pure, "amp_svm", "x numeric -1:1\ny category no,yes", "y", { "regularisation=1", NULL },
        DUSK_ADD_REMOVE, 0, 0, "weights", { &nobody, &one_end })
SUBJECT(amp_output, "amp_svm", "x numeric -1:1\ny category no,yes", "y",
        { "form=output", "regularisation=1000", "knee=0.05", "norm=1", NULL }, DUSK_REPLACE_ONE, 0, 0,
        "weights", { &one_end, &one_other })

/* One step of descent from 0 with a rate of 1: the weights are the noisy gradient, of a row that is clipped. Two steps on
 * samples: who was in one is not known. */
SUBJECT(gradient, "logistic", "x numeric -1:1\ny category no,yes", "y",
        { "steps=1", "rate=1", "clip=0.5", "scaling=bounds", NULL }, DUSK_ADD_REMOVE, 0.05, 1, "weights",
        { &nobody, &one_end })
SUBJECT(gradient_pure, "svm", "x numeric -1:1\ny category no,yes", "y",
        { "steps=1", "rate=1", "clip=0.5", "scaling=bounds", NULL }, DUSK_REPLACE_ONE, 0, 1, "weights",
        { &one_end, &one_other })
SUBJECT(gradient_sampled, "logistic", "x numeric -1:1\ny category no,yes", "y",
        { "method=sgd", "sample=0.5", "steps=1", "rate=1", "clip=0.5", "scaling=bounds", NULL },
        DUSK_ADD_REMOVE, 0.05, 1, "weights", { &nobody, &one_end })

/* The weights themselves: one of nine. */
SUBJECT(oracle, "oracle_ramp", "x numeric -1:1\ny category no,yes\nrows_per_unit 3", "y",
        { "loss=errors", "rounds=1", "radius=1", NULL }, DUSK_ADD_REMOVE, 0, 0, "weights",
        { &nobody, &three_ends })
SUBJECT(bernstein, "bernstein_logistic", "x numeric -1:1\ny category no,yes", "y",
        { "degree=1", "iterations=1", "polynomial=keep", NULL }, DUSK_ADD_REMOVE, 0.05, 0, "polynomial",
        { &nobody, &one_end })

/* One step of a linear network from the answer; a label that is not asked about is exchanged for one that is. */
SUBJECT(labels, "label_net", "x numeric -1:1\ny category a,b,c", "y",
        { "net=output", "stages=1", "epochs=1", "optimiser=sgd", "learning_rate=1000", "shares=0.45,0.45,0.1",
          NULL },
        DUSK_REPLACE_ONE, 0, 0, "parameters", { &other_end, &third_label })

static const subject subjects[] = {
    { "pca", "a row at the end of its bounds", 1, 1, 30000, begin_pca, draw_one, NULL },
    { "pca.pure", "a row at the end of its bounds", 1, 1, 30000, begin_pca_pure, draw_one, NULL },
    { "pca.unit", "a unit of three rows", 1, 1, 30000, begin_pca_unit, draw_one, NULL },
    { "pca.exchanged", "a row is exchanged", 1, 1, 30000, begin_pca_exchanged, draw_one, NULL },
    { "covariance", "a row that is scaled down", 1, 1, 20000, begin_covariance, draw_one, NULL },
    { "density", "a row of the first category", 1, 1, 20000, begin_density, draw_one, NULL },
    { "gradient", "a row that is clipped", 1, 2, 6000, begin_gradient, draw_two, NULL },
    { "gradient.pure", "a row is exchanged", 1, 2, 6000, begin_gradient_pure, draw_two, NULL },
    { "gradient.sampled", "a row that may be in", 1, 2, 6000, begin_gradient_sampled, draw_two, NULL },
    { "linear", "a row at the end of its bounds", 1, 1, 30000, begin_linear, draw_one, NULL },
    { "amp", "a row at the end of its bounds", 1, 1, 10000, begin_amp, draw_one, NULL },
    { "amp.pure", "a row at the end of its bounds", 1, 1, 10000, begin_amp_pure, draw_one, NULL },
    { "amp.output", "a row is exchanged for its opposite", 1, 1, 10000, begin_amp_output, draw_one, NULL },
    { "boosting", "a row of the second category", 1, 1, 10000, begin_boosting, draw_one, NULL },
    { "tree", "a row without a category", 1, 4, 10000, begin_tree, draw_four, NULL },
    { "forest", "a unit of three rows", 1, 1, 8000, begin_forest, draw_one, NULL },
    { "kmeans", "a row at the end of its bounds", 1, 1, 6000, begin_kmeans, draw_one, NULL },
    { "kmeans.grid", "a row is exchanged for its opposite", 1, 1, 6000, begin_kmeans_grid, draw_one, NULL },
    { "kmeans.sketch", "a row at the end of its bounds", 1, 1, 1000, begin_kmeans_sketch, draw_one, NULL },
    { "oracle", "a unit of three rows", 1, 2, 6000, begin_oracle, draw_two, NULL },
    { "bernstein", "a row that is scaled down", 1, 4, 6000, begin_bernstein, draw_four, NULL },
    { "latent_class", "a row of the first category", 1, 1, 6000, begin_latent_class, draw_one, NULL },
    { "labels", "a label is exchanged", 1, 4, 500, begin_labels, draw_four, NULL },
    { "naive_bayes", "a row of the first class", 1, 4, 6000, begin_naive_bayes, draw_four, NULL },
};

static void no_learner_is_accused(void **state)
{
    (void)state;
    none_is_accused(subjects, sizeof subjects / sizeof *subjects);
    end_training();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_learner_is_accused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
