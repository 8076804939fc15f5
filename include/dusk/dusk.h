/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DUSK_H
#define DUSK_DUSK_H

/* All of libdusk. Each header can also be used alone. */
#include "dusk/accounting.h"
#include "dusk/attack.h"
#include "dusk/audit.h"
#include "dusk/base.h"
#include "dusk/frame.h"
#include "dusk/learn.h"
#include "dusk/learn_select.h"
#include "dusk/ledger.h"
#include "dusk/local.h"
#include "dusk/local_estimates.h"
#include "dusk/local_liars.h"
#include "dusk/local_places.h"
#include "dusk/local_shuffle.h"
#include "dusk/local_strings.h"
#include "dusk/local_wire.h"
#include "dusk/mechanisms.h"
#include "dusk/numeric.h"
#include "dusk/query.h"
#include "dusk/random.h"
#include "dusk/table.h"

#endif
