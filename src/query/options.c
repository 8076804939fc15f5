/* SPDX-License-Identifier: Apache-2.0 */
/* What a query is asked with, before anybody says otherwise. */
#include <math.h>

#include "dusk/query.h"

void dusk_query_options_init(dusk_query_options *options)
{
    *options = (dusk_query_options){ .size = sizeof *options,
                                     .epsilon = NAN,
                                     .noise = DUSK_QUERY_LAPLACE,
                                     .confidence = 0.95,
                                     .analyst = "owner" };
}
