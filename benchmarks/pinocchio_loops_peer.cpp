// Pinocchio's dynamics of closed loops in a C++ loop, behind a small C interface.

#include "pinocchio_tree.hpp"

#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>

#include <memory>
#include <vector>

struct Peer {
    Model model;
    std::unique_ptr<Data> data;
    bool sparse;
    std::vector<RigidConstraintModel> closures;
    std::vector<RigidConstraintData> closure_data;
    ProximalSettings settings;
    std::vector<VectorXd> q, v, tau;
};

// The first arrays are those of add_links. closures: pairs of links whose points in `points` (6 numbers a pair, in
// the links' axes) stay together. sparse: lcaba, whose cost grows with the mechanism; else constraintDynamics.
extern "C" Peer* peer_new(int links, const int* parent, const int* joint, const double* axis, const double* place,
                          const double* inertia, int closures, const int* pairs, const double* points, int sparse,
                          double accuracy, double mu, int iterations) {
    auto peer = new Peer{.sparse = sparse != 0, .settings = ProximalSettings(accuracy, mu, iterations)};
    add_links(peer->model, links, parent, joint, axis, place, inertia);
    peer->data = std::make_unique<Data>(peer->model);
    for (int c = 0; c < closures; c++) {
        const SE3 a(Matrix3d::Identity(), Map<const Vector3d>(points + 6 * c));
        const SE3 b(Matrix3d::Identity(), Map<const Vector3d>(points + 6 * c + 3));
        peer->closures.emplace_back(CONTACT_3D, peer->model, pairs[2 * c] + 1, a, pairs[2 * c + 1] + 1, b, LOCAL);
        peer->closure_data.emplace_back(peer->closures.back());
    }
    if (peer->sparse) {
        computeJointMinimalOrdering(peer->model, *peer->data, peer->closures);
    } else {
        initConstraintDynamics(peer->model, *peer->data, peer->closures, peer->closure_data);
    }
    return peer;
}

extern "C" void peer_states(Peer* peer, int count, const double* q, const double* v, const double* tau) {
    const int nq = peer->model.nq, nv = peer->model.nv;
    for (int k = 0; k < count; k++) {
        peer->q.push_back(Map<const VectorXd>(q + k * nq, nq));
        peer->v.push_back(Map<const VectorXd>(v + k * nv, nv));
        peer->tau.push_back(Map<const VectorXd>(tau + k * nv, nv));
    }
}

static const VectorXd& evaluate(Peer* p, size_t k) {
    if (p->sparse) {
        return lcaba(p->model, *p->data, p->q[k], p->v[k], p->tau[k], p->closures, p->closure_data, p->settings);
    }
    return constraintDynamics(p->model, *p->data, p->q[k], p->v[k], p->tau[k], p->closures, p->closure_data,
                              p->settings);
}

// Accelerations of all states, row by row.
extern "C" void peer_accelerations(Peer* peer, double* out) {
    for (size_t k = 0; k < peer->q.size(); k++) {
        Map<VectorXd>(out + k * peer->model.nv, peer->model.nv) = evaluate(peer, k);
    }
}

// So many evaluations, going round the states.
extern "C" void peer_run(Peer* peer, long repetitions) {
    for (long r = 0; r < repetitions; r++) {
        evaluate(peer, r % peer->q.size());
    }
}

extern "C" void peer_delete(Peer* peer) { delete peer; }
