/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of votes, as they are shipped, on tables that are as bad as they can be: one row makes one vote go to another class, and nobody else votes. What is looked at are the
 * released answers. None is accused. With DUSK_SUBJECT and DUSK_EPSILON one is audited alone;
 * tests/audit_mutants.txt names the planted bugs with which it is accused (votes.NAME). */
#include "training_audit.h"

#define FIELDS "x numeric -1:1\ny category no,yes", "y"
#define STUDENT "epochs=1", "margin=0"
#define ANSWERS "answers"

static const world public_row = { 1, { { 0 } } };
static const world says_no = { 1, { { 0.5, 0 } } };
static const world says_yes = { 1, { { 0.5, 1 } } };
static const world nearer_says_yes = { 2, { { 0.5, 0 }, { 0.1, 1 } } };

OPEN_SUBJECT(teachers, "pate", FIELDS, { "teachers=1", "questions=1", STUDENT }, DUSK_REPLACE_ONE, 0.2, 1,
             ANSWERS, { &says_no, &says_yes }, &public_row)
OPEN_SUBJECT(nearest, "private_knn", FIELDS, { "neighbours=1", "rate=1", "questions=1", STUDENT },
             DUSK_ADD_REMOVE, 0.2, 1, ANSWERS, { &says_no, &nearer_says_yes }, &public_row)
/* The answer about one row. */
static void draw_answer(double *out, int w)
{
    double number[2];
    draw_numbers(number, w, 2);
    *out = number[1];
}

static const subject subjects[] = {
    { "teachers", "a vote that goes to another class", 0.1, 1, 4000, begin_teachers, draw_answer, NULL },
    { "nearest", "a nearer row", 0.1, 1, 4000, begin_nearest, draw_answer, NULL },
};

static void no_votes_are_accused(void **state)
{
    (void)state;
    none_is_accused(subjects, sizeof subjects / sizeof *subjects);
    end_training();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_votes_are_accused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
