/* A pendulum written by hand as an FMI 2.0 co-simulation FMU, as short as it can be: what a doStep costs at least. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

typedef struct {
    double t, x[2], torque;
} Pendulum; /* angle and angular velocity; mass 1 kg at 0.5 m, inertia 0.08 kg m2 about the centre of mass */

static void rates(const double *x, double torque, double *dx) {
    dx[0] = x[1];
    dx[1] = (torque - 1.0 * 9.81 * 0.5 * sin(x[0])) / (0.08 + 0.25);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
    Pendulum *p = calloc(1, sizeof *p);
    if (p) p->x[0] = 0.5;
    return p;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real start, fmi2Boolean d, fmi2Real e) {
    (void)a, (void)b, (void)d, (void)e;
    ((Pendulum *)c)->t = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state) {
    Pendulum *p = c;
    double k[4][2], y[2];
    (void)no_set_state;
    rates(p->x, p->torque, k[0]);
    for (int s = 1; s < 4; s++) {
        double part = s == 3 ? h : 0.5 * h;
        for (int i = 0; i < 2; i++) y[i] = p->x[i] + part * k[s - 1][i];
        rates(y, p->torque, k[s]);
    }
    for (int i = 0; i < 2; i++) p->x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    p->t = t + h;
    return isfinite(p->x[0]) && isfinite(p->x[1]) ? fmi2OK : fmi2Error;
}
