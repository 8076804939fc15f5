/* SPDX-License-Identifier: Apache-2.0 */
/* The run-time switch of planted bugs; empty in release builds. */
#include "base/mutant.h"

#ifdef DUSK_TESTING
#include <stdlib.h>
#include <string.h>

const char *dusk_mutant_chosen;

__attribute__((constructor)) static void choose(void) { dusk_mutant_chosen = getenv("DUSK_MUTANT"); }

int dusk_mutant_is(const char *name) { return strcmp(dusk_mutant_chosen, name) == 0; }
#else
typedef int dusk_mutants_are_absent; /* a translation unit may not be empty */
#endif
