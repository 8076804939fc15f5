/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the accountants. */
#include <string.h>

#include "base/error.h"
#include "dusk/accounting.h"

static const char *const names[DUSK_ACCOUNTANTS + 1] = {
    [DUSK_BEST] = "best",         [DUSK_EXACT] = "exact",     [DUSK_BASIC] = "basic",
    [DUSK_ADVANCED] = "advanced", [DUSK_OPTIMAL] = "optimal", [DUSK_ZCDP] = "zcdp",
    [DUSK_MCDP] = "mcdp",         [DUSK_TCDP] = "tcdp",       [DUSK_RDP] = "rdp",
    [DUSK_MOMENTS] = "moments",   [DUSK_GDP] = "gdp",         [DUSK_CLT] = "clt",
    [DUSK_LATTICE] = "lattice",   [DUSK_CONTOUR] = "contour",
};

const char *dusk_accountant_name(dusk_accountant accountant)
{
    return accountant >= DUSK_BEST && accountant <= DUSK_ACCOUNTANTS ? names[accountant] : "unknown";
}

dusk_status dusk_accountant_named(dusk_accountant *out, const char *name, dusk_error *err)
{
    for (int i = DUSK_BEST; i <= DUSK_ACCOUNTANTS; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (dusk_accountant)i;
        return DUSK_OK;
    }
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "use best, exact, basic, advanced, optimal, zcdp, mcdp, tcdp, rdp, moments, gdp, clt, "
                     "lattice or contour",
                     "there is no accountant of that name");
}
