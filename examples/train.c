/* SPDX-License-Identifier: Apache-2.0 */
/* A model of private rows, and how right it is on rows that may be seen. What the columns may hold is
 * declared in a file: nothing is taken from the data. */
#include <dusk/dusk.h>
#include <stdio.h>

static int train(dusk_model **out, const dusk_fields *fields, const dusk_frame *rows, dusk_error *err)
{
    dusk_train_options options;
    dusk_training *training = NULL;
    dusk_generator *gen = NULL;
    int failed;

    dusk_train_options_init(&options);
    options.label = "income";
    options.epsilon = 1;
    options.delta = 1e-6;
    options.neighbours = DUSK_ADD_REMOVE;

    /* The plan and its price are there before the first row is looked at. */
    failed = dusk_generator_new(&gen, err) ||
             dusk_training_prepare(&training, "linear", fields, &options, err) ||
             dusk_training_run(training, out, rows, gen, err);
    if (!failed) printf("cost: epsilon %g\n", dusk_model_statement(*out)->epsilon);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return failed;
}

int main(void)
{
    dusk_fields *fields = NULL;
    dusk_frame *rows = NULL, *others = NULL;
    dusk_model *model = NULL;
    dusk_model_scores scores;
    dusk_error err;
    int failed = dusk_fields_read(&fields, "credit.fields", &err) ||
                 dusk_frame_read(&rows, fields, "credit.csv", NULL, &err) ||
                 dusk_frame_read(&others, fields, "credit_new.csv", NULL, &err) ||
                 train(&model, fields, rows, &err) || dusk_model_score(&scores, model, others, &err);
    if (failed)
        fprintf(stderr, "%s (%s)\n", err.message, err.hint);
    else
        printf("on %zu others it is off by %.3g, and explains %.0f %% of the variance\n", scores.rows,
               scores.rmse, 100 * scores.r2);
    dusk_model_free(model);
    dusk_frame_free(rows);
    dusk_frame_free(others);
    dusk_fields_free(fields);
    return failed;
}
