/* Directional and adjoint derivatives. */
#include "tangents.h"

#include "core.h"
#include "tables.h"
#include "loops.h"

/* Add the seed of one element to the tangents D. */
static Status add_seed(Instance *I, uint32_t reference, size_t element, double value) {
    char role = ROLES[reference];
    bool start = before_start(I);
    bool known = role <= LAST_KNOWN && role != (start ? MOMENTUM : RATE);
    if (!known || (start && SOLVED[reference]))
        return core_report(I, FAILED, "no derivative by '%s' in %s: it is not independent", NAMES[reference],
                             phase_name(I->phase));
    I->D[SLOTS[reference] + element] += value;
    return OK;
}

static Status prepare_tangent(Instance *I) {
    if (before_start(I) && !I->ready && core_start(I) != OK) return FAILED;
    /* on a copy: a tangent recomputes all values, possibly with other last bits */
    memcpy(I->scratch, call_refresh(I), N_R * sizeof(double));
    memset(I->D, 0, N_R * sizeof(double));
    return OK;
}

/* Size of a unit change of a variable. */
static double natural_size(const double *R, size_t variable) {
    double value = fabs(R[SLOTS[variable]]), size = N_LOOPS ? R[LOOP_STATE_CHARACTERISTIC_LENGTH] : 1.0;
    switch (ROLES[variable]) {
    case PARAMETER: case TUNABLE: return value > 0.0 ? value : 1.0;
    case CLOCK: return 0.1 * fmax(1.0, value);
    case COORDINATE: case RATE: return fmax(LINEAR[variable] ? size : 1.0, value);
    case MOMENTUM: return fmax(loops_mass(R) * (LINEAR[variable] ? size : size * size), value);
    default: return fmax(1.0, value);
    }
}

/* True if the direction changes a mass or a dimension, from which the record's constants are computed. */
static bool changes_constants(const Instance *I) {
    bool changes = false;
    for (size_t k = 0; k != N_VARS; k++) changes = changes || (ROLES[k] == PARAMETER && I->D[SLOTS[k]] != 0.0);
    return changes;
}

/* Evaluate a record at a distance along the seeds; before the start this includes an assembly. */
static Status evaluate_at(Instance *I, double distance, double *record) {
    int64_t status = STATUS_OK;
    memcpy(record, before_start(I) ? I->start_record : I->R, N_R * sizeof(double));
    for (size_t k = 0; k != N_VARS; k++)
        if (ROLES[k] <= LAST_KNOWN) record[SLOTS[k]] += distance * I->D[SLOTS[k]];
    if (before_start(I)) {
        loops_configure(I, record);
        status = I->kernels->initialise(record);
    } else if (changes_constants(I))
        status = I->kernels->prepare(record);
    if (status != STATUS_OK)
        return core_report(I, FAILED, "%s: no derivative: the model cannot be evaluated at a nearby point", NAME);
    record[HEAD_FRESH] = FRESH_STALE;
    I->kernels->refresh(record, I->U);
    loops_exchange_rates(I, record);
    return OK;
}

/* Write central differences along the seeds into D: for masses and dimensions, whose constants have no tangents, and
 * before a start that assembles loops or solves for the equilibrium of elastic bodies. The variable with the largest
 * relative change moves by a millionth of its natural size. */
static Status difference(Instance *I) {
    double *plus = I->trial, *minus = plus + N_R, farthest = 0.0;
    for (size_t k = 0; k != N_VARS; k++)
        if (ROLES[k] <= LAST_KNOWN) farthest = fmax(farthest, fabs(I->D[SLOTS[k]]) / natural_size(I->R, k));
    if (!(farthest > 0.0)) return OK;
    double distance = 1e-6 / farthest;
    if (evaluate_at(I, distance, plus) != OK || evaluate_at(I, -distance, minus) != OK) return FAILED;
    for (size_t k = 0; k != R_BODIES; k++) I->D[k] = (plus[k] - minus[k]) / (2.0 * distance);
    return OK;
}

