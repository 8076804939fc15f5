/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder of local hashing, for lanes of type LANE; hashing.c includes it twice. ADD_NAME adds `n` reports (all of them `open`) to `count`, of the values
 * from `first` on. What a value hashes to is x = (a v + b) mod P, and a report supports it where x - low mod P is below `length`: so x starts at b - low, and one addition
 * leads from a value to the next. PASS reports go over the counters together. */

enum { ADD_LANES = 64 / sizeof(LANE) };
typedef LANE ADD_VECTOR __attribute__((vector_size(64)));

/* x + y mod P, both below P; sums fit the lanes. */
#define ADD_MODULO(x, y) ((x) += (y), (x) -= prime & ((x) >= prime))

LOCAL_LANES static void ADD_NAME(LANE *count, uint32_t values, uint32_t first, const hashed *report, size_t n,
                                 uint32_t modulus)
{
    const ADD_VECTOR prime = (LANE)modulus - (ADD_VECTOR){ 0 };
    ADD_VECTOR number = { 0 };
    for (int i = 0; i < ADD_LANES; i++) number[i] = (LANE)i;
    for (size_t from = 0; from < n; from += PASS) {
        ADD_VECTOR x[PASS], step[PASS], length[PASS];
        for (size_t r = 0; r < PASS; r++) { /* lane i: the value first + i; the step: one vector further */
            const hashed *h = &report[from + r < n ? from + r : from];
            step[r] = (LANE)h->a - (ADD_VECTOR){ 0 };
            x[r] = (LANE)(((uint64_t)h->a * first + h->start) % modulus) - (ADD_VECTOR){ 0 };
            length[r] = (LANE)(from + r < n ? h->length : 0) - (ADD_VECTOR){ 0 };
            for (LANE bit = 1; bit < ADD_LANES; bit = (LANE)(2 * bit)) {
                const ADD_VECTOR part = step[r] & ((number & bit) != 0);
                ADD_MODULO(x[r], part);
                ADD_MODULO(step[r], step[r]);
            }
        }
        for (uint32_t v = 0; v < values; v += ADD_LANES) {
            ADD_VECTOR sum;
            memcpy(&sum, count + v, sizeof sum);
            for (size_t r = 0; r < PASS; r++) {
                sum -= x[r] < length[r];
                ADD_MODULO(x[r], step[r]);
            }
            memcpy(count + v, &sum, sizeof sum);
        }
    }
}

#undef ADD_MODULO
#undef ADD_VECTOR
#undef ADD_LANES
#undef ADD_NAME
#undef LANE
