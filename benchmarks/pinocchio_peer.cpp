// Pinocchio's articulated-body algorithm in a C++ loop, behind a small C interface.

#include "pinocchio_tree.hpp"

#include <pinocchio/algorithm/aba.hpp>

#include <memory>
#include <vector>

struct Peer {
    Model model;
    std::unique_ptr<Data> data;
    std::vector<VectorXd> q, v, tau;
};

// The arrays are those of add_links.
extern "C" Peer* peer_new(int links, const int* parent, const int* joint, const double* axis, const double* place,
                          const double* inertia) {
    auto peer = new Peer;
    add_links(peer->model, links, parent, joint, axis, place, inertia);
    peer->data = std::make_unique<Data>(peer->model);
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

static const VectorXd& evaluate(Peer* peer, size_t k) {
    return aba(peer->model, *peer->data, peer->q[k], peer->v[k], peer->tau[k], Convention::LOCAL);
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
