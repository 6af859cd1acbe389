// A Pinocchio model from plain arrays, shared by the peers.

#pragma once

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

#include <string>

using namespace pinocchio;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

static JointIndex add_joint(Model& model, JointIndex parent, int joint, const Vector3d& axis, const SE3& place,
                            const std::string& name) {
    switch (joint) {
        case 0: return model.addJoint(parent, JointModelRX(), place, name);
        case 1: return model.addJoint(parent, JointModelRY(), place, name);
        case 2: return model.addJoint(parent, JointModelRZ(), place, name);
        case 3: return model.addJoint(parent, JointModelRevoluteUnaligned(axis), place, name);
        case 4: return model.addJoint(parent, JointModelUniversal(Vector3d::UnitX(), Vector3d::UnitY()), place, name);
        case 6: return model.addJoint(parent, JointModelPrismaticUnaligned(axis), place, name);
        default: return model.addJoint(parent, JointModelFreeFlyer(), place, name);
    }
}

// parent: -1 for the world. joint: 0, 1, 2 hinge about x, y, z; 3 hinge about `axis`; 4 universal; 5 free; 6 slide along `axis`.
// place: rotation row by row, position. inertia: mass, centre of mass, xx, xy, xz, yy, yz, zz.
static void add_links(Model& model, int links, const int* parent, const int* joint, const double* axis,
                      const double* place, const double* inertia) {
    for (int i = 0; i < links; i++) {
        const double* p = place + 12 * i;
        const double* m = inertia + 10 * i;
        Matrix3d R = Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(p);
        Matrix3d I;
        I << m[4], m[5], m[6], m[5], m[7], m[8], m[6], m[8], m[9];
        JointIndex j = add_joint(model, parent[i] + 1, joint[i], Map<const Vector3d>(axis + 3 * i),
                                 SE3(R, Map<const Vector3d>(p + 9)), "j" + std::to_string(i));
        model.appendBodyToJoint(j, Inertia(m[0], Map<const Vector3d>(m + 1), I), SE3::Identity());
    }
}
