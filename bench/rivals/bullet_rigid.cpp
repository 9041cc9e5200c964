// Bullet's rigid bodies with its own settings: sequential impulses, warm started. Nothing falls asleep. One thread. The
// library is Debian's, in float.
#include "bench/rigid.h"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

namespace {

struct BulletBoxes
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btDefaultMotionState>> motions;
    std::vector<std::unique_ptr<btRigidBody>> bodies; // the boxes, then the floor
    std::vector<std::unique_ptr<btTypedConstraint>> pins;
    int boxCount, steps;
    btScalar frame;

    void add(btCollisionShape *shape, const btTransform &pose, double mass, double friction)
    {
        shapes.emplace_back(shape);
        motions.push_back(std::make_unique<btDefaultMotionState>(pose));
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia(btScalar(mass), inertia);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), motions.back().get(), shape, inertia);
        info.m_friction = btScalar(friction);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        if (mass > 0)
            bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }

    void pin(const BenchPin &p)
    {
        btVector3 anchor(btScalar(p.anchor[0]), btScalar(p.anchor[1]), btScalar(p.anchor[2]));
        btRigidBody &a = *bodies[size_t(p.a)], &b = *bodies[size_t(p.b)];
        pins.push_back(std::make_unique<btPoint2PointConstraint>(a, b, a.getWorldTransform().inverse() * anchor,
                                                                 b.getWorldTransform().inverse() * anchor));
        world.addConstraint(pins.back().get(), true);
    }

    BulletBoxes(const BoxProblem &p, bool substeps)
        : boxCount(p.boxCount), steps(substeps ? p.sweeps : 1), frame(btScalar(p.frame))
    {
        world.setGravity(btVector3(0, btScalar(-p.gravity), 0));
        world.getSolverInfo().m_numIterations = substeps ? 1 : p.sweeps;
        for (int i = 0; i < p.boxCount; ++i)
        {
            const BenchBox &b = p.box[i];
            btQuaternion turn(btScalar(b.rotation[1]), btScalar(b.rotation[2]), btScalar(b.rotation[3]),
                              btScalar(b.rotation[0]));
            btVector3 at(btScalar(b.position[0]), btScalar(b.position[1]), btScalar(b.position[2]));
            btVector3 half(btScalar(b.size[0] / 2), btScalar(b.size[1] / 2), btScalar(b.size[2] / 2));
            add(new btBoxShape(half), btTransform(turn, at), b.mass, p.friction);
        }
        if (p.floor)
            add(new btStaticPlaneShape(btVector3(0, 1, 0), 0), btTransform::getIdentity(), 0, p.friction);
        for (int i = 0; i < p.pinCount; ++i)
            pin(p.pin[i]);
    }

    ~BulletBoxes()
    {
        for (auto &p : pins)
            world.removeConstraint(p.get());
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }
};

template <bool substeps> void *create(const BoxProblem *problem)
{
    return new BulletBoxes(*problem, substeps);
}

// no more steps than asked for, whatever rounding says
int frame(void *self)
{
    auto *b = static_cast<BulletBoxes *>(self);
    for (int i = 0; i < b->steps; ++i)
        b->world.stepSimulation(b->frame / btScalar(b->steps), 0);
    return 1;
}

void states(void *self, double *out)
{
    auto *b = static_cast<BulletBoxes *>(self);
    for (int i = 0; i < b->boxCount; ++i, out += BOX_STATE)
    {
        const btRigidBody &body = *b->bodies[size_t(i)];
        btQuaternion turn = body.getWorldTransform().getRotation();
        out[3] = turn.w(), out[4] = turn.x(), out[5] = turn.y(), out[6] = turn.z();
        for (int k = 0; k < 3; ++k)
        {
            out[k] = body.getWorldTransform().getOrigin()[k];
            out[7 + k] = body.getLinearVelocity()[k];
            out[10 + k] = body.getAngularVelocity()[k];
        }
    }
}

void destroy(void *self)
{
    delete static_cast<BulletBoxes *>(self);
}

} // namespace

const BoxContender bulletBoxes = { "bullet, 1 step x n sweeps", create<false>, frame, states, destroy };
const BoxContender bulletBoxesSubsteps = { "bullet, n steps x 1 sweep", create<true>, frame, states, destroy };
