// MuJoCo's smooth dynamics in a C++ loop: accelerations without contacts, constraints, sensors and actuators.

#include <mujoco/mujoco.h>

#include <cstring>

static const double* evaluate(const mjModel* m, mjData* d, const double* q, const double* v, const double* tau) {
    std::memcpy(d->qpos, q, m->nq * sizeof(double));
    std::memcpy(d->qvel, v, m->nv * sizeof(double));
    std::memcpy(d->qfrc_applied, tau, m->nv * sizeof(double));
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_makeM(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_passive(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    mj_fwdAcceleration(m, d);
    return d->qacc_smooth;
}

// Accelerations of all states, row by row.
extern "C" void peer_accelerations(const mjModel* m, mjData* d, int count, const double* q, const double* v,
                                   const double* tau, double* out) {
    for (int k = 0; k < count; k++) {
        const double* a = evaluate(m, d, q + k * m->nq, v + k * m->nv, tau + k * m->nv);
        std::memcpy(out + k * m->nv, a, m->nv * sizeof(double));
    }
}

// So many evaluations, going round the states.
extern "C" void peer_run(const mjModel* m, mjData* d, int count, const double* q, const double* v, const double* tau,
                         long repetitions) {
    for (long r = 0; r < repetitions; r++) {
        long k = r % count;
        evaluate(m, d, q + k * m->nq, v + k * m->nv, tau + k * m->nv);
    }
}
