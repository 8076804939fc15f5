/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ATTACK_H
#define DUSK_ATTACK_H

/* Attacks: what somebody who only reads what was published can find out about a person. For
 * showing that a release without privacy, or one that spends without counting, falls, and
 * how far one of Dusk does not.
 *
 * In chapters, each usable alone:
 *   attack_releases.h  differencing, averaging, reconstruction, membership in means
 *
 * What holds everywhere here:
 *   - An attack sees answers and public facts only. Where the truth is an argument, it is
 *     for counting how often the attack was right, after it has guessed.
 *   - An attack that fails proves nothing: the promise is the accountant's, and a better
 *     attack may be known tomorrow. An attack that succeeds beyond what the accountant
 *     allows is a bug in one of the two. */

#include "dusk/attack_releases.h"

#endif
