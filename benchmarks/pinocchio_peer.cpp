// Pinocchio's articulated-body algorithm in a C++ loop, behind a small C interface.

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/algorithm/aba.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace pinocchio;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Peer {
    Model model;
    std::unique_ptr<Data> data;
    std::vector<VectorXd> q, v, tau;
};

static JointIndex add_joint(Model& model, JointIndex parent, int joint, const Vector3d& axis, const SE3& place,
                            const std::string& name) {
    switch (joint) {
        case 0: return model.addJoint(parent, JointModelRX(), place, name);
        case 1: return model.addJoint(parent, JointModelRY(), place, name);
        case 2: return model.addJoint(parent, JointModelRZ(), place, name);
        case 3: return model.addJoint(parent, JointModelRevoluteUnaligned(axis), place, name);
        case 4: return model.addJoint(parent, JointModelUniversal(Vector3d::UnitX(), Vector3d::UnitY()), place, name);
        default: return model.addJoint(parent, JointModelFreeFlyer(), place, name);
    }
}

// parent: -1 for the world. joint: 0, 1, 2 hinge about x, y, z; 3 hinge about `axis`; 4 universal; 5 free.
// place: rotation row by row, position. inertia: mass, centre of mass, xx, xy, xz, yy, yz, zz.
extern "C" Peer* peer_new(int links, const int* parent, const int* joint, const double* axis, const double* place,
                          const double* inertia) {
    auto peer = new Peer;
    for (int i = 0; i < links; i++) {
        const double* p = place + 12 * i;
        const double* m = inertia + 10 * i;
        Matrix3d R = Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(p);
        Matrix3d I;
        I << m[4], m[5], m[6], m[5], m[7], m[8], m[6], m[8], m[9];
        JointIndex j = add_joint(peer->model, parent[i] + 1, joint[i], Map<const Vector3d>(axis + 3 * i),
                                 SE3(R, Map<const Vector3d>(p + 9)), "j" + std::to_string(i));
        peer->model.appendBodyToJoint(j, Inertia(m[0], Map<const Vector3d>(m + 1), I), SE3::Identity());
    }
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
