/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: networks as texts, which come from people and from model files. Any text is a network whose sizes are within their bounds
 * or is refused with a sentence and a hint. */
#include "deep/net.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* `in` numbers come in, and `out` numbers are needed: of the first two bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dusk_error err = { .status = DUSK_OK };
    deep_net net;
    if (size < 2) return 0;
    const size_t in = (size_t)1 + data[0], out = (size_t)1 + data[1] % 16;
    char *text = malloc(size - 1);
    if (!text) abort();
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    dusk_status status = deep_net_parse(&net, text, in, out, &err);
    if (status == DUSK_OK) {
        if (net.layers == 0 || deep_size(net.in) != in || deep_size(net.out) != out) abort();
        if (net.parameters > DEEP_PARAMETERS_MOST || net.all > DEEP_ALL_MOST) abort();
    } else if (status != DUSK_ERR_ARGUMENT || net.layer || !err.message[0] || !err.hint[0]) {
        abort();
    }
    deep_net_clear(&net);
    free(text);
    return 0;
}
