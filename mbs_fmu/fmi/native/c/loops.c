/* Closed loops: how they are kept closed in model exchange, and which rows count. */
#include "loops.h"

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
    I->R[LOOP_STATE_CONTROLLED] = I->exchange; /* an importer's solver has error control; else the kernels know */
}

double loops_chosen(const double *R) {
    double count = 0.0;
    for (size_t k = 0; k < N_LOOPS; k++) count += R[R_CHOSEN + k];
    return count;
}

void loops_exchanged(Instance *I, double *R) {
    I->kernels->exchanged(R, I->motion);
}

void loops_exchange_tangent(Instance *I) {
    I->kernels->exchange_rates_d(I->aside, I->motion, I->D, I->mixed);
}

void loops_note_start(Instance *I) {
    char text[1000];
    const double *R = I->R;
    double steps = R[LOOP_STATE_ITERATIONS], left = R[LOOP_STATE_LAST_GOOD];
    say_assembled(text, sizeof text, R[LOOP_STATE_RANK], N_RESIDUALS, steps, left);
    core_note(I, INFO, "%s: %s", NAME, text);
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

#if N_MODES

double *loops_mode_ends(Instance *I, double *R) {
    I->kernels->mode_ends(R, I->U);
    return R;
}

void loops_note_modes(Instance *I) {
    double *R = I->R;
    size_t count = place_in(MOST_LOGGED + 1, R[LOOP_STATE_LOGGED]);
    for (const double *entry = R + R_MODE_LOG; count > 0; count--, entry += 5)
        core_note(I, EVENTS, "mode of '%s' from %g to %g at t = %.9g s, %.9g J lost", MODES[place_in(N_MODES, entry[1])],
                  entry[2], entry[3], entry[0], entry[4]);
    R[LOOP_STATE_LOGGED] = 0.0;
}

#else

double *loops_mode_ends(Instance *I, double *R) { return (void)I, R; }
void loops_note_modes(Instance *I) { (void)I; }

#endif

#else

double *loops_mode_ends(Instance *I, double *R) { return (void)I, R; }
void loops_note_modes(Instance *I) { (void)I; }
void loops_settings(const Instance *I, double *R) { (void)I, (void)R; }
void loops_started(Instance *I) { (void)I; }
void loops_exchanged(Instance *I, double *R) { (void)I, (void)R; }
void loops_exchange_tangent(Instance *I) { (void)I; }
void loops_note_start(Instance *I) { (void)I; }
double loops_mass(const double *R) {
    (void)R;
    return 1.0;
}

#endif
