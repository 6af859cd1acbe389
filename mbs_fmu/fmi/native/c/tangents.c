/* Derivatives of what is computed, along directions. */
#include "inside.h"

static Status seed(Instance *I, uint32_t reference, double value) {
    char kind = KINDS[reference];
    bool start = before_start(I);
    bool known = kind == TUNABLE || kind == INPUT || kind == CLOCK || kind == STATE || kind == COORDINATE;
    if (!known && kind != (start ? RATE : MOMENTUM))
        return core_complain(I, FAILED, "no derivative by '%s' in %s: %s", NAMES[reference], phase_name(I->phase),
                             kind == PARAMETER ? "mass and geometry are fixed" : "it is not independent");
    I->D[SLOTS[reference]] += value;
    return OK;
}

static Status prepare_tangent(Instance *I) {
    int64_t none;
    void *error;
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    I->kernels->refresh(&none, &error, I->R, I->U);
    memset(I->D, 0, N_R * sizeof(double));
    return OK;
}

static void tangent(Instance *I) {
    int64_t none;
    void *error;
    if (before_start(I)) I->kernels->start_tangent(&none, &error, I->R, I->D);
    else I->kernels->tangent(&none, &error, I->R, I->D);
}

static Status check_references(Instance *I, const uint32_t *references, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!core_length(references[i])) return unknown_reference(I, references[i]);
    return OK;
}

Status core_directional(Instance *I, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns,
                        size_t n_knowns, const double *seeds, double *results) {
    if (check_references(I, unknowns, n_unknowns) != OK || check_references(I, knowns, n_knowns) != OK) return FAILED;
    if (prepare_tangent(I) != OK) return FAILED;
    for (size_t i = 0; i < n_knowns; i++) {
        if (seed(I, knowns[i], seeds[0]) != OK) return FAILED;
        seeds += core_length(knowns[i]);
    }
    tangent(I);
    for (size_t i = 0; i < n_unknowns; i++)
        for (size_t k = 0; k < core_length(unknowns[i]); k++)
            if (!isfinite(*results++ = I->D[SLOTS[unknowns[i]] + k]))
                return core_complain(I, DISCARD, "the derivative of '%s' is not finite", NAMES[unknowns[i] + k]);
    return OK;
}

Status core_adjoint(Instance *I, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                    const double *seeds, double *results) {
    if (check_references(I, unknowns, n_unknowns) != OK || check_references(I, knowns, n_knowns) != OK) return FAILED;
    for (size_t j = 0; j < n_knowns; j++) {
        if (prepare_tangent(I) != OK || seed(I, knowns[j], 1.0) != OK) return FAILED;
        tangent(I);
        const double *weight = seeds;
        double total = 0.0;
        for (size_t i = 0; i < n_unknowns; i++)
            for (size_t k = 0; k < core_length(unknowns[i]); k++) total += *weight++ * I->D[SLOTS[unknowns[i]] + k];
        if (!isfinite(total))
            return core_complain(I, DISCARD, "the derivative by '%s' is not finite", NAMES[knowns[j]]);
        results[j] = total;
    }
    return OK;
}

Status core_output_slope(Instance *I, uint32_t reference, double *slopes) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (KINDS[reference] != OUTPUT) return core_complain(I, FAILED, "'%s' is not an output", NAMES[reference]);
    if (prepare_tangent(I) != OK) return FAILED;
    memcpy(I->D + X0, I->R + F0, NX * sizeof(double));
    I->D[TIME] = 1.0;
    int64_t none;
    void *error;
    I->kernels->tangent(&none, &error, I->R, I->D);
    for (size_t k = 0; k < core_length(reference); k++)
        if (!isfinite(slopes[k] = I->D[SLOTS[reference] + k]))
            return core_complain(I, DISCARD, "the derivative of '%s' is not finite", NAMES[reference + k]);
    return OK;
}
