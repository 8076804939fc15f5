/* SPDX-License-Identifier: Apache-2.0 */
/* All randomisers that the server knows. */
#include <string.h>

#include "local/protocol.h"

/* In the order of their numbers. */
#define PROTOCOLS(EACH)                                                                                      \
    EACH(local_grr)                                                                                          \
    EACH(local_sue)                                                                                          \
    EACH(local_oue)                                                                                          \
    EACH(local_olh)                                                                                          \
    EACH(local_ss)                                                                                           \
    EACH(local_hadamard_bit)                                                                                 \
    EACH(local_hr)                                                                                           \
    EACH(local_pgr)                                                                                          \
    EACH(local_cms)                                                                                          \
    EACH(local_hcms)                                                                                         \
    EACH(local_rappor)                                                                                       \
    EACH(local_onebit)                                                                                       \
    EACH(local_duchi)                                                                                        \
    EACH(local_piecewise)                                                                                    \
    EACH(local_hybrid)                                                                                       \
    EACH(local_dbitflip)                                                                                     \
    EACH(local_squarewave)                                                                                   \
    EACH(local_tree)                                                                                         \
    EACH(local_spl)                                                                                          \
    EACH(local_smp)                                                                                          \
    EACH(local_rsfd)                                                                                         \
    EACH(local_pem)                                                                                          \
    EACH(local_treehist)                                                                                     \
    EACH(local_sfp)                                                                                          \
    EACH(local_planar)

#define DECLARED(name) extern const local_protocol name;
#define LISTED(name) &name,

PROTOCOLS(DECLARED)
const local_protocol *const local_protocols[] = { PROTOCOLS(LISTED) NULL };

const local_protocol *local_protocol_of(uint32_t mechanism)
{
    for (size_t i = 0; local_protocols[i]; i++)
        if ((uint32_t)local_protocols[i]->mechanism == mechanism) return local_protocols[i];
    return NULL;
}

const char *dusk_randomiser_name(uint32_t mechanism)
{
    const local_protocol *protocol = local_protocol_of(mechanism);
    return protocol ? protocol->name : NULL;
}

const char *dusk_randomiser_about(uint32_t mechanism)
{
    const local_protocol *protocol = local_protocol_of(mechanism);
    return protocol ? protocol->about : NULL;
}

dusk_status dusk_randomiser_find(dusk_randomiser *out, const char *name, dusk_error *err)
{
    for (size_t i = 0; local_protocols[i]; i++)
        if (!strcmp(local_protocols[i]->name, name)) {
            *out = local_protocols[i]->mechanism;
            return DUSK_OK;
        }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "`dusk collect plan` lists those that there are",
                     "there is no randomiser \"%.30s\"", name);
}

bool dusk_randomiser_several(dusk_randomiser mechanism)
{
    const local_protocol *protocol = local_protocol_of(mechanism);
    return protocol && protocol->several;
}

dusk_question dusk_randomiser_question(dusk_randomiser mechanism)
{
    const local_protocol *protocol = local_protocol_of(mechanism);
    return protocol ? protocol->question : DUSK_ASKS_COUNTS;
}