/* The start normalises quaternions, so remove the parts of the seeds that change their lengths. */
static void remove_normal_part(Instance *I) {
    for (size_t k = 0; k != N_QUATERNIONS; k++) {
        const double *q = I->start_record + QUATERNION_SLOTS[k];
        double *d = I->D + QUATERNION_SLOTS[k];
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        double along = (q[0] * d[0] + q[1] * d[1] + q[2] * d[2] + q[3] * d[3]) / square;
        for (int j = 0; j < 4; j++) d[j] = (d[j] - q[j] * along) / sqrt(square);
    }
}

static Status tangent(Instance *I, const uint32_t *unknowns, size_t count) {
    if ((START_SOLVED && before_start(I)) || changes_constants(I)) return difference(I);
    if (before_start(I)) return remove_normal_part(I), I->kernels->start_tangent(I->scratch, I->D), OK;
    I->kernels->tangent(I->scratch, I->D);
    for (size_t i = 0; i < count; i++)
        if (ROLES[unknowns[i]] > DERIVATIVE)
            return core_report(I, FAILED, "no derivative of '%s': there are none of modes and their ends",
                                 NAMES[unknowns[i]]);
    for (size_t i = 0; i < count; i++)
        if (ROLES[unknowns[i]] == DERIVATIVE) return loops_exchange_tangent(I), OK;
    return OK;
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
    for (size_t i = 0; i < n_knowns; i++)
        for (size_t k = 0; k < core_length(knowns[i]); k++)
            if (add_seed(I, knowns[i], k, *seeds++) != OK) return FAILED;
    if (tangent(I, unknowns, n_unknowns) != OK) return FAILED;
    for (size_t i = 0; i < n_unknowns; i++)
        for (size_t k = 0; k < core_length(unknowns[i]); k++)
            if (!isfinite(I->D[SLOTS[unknowns[i]] + k]))
                return core_report(I, DISCARD, "the derivative of '%s' is not finite", NAMES[unknowns[i] + k]);
    for (size_t i = 0; i < n_unknowns; i++)
        for (size_t k = 0; k < core_length(unknowns[i]); k++) *results++ = I->D[SLOTS[unknowns[i]] + k];
    return OK;
}

/* Weighted sum of the unknowns' derivatives along the direction in D. */
static Status weighted_sum(Instance *I, const uint32_t *unknowns, size_t count, const double *weights, double *total) {
    if (tangent(I, unknowns, count) != OK) return FAILED;
    *total = 0.0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < core_length(unknowns[i]); k++) *total += *weights++ * I->D[SLOTS[unknowns[i]] + k];
    return OK;
}

Status core_adjoint(Instance *I, const uint32_t *unknowns, size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                    const double *seeds, double *results) {
    if (check_references(I, unknowns, n_unknowns) != OK || check_references(I, knowns, n_knowns) != OK) return FAILED;
    for (size_t j = 0; j < n_knowns; j++)
        for (size_t k = 0; k < core_length(knowns[j]); k++, results++) {
            if (prepare_tangent(I) != OK || add_seed(I, knowns[j], k, 1.0) != OK) return FAILED;
            if (weighted_sum(I, unknowns, n_unknowns, seeds, results) != OK) return FAILED;
            if (!isfinite(*results))
                return core_report(I, DISCARD, "the derivative by '%s' is not finite", NAMES[knowns[j] + k]);
        }
    return OK;
}

Status core_output_slope(Instance *I, uint32_t reference, double *slopes) {
    if (!core_length(reference)) return unknown_reference(I, reference);
    if (ROLES[reference] != OUTPUT) return core_report(I, FAILED, "'%s' is not an output", NAMES[reference]);
    if (prepare_tangent(I) != OK) return FAILED;
    memcpy(I->D + X0, I->scratch + F0, NX * sizeof(double));
    I->D[HEAD_TIME] = 1.0;
    if (tangent(I, &reference, 1) != OK) return FAILED;
    for (size_t k = 0; k < core_length(reference); k++)
        if (!isfinite(slopes[k] = I->D[SLOTS[reference] + k]))
            return core_report(I, DISCARD, "the derivative of '%s' is not finite", NAMES[reference + k]);
    return OK;
}
