/* Closed loops: what is said of them, and in model exchange which rows count and what the importer's solver gets. */
#include "inside.h"

#if N_LOOPS

#define EXCHANGE_ALPHA 10.0 /* rate in model exchange at which residuals decay, 1/s */

/* Model exchange has no steps of its own that could project: there residuals decay faster, by 10/s. */
void loops_settings(const Instance *I, double *R) {
    if (!I->exchange) return;
    bool users = isinf(R[LOOP_STATE_ALPHA_STEP]);
    double most = R[LOOP_STATE_MOST_ALPHA];
    R[LOOP_STATE_MOST_ALPHA] = users && most < EXCHANGE_ALPHA ? most : EXCHANGE_ALPHA;
    R[LOOP_STATE_PROJECT] = -1.0;
}

void loops_started(Instance *I) {
    if (I->R[LOOP_STATE_PROJECT] >= 0.0) I->R[LOOP_STATE_PROJECT] = PROJECTED * (ATOL * (I->tolerance / RTOL));
    I->R[LOOP_STATE_CONTROLLED] = I->exchange; /* an importer's solver has error control; else the kernels know */
    memcpy(I->ranks, I->R + R_RANKS, N_LOOPS * sizeof(double));
    if (I->exchange) core_look_after(I); /* where the first step's means begin */
}

/* An evaluation may find chosen rows dependent where a solver only tries a state. That must not outlast it. */
void loops_keep_choice(const Instance *I, double *R) {
    if (I->exchange && !before_start(I)) memcpy(R + R_RANKS, I->ranks, N_LOOPS * sizeof(double));
}

void loops_exchanged(Instance *I, double *R) {
    I->kernels->exchanged(R, I->motion);
}

double *call_exchange(Instance *I) {
    double *R = call_rates(I);
    if (!I->exchange) R = memcpy(I->aside, R, sizeof(double[N_R])); /* reading changes no step, not even in last bits */
    loops_exchanged(I, R);
    return R;
}

void loops_exchange_tangent(Instance *I) {
    I->kernels->exchange_rates_d(I->aside, I->motion, I->D, I->mixed);
}

void core_note_start(Instance *I) {
    char text[1000];
    core_note(I, INFO, "%s starts at t = %.9g s", NAME, core_time(I));
    const double *R = I->R;
    double steps = R[LOOP_STATE_ITERATIONS], left = R[LOOP_STATE_LAST_GOOD];
    say_assembled(text, sizeof text, R[LOOP_STATE_RANK], N_RESIDUALS, steps, left);
    core_note(I, INFO, "%s: %s", NAME, text);
}

/* -- model exchange ----------------------------------------------------------------------------------------- */

static double rank(const double *ranks) {
    double total = 0.0;
    for (size_t k = 0; k < N_LOOPS; k++) total += ranks[k];
    return total;
}

/* What beginning anew with rows chosen among all would be like, in a record of its own. */
static const double *begun(Instance *I, int64_t *status) {
    call_rates(I);
    memcpy(I->spare, I->R, N_R * sizeof(double));
    memcpy(I->spare + R_U_OLD, I->R + R_U, N_U * sizeof(double)); /* what a row that comes back may not change much */
    I->spare[HEAD_FRESH] = 0.0;
    *status = I->kernels->begin(I->spare, I->U, 0.0);
    return I->spare;
}

static Status too_open(Instance *I) {
    char text[1000];
    double *R = I->R, worst = -1.0;
    for (size_t loop = 0, row = 0; loop < N_LOOPS; loop++)
        for (int k = 0; k < LOOP_ROWS[loop]; k++, row++)
            if (fabs(R[R_RESIDUALS + row]) > worst) worst = fabs(R[R_RESIDUALS + row]), R[HEAD_FAULT] = (double)loop;
    R[LOOP_STATE_LAST_GOOD] = R[LOOP_STATE_RESIDUAL], R[HEAD_FAULT_TIME] = R[HEAD_TIME];
    say_failed_step(text, sizeof text, R, STATUS_OPEN_LOOP);
    return core_complain(I, FAILED, "%s: %s", NAME, text);
}

static Status not_followed(Instance *I, const double *next) {
    char text[1000];
    say_failed_step(text, sizeof text, next, STATUS_NOT_FOLLOWED);
    return core_complain(I, FAILED, "%s: %s", NAME, text);
}

Status core_completed_step(Instance *I, bool *event) {
    int64_t status;
    double *R = I->R;
    if (core_look_after(I) != OK) return FAILED;
    const double *next = begun(I, &status);
    if (status == STATUS_NOT_FOLLOWED) return not_followed(I, next);
    if (R[LOOP_STATE_RESIDUAL] > R[LOOP_STATE_BOUND]) return too_open(I);
    *event = I->due = rank(next + R_RANKS) > rank(R + R_RANKS);
    return OK;
}

Status core_update(Instance *I, bool *states_changed) {
    int64_t status;
    if (I->exchange && core_look_after(I) != OK) return FAILED; /* forces that jump here begin the next step's means */
    if (!I->due) return OK;
    I->due = false;
    const double *next = begun(I, &status);
    if (status == STATUS_NOT_FOLLOWED) return not_followed(I, next);
    if (status == STATUS_OPEN_LOOP) return too_open(I);
    if (status == STATUS_GIMBAL_LOCK) return core_fault(I, status);
    for (size_t k = 0; k < NX; k++)
        if (!isfinite(next[X0 + k])) return OK; /* the states are bad already, and the importer will find that out */
    memcpy(I->R, next, N_R * sizeof(double));
    memcpy(I->ranks, I->R + R_RANKS, N_LOOPS * sizeof(double));
    if (core_look_after(I) != OK) return FAILED; /* of these rows */
    core_note(I, EVENTS, "rows chosen at t = %.9g s", I->R[HEAD_TIME]);
    *states_changed = true;
    return OK;
}

/* Mass of all bodies; of what turns without mass, the one that turns as heavily at the mechanism's size. */
double loops_mass(const double *R) {
    double mass = 0.0;
    for (size_t i = 0; i < N_LINKS; i++) {
        const double *link = R + R_BODIES + LINK_SIZE * i, *J = link + LINK_INERTIA;
        mass += link[LINK_MASS] + 0.5 * (J[0] + J[3] + J[5]) / (R[LOOP_STATE_LENGTH] * R[LOOP_STATE_LENGTH]);
    }
    return mass;
}

#else

void loops_settings(const Instance *I, double *R) { (void)I, (void)R; }
void loops_started(Instance *I) { (void)I; }
void loops_keep_choice(const Instance *I, double *R) { (void)I, (void)R; }
double *call_exchange(Instance *I) { return call_rates(I); }
void loops_exchanged(Instance *I, double *R) { (void)I, (void)R; }
void loops_exchange_tangent(Instance *I) { (void)I; }
double loops_mass(const double *R) {
    (void)R;
    return 1.0;
}
void core_note_start(Instance *I) { core_note(I, INFO, "%s starts at t = %.9g s", NAME, core_time(I)); }
Status core_completed_step(Instance *I, bool *event) {
    (void)event;
    return core_look_after(I);
}
Status core_update(Instance *I, bool *states_changed) {
    (void)I, (void)states_changed;
    return OK;
}

#endif
