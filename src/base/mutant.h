/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_MUTANT_H
#define DUSK_BASE_MUTANT_H

/* Planted bugs. Where the code says
 *     x = DUSK_MUTATE(SHIFTED_TAIL, right, wrong);
 * a release build compiles `right` and nothing else. In the test build the
 * environment variable DUSK_MUTANT=SHIFTED_TAIL selects `wrong`, and the test
 * that tests/mutants.txt names for that bug must then fail. */

#ifdef DUSK_TESTING
/* What DUSK_MUTANT was when the program started, or NULL: planted bugs stand in inner loops. */
extern const char *dusk_mutant_chosen;
int dusk_mutant_is(const char *name);
#define DUSK_MUTATE(name, right, wrong) (dusk_mutant_chosen && dusk_mutant_is(#name) ? (wrong) : (right))
#else
#define DUSK_MUTATE(name, right, wrong) (right)
#endif

#endif
