/* Closed loops: stabilization in model exchange, chosen rows, constraint modes, notes. */
#include "loops.h"

#include "tables.h"

#if N_LOOPS

#define EXCHANGE_ALPHA 10.0 /* rate at which residuals decay in model exchange, 1/s */

/* Model exchange makes no internal steps that could project. There residuals decay faster, by EXCHANGE_ALPHA. */
void loops_configure(const Instance *I, double *R) {
    if (!I->exchange) return;
    bool set_by_user = isinf(R[LOOP_STATE_ALPHA_STEP]);
    double most = R[LOOP_STATE_MOST_ALPHA];
    R[LOOP_STATE_MOST_ALPHA] = set_by_user && most < EXCHANGE_ALPHA ? most : EXCHANGE_ALPHA;
    R[LOOP_STATE_PROJECTION_RESIDUAL] = -1.0;
}

void loops_started(Instance *I) {
    I->R[LOOP_STATE_CONTROLLED] = I->exchange; /* importers' solvers have error control */
}

double loops_chosen(const double *R) {
    double count = 0.0;
    for (size_t k = 0; k != N_LOOPS; k++) count += R[R_CHOSEN + k];
    return count;
}

void loops_exchange_rates(Instance *I, double *R) {
    I->kernels->exchanged(R, I->motion);
}

void loops_exchange_tangent(Instance *I) {
    I->kernels->exchange_rates_d(I->scratch, I->motion, I->D, I->motion_tangents);
}

void loops_note_start(Instance *I) {
    char text[1000];
    const double *R = I->R;
    double steps = R[LOOP_STATE_ITERATIONS], left = R[LOOP_STATE_LAST_GOOD];
    write_assembled(text, sizeof text, R[LOOP_STATE_RANK], N_RESIDUALS, steps, left);
    core_log(I, LOG_INFO, "%s: %s", NAME, text);
}

/* Mass of all bodies, kg. Moments of inertia count as masses at the distance of the mechanism's size. */
double loops_mass(const double *R) {
    double mass = 0.0;
    for (size_t i = 0; i != N_LINKS; i++) {
        const double *link = R + R_BODIES + LINK_SIZE * i, *J = link + LINK_INERTIA;
        double length = R[LOOP_STATE_CHARACTERISTIC_LENGTH];
        mass += link[LINK_MASS] + 0.5 * (J[0] + J[3] + J[5]) / (length * length);
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
    size_t count = place_in(N_LOG / ENTRY_SIZE + 1, R[INSTANTS_LOGGED]);
    for (const double *entry = R + R_LOG; count > 0; count--, entry += ENTRY_SIZE)
        if (entry[ENTRY_KIND] == OF_MODE)
            core_log(I, LOG_EVENTS, "mode of '%s' from %g to %g at t = %.9g s, %.9g J lost",
                     MODES[place_in(N_MODES, entry[ENTRY_OWNER])], entry[ENTRY_BEFORE], entry[ENTRY_AFTER],
                     entry[ENTRY_TIME], entry[ENTRY_LOST]);
    R[INSTANTS_LOGGED] = 0.0;
}

#else

double *loops_mode_ends(Instance *I, double *R) { return (void)I, R; }
void loops_note_modes(Instance *I) { (void)I; }

#endif

#else

double *loops_mode_ends(Instance *I, double *R) { return (void)I, R; }
void loops_note_modes(Instance *I) { (void)I; }
void loops_configure(const Instance *I, double *R) { (void)I, (void)R; }
void loops_started(Instance *I) { (void)I; }
double loops_chosen(const double *R) {
    (void)R;
    return 0.0;
}
void loops_exchange_rates(Instance *I, double *R) { (void)I, (void)R; }
void loops_exchange_tangent(Instance *I) { (void)I; }
void loops_note_start(Instance *I) { (void)I; }
double loops_mass(const double *R) {
    (void)R;
    return 1.0;
}

#endif
